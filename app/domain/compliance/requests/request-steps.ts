// The steps of a privacy request, one per system: what was done there, how much, and when. The
// worker records each as it ends. A step holds names and counts, never personal data.
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../runtime/database/database.ts";
import { saveSteps, type PrivacyKind, type PrivacyRequest } from "./privacy-requests.ts";

/** The steps of each kind of request, in the order in which they are done. */
export const STEP_NAMES = {
  data_request: ["tables", "archive", "mail"],
  customer_redact: [
    "tables",
    "storefront",
    "queue",
    "cms",
    "profile_platform",
    "web_analytics",
    "archive",
    "search",
  ],
  shop_redact: ["archive", "tables", "record"],
} as const satisfies Record<PrivacyKind, readonly string[]>;

export type StepName = (typeof STEP_NAMES)[PrivacyKind][number];

/**
 * not_connected   the store has no such system
 * not_linked      no customer of the store is known for the person
 * no_access       the system's settings were removed, and something of the person is left there
 * by_store        the store asked for the erasure, and erases its own data
 * stays_in_store  the merchant asked for it here, and the store keeps its data
 * pseudonymous    the system holds nothing that names the person
 * queued          the mail about the request is on its way
 */
type StepOutcome =
  | "erased"
  | "nothing_found"
  | "not_connected"
  | "not_linked"
  | "no_access"
  | "by_store"
  | "stays_in_store"
  | "pseudonymous"
  | "proven"
  | "kept"
  | "exported"
  | "stored"
  | "handed_over"
  | "queued"
  | "mailed"
  | "not_mailed";

/** `at`: ISO 8601. `count`: rows, objects, items or columns, by the step. */
export type Step = { at: string; outcome: StepOutcome; count: number };
export type Steps = Partial<Record<StepName, Step>>;

export type StepResult = Pick<Step, "outcome"> & { count?: number };

export const erasedStep = (count: number): StepResult => ({
  outcome: count > 0 ? "erased" : "nothing_found",
  count,
});

/**
 * Records ended steps; one that another pass repeats without a difference keeps its time. Throws
 * LeaseLost.
 */
export async function recordSteps(
  ctx: Ctx,
  sql: TenantSql,
  request: PrivacyRequest,
  results: Partial<Record<StepName, StepResult>>,
  { endedAt = ctx.clock.now() }: { endedAt?: Date } = {},
): Promise<void> {
  const at = endedAt.toISOString();
  const changed: Steps = {};
  for (const [name, result] of Object.entries(results) as [StepName, StepResult][]) {
    const known = request.steps[name];
    const { outcome, count } = merge(known, result);
    if (known?.outcome !== outcome || known.count !== count) changed[name] = { at, outcome, count };
  }
  if (Object.keys(changed).length === 0) return;
  Object.assign(request.steps, changed);
  await saveSteps(sql, request, changed);
}

/** A later pass finds less, or nothing: what was erased before stays true. */
function merge(known: Step | undefined, { outcome, count = 0 }: StepResult): Omit<Step, "at"> {
  const isErasure = outcome === "erased" || outcome === "nothing_found";
  return known?.outcome === "erased" && isErasure
    ? { outcome: "erased", count: Math.max(known.count, count) }
    : { outcome, count };
}
