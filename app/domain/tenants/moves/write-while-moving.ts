// A write that nobody repeats when the store's cell refuses it. The store has another cell within a second.
import { setTimeout as delay } from "node:timers/promises";
import type { Ctx } from "../../../context.server.ts";
import { isStoreMoving } from "../../../runtime/database/postgres-errors.ts";
import { findTenant, type Tenant } from "../tenant.ts";
import { BARRIER_MS } from "./barrier.ts";

const TRY_AGAIN_MS = 100;
const PATIENCE_MS = 2 * BARRIER_MS;

/**
 * Writes where the store is, also when it moves meanwhile or has moved since `tenant` was read. Throws the last
 * refusal after `patienceMs`.
 */
export async function writeWhileMoving<T>(
  ctx: Ctx,
  tenant: Tenant,
  write: (at: Tenant) => Promise<T>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const until = performance.now() + patienceMs;
  for (let at = tenant; ;) {
    try {
      return await write(at);
    } catch (error) {
      if (!isStoreMoving(error) || performance.now() > until) throw error;
    }
    await delay(TRY_AGAIN_MS, undefined, { ref: false });
    at = (await findTenant(ctx, tenant.shop)) ?? tenant;
  }
}
