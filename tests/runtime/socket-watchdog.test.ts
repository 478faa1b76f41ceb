// Connections that are silent, and a process that could not listen.
import { setImmediate } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { watchConnections } from "../../app/runtime/database/connection/socket-watchdog.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

/** The pool whose connections may be silent for a second. */
async function watched<T>(work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  pool.on("error", () => {});
  const watch = watchConnections(pool, 1_000);
  try {
    return await work(pool);
  } finally {
    watch.stop();
    await pool.end();
  }
}

test("a statement without an answer fails after the limit", async () => {
  await watched(async (pool) => {
    await expect(pool.query("SELECT pg_sleep(30)")).rejects.toThrow("Query read timeout");
  });
});

test("an answer is read although the process was suspended for longer than the limit of one second", async () => {
  await watched(async (pool) => {
    const client = await pool.connect();
    const answer = client.query("SELECT pg_sleep(0.1), 1 AS one");
    // Sent. Nothing of this process runs for three seconds from here on, as after SIGSTOP; the answer comes meanwhile.
    await setImmediate();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3_000);
    expect((await answer.finally(() => client.release())).rows).toMatchObject([{ one: 1 }]);
  });
});
