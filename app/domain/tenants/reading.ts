// Reads of the merchant's screens that a replica may serve: lists, exports, charts. Without a replica
// (DATABASE_REPLICA_URL) nothing changes.
import type { Ctx } from "../../context.server.ts";
import type { Database } from "../../db.server.ts";
import type { Tenant } from "./tenant.ts";

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
