// The setup guide from a new installation to a synced store: its steps, each with its current state, which is read on
// every request. No step is stored as done.
import type { Ctx } from "../../../context.server.ts";
import { keysRead, toValues } from "../../../runtime/database/kv.ts";
import { KEYS, type Key } from "../../../runtime/database/kv-keys.ts";
import { readTogether, type Read, type RowsOf } from "../../../runtime/database/read-together.ts";
import type { Failure } from "../../bus/log/failure-kind.ts";
import { failureOf } from "../../bus/log/system-problem.ts";
import {
  CHECK_READS,
  toCheckSummary,
  type CheckSummary,
} from "../../storefront-check/check-summary.ts";
import {
  SYNC_KEYS,
  isSyncRequested,
  toSyncProgress,
  type SyncProgress,
} from "../../customers/sync/sync-request.ts";
import { tokenState } from "../../tenants/store-access.ts";
import { themeEditorPaths, type ThemePart } from "../../tenants/storefront/theme-links.ts";
import { appOf, dataOf, findTenant, type Tenant } from "../../tenants/tenant.ts";

const GUIDE_STEPS = ["connect", "embed", "decision", "scripts", "tags", "sync", "systems"] as const;
export type GuideStepName = (typeof GUIDE_STEPS)[number];

export type GuideStep = {
  name: GuideStepName;
  state: "todo" | "running" | "done" | "failed";
  /** The number of customers read so far, of scripts that load before consent, or of connected systems. */
  count: number | null;
  /** The external error, for the person who has to fix it. */
  reason: string | null;
  /** The same as the screen can say it; null for an error that it has no words for. */
  failure: Failure | null;
};

/**
 * `themeUrls` open the theme editor: `consent` with the app embed enabled, the others with their
 * block added.
 */
export type SetupGuide = {
  shop: string;
  steps: GuideStep[];
  done: number;
  isDone: boolean;
  isRunning: boolean;
  themeUrls: Record<ThemePart, string>;
  /** The front page of the store. */
  storeUrl: string;
};

export async function readSetupGuide(ctx: Ctx, shop: string): Promise<SetupGuide> {
  const tenant = await findTenant(ctx, shop);
  return toSetupGuide(ctx, shop, tenant && { tenant, progress: await readProgress(ctx, tenant) });
}

/** What the store itself has of its setup. */
export type SetupProgress = {
  hasEmbed: boolean;
  /** A shopper, or the merchant on the store's pages, has answered the banner. */
  hasDecision: boolean;
  check: CheckSummary;
  hasTags: boolean;
  isDismissed: boolean;
  sync: SyncProgress;
};

const TAG_STEPS = [KEYS.tagStep("backend"), KEYS.tagStep("storefront")];

const SETUP_KEYS: readonly Key[] = [
  KEYS.themeEmbed,
  KEYS.guideDismissed,
  ...TAG_STEPS,
  ...SYNC_KEYS,
];

/** A row where the banner was ever answered. */
const decisionRead: Read<{ has_decision: boolean }> = {
  sql: `SELECT true AS has_decision FROM banner_days
    WHERE shop = $1 AND accepted + refused + customised > 0 LIMIT 1`,
};

/** What `toSetupProgress` needs, for a statement that reads more beside it. */
export const SETUP_READS = {
  setupKeys: keysRead(SETUP_KEYS),
  decision: decisionRead,
  ...CHECK_READS,
};

async function readProgress(ctx: Ctx, tenant: Tenant): Promise<SetupProgress> {
  const [isRequested, rows] = await Promise.all([
    isSyncRequested(ctx, tenant),
    readTogether(dataOf(ctx, tenant).sql, SETUP_READS),
  ]);
  return toSetupProgress(isRequested, rows);
}

export function toSetupProgress(
  isSyncRequested: boolean,
  { setupKeys, decision, ...check }: RowsOf<typeof SETUP_READS>,
): SetupProgress {
  const stored: ReadonlyMap<Key, unknown> = toValues(setupKeys);
  return {
    hasEmbed: stored.has(KEYS.themeEmbed),
    hasDecision: decision.length > 0,
    check: toCheckSummary(check),
    hasTags: TAG_STEPS.every((key) => stored.has(key)),
    isDismissed: stored.has(KEYS.guideDismissed),
    sync: toSyncProgress(isSyncRequested, stored),
  };
}

/** `known`: null for a store that was never connected. */
export function toSetupGuide(
  ctx: Ctx,
  shop: string,
  known: { tenant: Tenant; progress: SetupProgress } | null,
): SetupGuide {
  const tenant = known?.tenant ?? null;
  const steps = known ? toSteps(ctx, known) : GUIDE_STEPS.map((name) => step(name, "todo"));
  const done = steps.filter(({ state }) => state === "done").length;
  const { clientId } = appOf(ctx, tenant);
  const paths = Object.entries(themeEditorPaths(clientId)).map(([part, path]) => [
    part,
    ctx.storefront.adminUrl(shop, path),
  ]);
  const themeUrls = Object.fromEntries(paths) as Record<ThemePart, string>;
  return {
    shop,
    steps,
    done,
    isDone: done === steps.length,
    isRunning: steps.some(({ state }) => state === "running"),
    themeUrls,
    storeUrl: ctx.storefront.domainUrl(shop, "/"),
  };
}

const step = (
  name: GuideStepName,
  state: GuideStep["state"],
  more: Partial<GuideStep> = {},
): GuideStep => ({ name, state, count: null, reason: null, failure: null, ...more });

const CONNECT_STATES = {
  none: "todo",
  valid: "done",
  reauth_required: "failed",
} as const satisfies Record<ReturnType<typeof tokenState>, GuideStep["state"]>;

function toSteps(
  ctx: Ctx,
  {
    tenant,
    progress: { hasEmbed, hasDecision, check, hasTags, sync },
  }: { tenant: Tenant; progress: SetupProgress },
): GuideStep[] {
  // Mails are no system that receives customers' data.
  const systems = ctx.channels.filter(
    (channel) => channel.needs.length > 0 && channel.name !== "email" && channel.isEnabled(tenant),
  ).length;
  return [
    step("connect", CONNECT_STATES[tokenState(tenant)]),
    step("embed", hasEmbed ? "done" : "todo"),
    step("decision", hasDecision ? "done" : "todo"),
    step("scripts", check.state === "never" ? "todo" : check.state, {
      count: check.state === "done" ? check.early : null,
    }),
    step("tags", hasTags ? "done" : "todo"),
    step("sync", sync.state === "never" ? "todo" : sync.state, {
      count: sync.state === "running" ? sync.read : null,
      reason: sync.error,
      failure: knownFailureOf(sync.error),
    }),
    step("systems", systems > 0 ? "done" : "todo", { count: systems }),
  ];
}

/** The kind of an error of another system, if it is a known one. */
export function knownFailureOf(reason: string | null): Failure | null {
  const failure = failureOf(reason);
  return failure.kind === "other" ? null : failure;
}
