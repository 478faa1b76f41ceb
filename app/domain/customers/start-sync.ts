// A sync that a merchant starts with a button: it may last many minutes, and nobody waits for it that long.
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../../context.server.ts";
import type { Tenant } from "../tenants/tenant.ts";
import { syncCustomers } from "./catch-up.ts";

const WAIT_MS = 3_000;

/** `running`: it goes on after the answer, or was under way before. A process that ends meanwhile loses nothing. */
export type StartedSync = { state: "running" } | { state: "done"; processed: number } | { state: "failed" };

export async function startSync(ctx: Ctx, tenant: Tenant): Promise<StartedSync> {
  const run = syncCustomers(ctx, tenant).catch((error: unknown) => {
    ctx.log.failed("customer_sync.failed", error, { shop: tenant.shop });
    return null;
  });
  const late = new AbortController();
  const result = await Promise.race([run, delay(WAIT_MS, "running" as const, { signal: late.signal, ref: false }).catch(() => "running" as const)]);
  late.abort();
  if (result === null) return { state: "failed" };
  if (result === "running" || result.outcome === "busy" || result.outcome === "unfinished") return { state: "running" };
  return result.outcome === "failed" ? { state: "failed" } : { state: "done", processed: result.counts.processed };
}
