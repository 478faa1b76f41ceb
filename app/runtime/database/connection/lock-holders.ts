// Which sessions hold the lock that a session waits for. That one cannot ask while it waits, so another
// connection does.
import type pg from "pg";
import { clientOf } from "./client.ts";

export type LockHolder = {
  /** 0: a prepared transaction, which has no process. */
  pid: number;
  /** What the session calls itself. Texts of statements are left out: they may contain personal data. */
  name: string | null;
  /** The age of its transaction; null: this role may not know, or it has ended. */
  seconds: number | null;
};

const CONNECT_WITHIN_MS = 2_000;

const HOLDERS = `
  SELECT holder.pid, nullif(application_name, '') AS name,
    floor(extract(epoch FROM clock_timestamp() - xact_start))::int AS seconds
  FROM (SELECT DISTINCT unnest(pg_blocking_pids($1))) AS holder(pid) LEFT JOIN pg_stat_activity USING (pid)
  ORDER BY holder.pid`;

/** Looks every `everyMs` until it is stopped, and then says who held the lock at the last wait for one. */
export function watchLockHolders(
  databaseUrl: string,
  pid: number,
  everyMs: number,
): { stop(): Promise<readonly LockHolder[]> } {
  let client: pg.Client | undefined;
  let looking: Promise<void> | null = null;
  let holders: readonly LockHolder[] = [];

  async function look(): Promise<void> {
    if (!client) {
      client = clientOf(databaseUrl, {
        application_name: "migrations",
        connectionTimeoutMillis: CONNECT_WITHIN_MS,
        query_timeout: CONNECT_WITHIN_MS,
      });
      await client.connect();
    }
    const { rows } = await client.query<LockHolder>(HOLDERS, [pid]);
    if (rows.length > 0) holders = rows;
  }
  // Without an answer the holder stays unknown; the wait itself goes on.
  const timer = setInterval(() => {
    looking ??= look()
      .catch(() => {})
      .finally(() => (looking = null));
  }, everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await looking;
      await client?.end().catch(() => {});
      return holders;
    },
  };
}

/** A sentence's subject: `process 12 (pg_dump), in a transaction for 340 s`. */
export function describeHolders(holders: readonly LockHolder[]): string {
  if (holders.length === 0) return "another session";
  return holders
    .map(({ pid, name, seconds }) => {
      if (pid === 0) return "a prepared transaction (pg_prepared_xacts)";
      const age = seconds === null ? "" : `, in a transaction for ${seconds} s`;
      return `process ${pid} (${name ?? "without a name"})${age}`;
    })
    .join(" and ");
}
