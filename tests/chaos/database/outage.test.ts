// The database goes down under load and comes back. No process is restarted.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startDatabaseProxy, type DatabaseProxy } from "../../support/processes/database-proxy.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import {
  countByStatus,
  sendWebhook,
  startLoad,
  type Sent,
} from "../../support/bus/webhook-load.ts";

/** The test asserts what happens, not how soon: a busy machine may take longer. */
const PATIENCE_MS = 60_000;

let service: Service;
let proxy: DatabaseProxy;

beforeAll(async () => {
  service = await startService({
    background: true,
    databaseThrough: async (directUrl) => {
      proxy = await startDatabaseProxy(directUrl);
      return proxy.url;
    },
  });
  await service.addTenant(SHOP);
});
afterAll(async () => {
  await service.stop();
  await proxy.stop();
});
beforeEach(async () => {
  await eventually(
    "quiet",
    async () =>
      (
        await service.database.query(
          `SELECT 1 FROM webhook_inbox WHERE status <> 'done' UNION ALL SELECT 1
            FROM integration_queue WHERE status <> 'delivered'`,
        )
      ).length === 0,
    PATIENCE_MS,
  );
  await service.database.query("DELETE FROM webhook_inbox");
}, PATIENCE_MS);

async function requireNothingLost(sent: Sent[]): Promise<void> {
  const acknowledged = sent.filter(({ status }) => status === 200).map(({ id }) => id);
  const stored = new Set(
    (
      await service.database.query<{ delivery_id: string }>("SELECT delivery_id FROM webhook_inbox")
    ).map((row) => row.delivery_id),
  );
  const lost = acknowledged.filter((id) => !stored.has(id));
  process.stdout.write(
    `answers ${JSON.stringify(countByStatus(sent))}, acknowledged and not stored: ${lost.length}\n`,
  );
  expect(lost).toEqual([]);
  const open = () =>
    service.database.query(
      `SELECT topic AS what, status, attempts AS tries, last_error FROM webhook_inbox WHERE status <> 'done'
       UNION ALL SELECT channel, status, retry_count, last_error FROM integration_queue
         WHERE status <> 'delivered' OR retry_count > 0`,
    );
  // A used attempt shows at once; waiting would not hide it.
  await eventually(
    "all of them worked and delivered",
    async () => {
      const rows = await open();
      return rows.length === 0 || rows.some(({ tries }) => tries > 0);
    },
    PATIENCE_MS,
  );
  expect(await open()).toEqual([]);
}

test("every connection is terminated, three times under load: responses are 200 or 503, nothing acknowledged is lost, and work continues", async () => {
  const load = startLoad(() => service.url);
  for (let round = 1; round <= 3; round += 1) {
    const before = load.sent.length;
    await eventually("load", () => load.sent.length > before + 60, PATIENCE_MS);
    await service.database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
        AND application_name = 'customer-identity-service'`,
    );
  }
  const before = load.sent.length;
  await eventually(
    "acknowledgements again",
    () => load.sent.slice(before).filter(({ status }) => status === 200).length > 50,
    PATIENCE_MS,
  );
  const sent = await load.stop();
  expect(
    Object.keys(countByStatus(sent)).filter((status) => status !== "200" && status !== "503"),
  ).toEqual([]);
  await requireNothingLost(sent);
});

test("the database refuses connections for a while under load: 503 and never 200 meanwhile, then it recovers by itself", async () => {
  const load = startLoad(() => service.url);
  await eventually("load", () => load.sent.length > 60, PATIENCE_MS);
  await proxy.refuse();
  const refusedAt = performance.now();
  expect((await service.call("GET", "/health", { key: null })).status).toBe(503);
  await eventually(
    "30 refusals",
    () => load.sent.filter(({ begunAt }) => begunAt > refusedAt).length >= 30,
    PATIENCE_MS,
  );
  const restoredAt = performance.now();
  await proxy.restore();
  const meanwhile = load.sent.filter(
    ({ begunAt, endedAt }) => begunAt > refusedAt && endedAt < restoredAt,
  );
  expect(countByStatus(meanwhile)).toEqual({ 503: meanwhile.length });

  await eventually(
    "acknowledgements again",
    () =>
      load.sent.filter(({ status, begunAt }) => status === 200 && begunAt > restoredAt).length > 50,
    PATIENCE_MS,
  );
  const sent = await load.stop();
  const firstAgain = Math.min(
    ...sent
      .filter(({ status, begunAt }) => status === 200 && begunAt > restoredAt)
      .map(({ endedAt }) => endedAt),
  );
  process.stdout.write(
    `${meanwhile.length} refusals while it was away; first acknowledgement ${Math.round(firstAgain - restoredAt)} ms after it was back\n`,
  );
  expect(
    Object.keys(countByStatus(sent)).filter((status) => status !== "200" && status !== "503"),
  ).toEqual([]);
  expect((await service.call("GET", "/health", { key: null })).status).toBe(200);

  // The storefront repeats what was not acknowledged; a needless repetition adds nothing.
  const repeated = await Promise.all(
    sent.slice(-40).map(({ id }) => sendWebhook(service.url, Number(id.slice("delivery-".length)))),
  );
  await requireNothingLost([...sent, ...repeated]);
});

/** As Postgres refuses what would extend a file. Deletions need no room. */
async function fillDisk(isFull: boolean): Promise<void> {
  const tables = await service.database.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'",
  );
  if (isFull)
    await service.database.query(
      `CREATE OR REPLACE FUNCTION refuse_full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'could not extend file "base/16384/16397": No space left on device' USING ERRCODE = '53100';
      END $$`,
    );
  for (const { name } of tables)
    await service.database.query(
      isFull
        ? `CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON "${name}" FOR EACH ROW EXECUTE FUNCTION refuse_full_disk()`
        : `DROP TRIGGER full_disk ON "${name}"`,
    );
}

test("the database's disk is full for a while under load: 503 and never 200 meanwhile, the log says who must act, and no attempt is used up", async () => {
  const load = startLoad(() => service.url);
  await eventually("load", () => load.sent.length > 60, PATIENCE_MS);
  await fillDisk(true);
  const fullAt = performance.now();
  await eventually(
    "30 refusals",
    () => load.sent.filter(({ begunAt }) => begunAt > fullAt).length >= 30,
    PATIENCE_MS,
  );
  const emptiedAt = performance.now();
  await fillDisk(false);
  const meanwhile = load.sent.filter(
    ({ begunAt, endedAt }) => begunAt > fullAt && endedAt < emptiedAt,
  );
  expect(countByStatus(meanwhile)).toEqual({ 503: meanwhile.length });
  expect(service.logged.filter(({ event }) => event === "database.disk_full")).toEqual([
    expect.objectContaining({
      region: "default",
      reason: expect.stringContaining("No space left on device"),
      advice: expect.stringContaining("disk"),
    }),
  ]);
  await eventually(
    "acknowledgements again",
    () =>
      load.sent.filter(({ status, begunAt }) => status === 200 && begunAt > emptiedAt).length > 50,
    PATIENCE_MS,
  );
  await requireNothingLost(await load.stop());
});
