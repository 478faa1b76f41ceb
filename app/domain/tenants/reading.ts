// Reads of the merchant's screens that a replica may serve: lists, exports, charts. Without a replica
// (DATABASE_REPLICA_URL) nothing changes. And reads that may take longer than a move of the store.
import type { Ctx } from "../../context.server.ts";
import type { Database } from "../../db.server.ts";
import { hasLeft } from "./tenant-cache.ts";
import { getTenant, type Tenant } from "./tenant.ts";

/** One per context and database: values are cached by context. */
const readers = new WeakMap<Ctx, Map<Database, Ctx>>();

/**
 * A context for one read of this tenant's rows. What it reads is at least as new as this call: everything that
 * was saved before is seen, whichever process saved it. Writes through it go to the primary.
 */
export async function forReading(ctx: Ctx, { region }: Pick<Tenant, "region">): Promise<Ctx> {
  const database = await ctx.regions.get(region).reading();
  if (!database.isReplica) return ctx;
  const known = readers.get(ctx) ?? new Map<Database, Ctx>();
  readers.set(ctx, known);
  const reader = known.get(database) ?? {
    ...ctx,
    regions: {
      ...ctx.regions,
      get: (name: string) => (name === region ? database : ctx.regions.get(name)),
    },
  };
  known.set(database, reader);
  return reader;
}

/**
 * For a part of what takes long: reads again in the store's new cell when it has left the one that was read,
 * where its rows are deleted. Without that, a file would end early and look whole.
 */
export async function readWhereStoreIs<T>(
  ctx: Ctx,
  tenant: Tenant,
  read: (tenant: Tenant) => Promise<T>,
): Promise<T> {
  for (let at = tenant; ;) {
    const found = await read(at);
    if (!(await hasLeft(ctx, at))) return found;
    const now = await getTenant(ctx, at.shop);
    // A store without rows is marked before its record is changed.
    if (now.region === at.region) return found;
    at = now;
  }
}
