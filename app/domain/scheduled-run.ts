// The scheduled run (SPEC "Scheduled run"): per tenant the token check, each tenant alone; once per run the removal of
// expired keys. One runner across processes: whoever puts the slot's key first.
import type { Ctx } from "../context.server.ts";
import { PLATFORM } from "../runtime/database.ts";
import { deleteExpiredKeys, KEYS, putKeyIfAbsent } from "../runtime/kv.ts";
import { listShops, tokenState } from "./tenants/directory.ts";
import { ensureStorefrontToken } from "./tenants/storefront-token.ts";
import { getTenant } from "./tenants/tenant.ts";

export const SCHEDULE = "*/15 * * * *";
const SLOT_MS = 15 * 60_000;
const TENANTS_AT_ONCE = 8;

export type ScheduledRunReport = { tenants: number; tokens: { checked: number; failed: number }; expired_keys: number; ms: number };

/** Null when another process runs, or has run, this quarter of an hour. */
export async function runScheduled(ctx: Ctx): Promise<ScheduledRunReport | null> {
  const slot = Math.floor(ctx.clock.now().getTime() / SLOT_MS);
  if (!(await putKeyIfAbsent(ctx.home.forTenant(PLATFORM).sql, KEYS.lease(`scheduled_run:${slot}`), ctx.random.uuid(), (2 * SLOT_MS) / 1_000))) return null;
  const started = performance.now();
  const report: ScheduledRunReport = { tenants: 0, tokens: { checked: 0, failed: 0 }, expired_keys: 0, ms: 0 };
  const shops = await listShops(ctx);
  report.tenants = shops.length;
  const next = shops.values();
  await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, async () => {
    for (const shop of next) await checkToken(ctx, shop, report);
  }));
  for (const region of ctx.regions.names()) report.expired_keys += await deleteAllExpired(ctx, region);
  report.ms = Math.round(performance.now() - started);
  ctx.log.done("scheduled_run.finished", { ...report });
  return report;
}

async function checkToken(ctx: Ctx, shop: string, report: ScheduledRunReport): Promise<void> {
  try {
    if (tokenState(await getTenant(ctx, shop)) !== "valid") return;
    report.tokens.checked += 1;
    await ensureStorefrontToken(ctx, shop);
  } catch (error) {
    report.tokens.failed += 1;
    ctx.log.troubled("scheduled_run.token_failed", { shop, reason: (error as Error).message });
  }
}

async function deleteAllExpired(ctx: Ctx, region: string): Promise<number> {
  let total = 0;
  for (let deleted = 1; deleted > 0; total += deleted) deleted = await deleteExpiredKeys(ctx.regions.get(region));
  return total;
}
