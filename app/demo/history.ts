// Writes the history of the demo store once: in steps, each of which is marked when it is done and
// may be repeated when it was interrupted.
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import type { Ctx } from "../context.server.ts";
import { dataOf, getTenant } from "../domain/tenants/tenant.ts";
import { findKey, putKey } from "../runtime/database/kv.ts";
import { KEYS } from "../runtime/database/kv-keys.ts";
import { withLease } from "../runtime/database/queue/lease.ts";
import { linkAgents } from "./agents.ts";
import { countBanner } from "./banner.ts";
import { createCalendar } from "./calendar.ts";
import { writeDecisions } from "./consents.ts";
import { fillStorefront, importCustomers, prepareTags, writeStoreTags } from "./customers.ts";
import { playDeliveries } from "./deliveries.ts";
import { withoutEffects, type Demo } from "./demo.ts";
import { writePastCounts } from "./past-counts.ts";
import { planCustomers } from "./people.ts";
import { publishPolicies } from "./policies.ts";
import { makePrivacyRequests } from "./privacy.ts";
import { saveSegments } from "./segments.ts";

/** In the order of the lists that show the newest row first: the busiest subjects come last. */
const STEPS = {
  storefront: (demo: Demo) => Promise.resolve(fillStorefront(demo)),
  tags: prepareTags,
  // Before the sign-ups, whose consents hold the digest of the text.
  policies: publishPolicies,
  customers: importCustomers,
  past_counts: writePastCounts,
  agents: linkAgents,
  consents: writeDecisions,
  store_tags: writeStoreTags,
  deliveries: playDeliveries,
  privacy: makePrivacyRequests,
  banner: countBanner,
  segments: saveSegments,
} satisfies Record<string, (demo: Demo) => Promise<void>>;

export type DemoStep = keyof typeof STEPS;
const STEP_NAMES = Object.keys(STEPS) as DemoStep[];

/** These steps write to the sandbox's state file instead of the database. */
const IN_STORE: readonly DemoStep[] = ["storefront", "store_tags"];

/** `end`: the newest moment of the history, so that an interrupted run continues the same one. */
const Progress = z.object({
  end: z.iso.datetime(),
  done: z.array(z.string()),
});
type Progress = z.output<typeof Progress>;

const LEASE = "demo_history";
const LEASE_RETRY_MS = 5_000;

export type HistoryOptions = {
  shop: string;
  storefront: Demo["storefront"];
  signal: AbortSignal;
  /** Called after each step. */
  onStep?: (step: DemoStep) => void;
};

/**
 * Safe to repeat and to run twice at once. Resolves with the steps that were done now; throws when
 * the signal stops it, and outside the sandbox.
 */
export async function writeHistory(ctx: Ctx, options: HistoryOptions): Promise<DemoStep[]> {
  if (!ctx.config.isSandbox) throw new Error("the demo store's history is for the sandbox only");
  const quiet = withoutEffects(ctx);
  const tenant = await getTenant(quiet, options.shop);
  const { sql } = dataOf(quiet, tenant);
  for (;;) {
    const written = await withLease(sql, LEASE, () => writeMissing(ctx, quiet, options));
    if (written) return written.result;
    await setTimeout(LEASE_RETRY_MS, undefined, { signal: options.signal });
  }
}

async function writeMissing(ctx: Ctx, quiet: Ctx, options: HistoryOptions): Promise<DemoStep[]> {
  const { shop, storefront, signal, onStep } = options;
  const tenant = await getTenant(quiet, shop);
  const { sql } = dataOf(quiet, tenant);
  const progress = await readProgress(ctx, sql);
  if (STEP_NAMES.every((step) => progress.done.includes(step))) return [];
  const calendar = createCalendar(new Date(progress.end));
  const demo: Demo = {
    ctx: quiet,
    tenant,
    channels: ctx.channels.filter((channel) => channel.isEnabled(tenant)),
    storefront,
    calendar,
    customers: planCustomers(calendar),
    signal,
  };
  const isStoreFilled = isFilled(demo);
  const missing = STEP_NAMES.filter(
    (step) => !progress.done.includes(step) || (IN_STORE.includes(step) && !isStoreFilled),
  );
  for (const step of missing) {
    signal.throwIfAborted();
    await STEPS[step](demo);
    progress.done = [...new Set([...progress.done, step])];
    await putKey(sql, KEYS.demoHistory, progress);
    onStep?.(step);
  }
  return missing;
}

/** False too when the process was killed before the sandbox wrote its file. */
const isFilled = ({ storefront, tenant, customers }: Demo): boolean => {
  const planned = new Set(customers.map(({ gid }) => gid));
  return storefront.customers(tenant.shop).some(({ gid }) => planned.has(gid));
};

async function readProgress(ctx: Ctx, sql: ReturnType<typeof dataOf>["sql"]): Promise<Progress> {
  const stored = Progress.safeParse((await findKey(sql, KEYS.demoHistory))?.value);
  if (stored.success) return stored.data;
  const fresh = { end: ctx.clock.now().toISOString(), done: [] };
  await putKey(sql, KEYS.demoHistory, fresh);
  return fresh;
}
