// When the scheduled run starts.
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { findReport } from "../../app/domain/scheduled-run/report.ts";
import { startScheduler } from "../../app/domain/scheduled-run/scheduler.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../support/processes/database-proxy.ts";
import { eventually, startService, type Service } from "../support/service.ts";

const QUARTER_MS = 15 * 60_000;
/** In the middle of a quarter of an hour that the machine's clock does not reach: only a look starts a run. */
let now = Math.ceil(Date.now() / QUARTER_MS) * QUARTER_MS + 100.5 * QUARTER_MS;

let service: Service;
let line: DatabaseProxy;

beforeAll(async () => {
  service = await startService({
    clock: { now: () => new Date(now) },
    databaseThrough: async (directUrl) => {
      line = await startDatabaseProxy(directUrl);
      return line.url;
    },
  });
});
afterAll(async () => {
  await service.stop();
  await line.stop();
});
beforeEach(() => {
  now += QUARTER_MS;
});

function start(): void {
  const scheduler = startScheduler(service.ctx, { lookEveryMs: 50, steps: [] });
  onTestFinished(() => scheduler.stop());
}
const slot = () => Math.floor(now / QUARTER_MS);
const finished = () =>
  eventually("a run of this quarter of an hour", async () => {
    const report = await findReport(service.ctx).catch(() => null);
    return report?.slot === slot() && report.state === "finished" && report.run_id;
  });

test("a quarter of an hour without a run gets one at the next look, and one only", async () => {
  start();
  const first = await finished();
  now += QUARTER_MS;
  const second = await finished();
  expect(second).not.toBe(first);
  const writes = async () =>
    (
      await service.database.query<{ version: number }>(
        "SELECT version FROM kv WHERE key = 'scheduled_run:report'",
      )
    )[0]?.version;
  const before = await writes();
  // A look of the second scheduler is over when its stop is.
  const other = startScheduler(service.ctx, { lookEveryMs: 50, steps: [] });
  await other.stop();
  expect(await writes()).toBe(before);
  expect(await finished()).toBe(second);
});

test("a run that the database's outage made fail is made up once it is back", async () => {
  await line.refuse();
  start();
  await eventually("a failed start", () =>
    service.logged.some(({ event }) => event === "scheduled_run.failed"),
  );
  await line.restore();
  await finished();
});

test("a run that another one kept from starting is made up once that has ended", async () => {
  await service.database.query(
    `INSERT INTO kv (shop, key, value, expires_at)
      VALUES ('*', 'lease:scheduled_run', '"another-process"', now() + interval '1 minute')`,
  );
  start();
  const looks = startScheduler(service.ctx, { lookEveryMs: 50, steps: [] });
  await looks.stop();
  expect((await findReport(service.ctx))?.slot).not.toBe(slot());
  await service.database.query("DELETE FROM kv WHERE key = 'lease:scheduled_run'");
  await finished();
});
