// Ends connections of the pool that are of no more use. A silent one raises no error, so a query on
// it would wait forever; the library's own limit is a timer per query, which nearly doubled the
// garbage collection under load.
import type { Socket } from "node:net";
import type pg from "pg";

const LOOK_EVERY_MS = 1_000;

/** At most once in this time, or a server that stays read-only would end every read in progress. */
const DROP_EVERY_MS = 1_000;

/**
 * Ends a pool connection that is in use and has received nothing for `limitMs`: its query fails
 * with "Query read timeout". `dropAll` ends all of them, so that new ones are opened to the server
 * that accepts writes now.
 */
export function watchConnections(
  pool: pg.Pool,
  limitMs: number,
): { dropAll(reason: Error): void; stop(): void } {
  // One entry per connection, changed in place: a map that changes with every query is slow to collect.
  const lines = new Map<pg.PoolClient, { isInUse: boolean; heardAt: number }>();
  pool.on("connect", (client) => {
    const line = { isInUse: false, heardAt: 0 };
    lines.set(client, line);
    streamOf(client).on("data", () => (line.heardAt = performance.now()));
  });
  const use = (client: pg.PoolClient, isInUse: boolean) =>
    Object.assign(lines.get(client) ?? {}, { isInUse, heardAt: performance.now() });
  pool.on("acquire", (client) => use(client, true));
  pool.on("release", (_error, client) => use(client, false));
  pool.on("remove", (client) => lines.delete(client));
  let lookedAt = performance.now();
  const looking = setInterval(() => {
    const now = performance.now();
    // The process was suspended, or busy: what came meanwhile is still in the sockets, and is read before the next look.
    const isLate = now - lookedAt > 2 * LOOK_EVERY_MS;
    lookedAt = now;
    if (isLate) return;
    for (const [client, { isInUse, heardAt }] of lines)
      if (isInUse && now - heardAt > limitMs)
        streamOf(client).destroy(new Error("Query read timeout"));
  }, LOOK_EVERY_MS).unref();
  let droppedAt = -Infinity;
  return {
    dropAll(reason) {
      if (performance.now() - droppedAt < DROP_EVERY_MS) return;
      droppedAt = performance.now();
      // Later: the statement that noticed it still gets its own error.
      setImmediate(() => {
        for (const client of lines.keys()) streamOf(client).destroy(reason);
      });
    },
    stop: () => clearInterval(looking),
  };
}

/** The types omit the client's connection and its socket. */
const streamOf = (client: pg.PoolClient) =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;
