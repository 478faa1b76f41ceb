// Lets Prisma share a transaction's connection. Prisma asks its pool for every query; this pool
// sends the query to the connection of the current transaction, and to any other connection otherwise.
import { AsyncLocalStorage } from "node:async_hooks";
import { PrismaPg } from "@prisma/adapter-pg";
import type pg from "pg";
import { PrismaClient } from "../../../generated/prisma/client.ts";

/** `client` is null once the transaction has ended, because its connection serves others. */
export type OpenTransaction = { client: pg.PoolClient | null };

const connections = new AsyncLocalStorage<pg.PoolClient>();

/** Throws once the transaction has ended: its connection may be in another store's transaction. */
export function connectionOf({ client }: OpenTransaction): pg.PoolClient {
  if (!client) throw new Error("this transaction has ended");
  return client;
}

/** Runs one Prisma operation on the transaction's connection. */
export async function runOnConnection<T>(
  transaction: OpenTransaction,
  operation: () => PromiseLike<T>,
): Promise<T> {
  // Awaited inside: Prisma's promises start when they are awaited, not when they are created.
  return connections.run(connectionOf(transaction), async () => await operation());
}

export const openPrisma = (pool: pg.Pool): PrismaClient =>
  new PrismaClient({
    adapter: new PrismaPg(prismaPool(pool)),
    // Any other format includes the call's values in the message, and so personal data in the log.
    errorFormat: "minimal",
  });

/** The pool as Prisma sees it. */
function prismaPool(pool: pg.Pool): pg.Pool {
  const routes: Record<string | symbol, unknown> = {
    query: (...args: Parameters<pg.Pool["query"]>) =>
      (connections.getStore() ?? pool).query(...args),
    connect() {
      if (connections.getStore())
        throw new Error(
          "this operation needs a transaction of its own, and runs in one: write it as single statements",
        );
      return pool.connect();
    },
  };
  return new Proxy(pool, {
    get(target, name) {
      if (Object.hasOwn(routes, name)) return routes[name];
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}
