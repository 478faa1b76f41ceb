// Rows that a test locks: the service's statements wait for them, and can be cancelled, as by a limit of the database's
// own (`statement_timeout`).
import pg from "pg";
import type { TestDatabase } from "../database.ts";
import { eventually } from "../service.ts";

export type LockedRows = {
  /** Cancels the next statement that waits. */
  cancel(): Promise<void>;
  /** Cancels every statement that waits, until `work` has ended. */
  cancelUntil(work: Promise<unknown>): Promise<void>;
  release(): Promise<void>;
};

const WAITING = `FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Resolves when at least so many statements wait for a lock that the test, or another statement, holds. */
export const statementsWait = (
  database: Pick<TestDatabase, "query">,
  count = 1,
): Promise<unknown> =>
  eventually(
    `${count} statements to wait for a lock`,
    async () => (await database.query(`SELECT 1 ${WAITING}`)).length >= count,
  );

/** `select`: of the rows, without the lock's clause. */
export async function lockRows(
  database: TestDatabase,
  select: string,
  values: unknown[] = [],
): Promise<LockedRows> {
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query("BEGIN");
  await holder.query(`${select} FOR UPDATE`, values);
  const hasCancelled = async () =>
    (await database.query(`SELECT pg_cancel_backend(pid) ${WAITING}`)).length > 0;
  return {
    cancel: async () => void (await eventually("a statement that waits", hasCancelled)),
    async cancelUntil(work) {
      let isOver = false;
      const end = () => void (isOver = true);
      work.then(end, end);
      await eventually("the end of the work", async () => {
        await hasCancelled();
        return isOver;
      });
    },
    async release() {
      await holder.query("ROLLBACK");
      await holder.end();
    },
  };
}
