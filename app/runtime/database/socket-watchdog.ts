// A silent database connection raises no error, so a query on it would wait forever. The library's
// own limit is a timer per query, which nearly doubled the garbage collection under load.
import type { Socket } from "node:net";
import type pg from "pg";

const LOOK_EVERY_MS = 1_000;

/**
 * Ends a pool connection that is in use and has received nothing for `limitMs`: its query fails
 * with "Query read timeout".
 */
export function watchSilentLines(pool: pg.Pool, limitMs: number): { stop(): void } {
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
  const looking = setInterval(() => {
    for (const [client, { isInUse, heardAt }] of lines)
      if (isInUse && performance.now() - heardAt > limitMs)
        streamOf(client).destroy(new Error("Query read timeout"));
  }, LOOK_EVERY_MS).unref();
  return { stop: () => clearInterval(looking) };
}

/** The types omit the client's connection and its socket. */
const streamOf = (client: pg.PoolClient) =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;
