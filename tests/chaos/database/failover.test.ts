// The primary dies under load and its synchronous standby is promoted. `npm run drill:failover` is the same
// at full load, and judges the time.
import { afterAll, beforeAll, expect, test } from "vitest";
import { clientOf } from "../../../app/runtime/database/connection/client.ts";
import { openDatabase } from "../../../app/runtime/database/database.ts";
import { isDatabaseAway } from "../../../app/runtime/database/postgres-errors.ts";
import { openServers } from "../../../app/runtime/database/connection/servers.ts";
import { createLog } from "../../../app/runtime/log.ts";
import { failureOf } from "../../support/database.ts";
import { runDrill } from "../../support/failover/drill.ts";
import {
  startReplicatedPostgres,
  type ReplicatedPostgres,
} from "../../support/failover/replicated-postgres.ts";

let postgres: ReplicatedPostgres;

beforeAll(async () => {
  postgres = await startReplicatedPostgres({ fsync: "off" });
});
afterAll(() => postgres.stop());

test("a standby alone counts as an outage, and so does a server that was made read-only", async () => {
  const { host } = new URL(postgres.standby.url);
  const alone = postgres.url.replace(/@[^/]*/, `@${host}`);
  expect(isDatabaseAway(await failureOf(clientOf(alone, {}).connect()))).toBe(true);

  // The address of a single server is used whatever it is: a write tells, and the connections are
  // given up.
  const database = openDatabase({
    url: postgres.standby.url,
    region: "default",
    poolSize: 2,
    log: createLog("silent"),
  });
  const pid = async () =>
    (await database.acrossTenants<{ pid: number }>("SELECT pg_backend_pid() AS pid"))[0]!.pid;
  const before = await pid();
  expect((await database.readiness()).database).toBe("read_only");
  expect(
    isDatabaseAway(await failureOf(database.acrossTenants("CREATE TABLE refused (id int)"))),
  ).toBe(true);
  expect(await pid()).not.toBe(before);
  await database.close();
});

test("after the promotion callers are served again, nothing acknowledged is lost or stored twice, and every event is delivered", async () => {
  const eventsPerSecond = 50;
  const result = await runDrill(postgres, {
    eventsPerSecond,
    consentsPerSecond: 20,
    events: 60,
    refusals: 20,
  });
  process.stdout.write(`failover: ${JSON.stringify(result)}\n`);
  for (const { lost, repeated, acknowledged, statuses } of [result.events, result.consents]) {
    expect({ lost, repeated }).toEqual({ lost: 0, repeated: 0 });
    expect(acknowledged).toBeGreaterThan(0);
    expect(Object.keys(statuses).filter((one) => !["200", "202", "503"].includes(one))).toEqual([]);
  }
  expect(result).toMatchObject({
    delivered: result.events.stored,
    undelivered: 0,
    isChainWhole: true,
    hasEnded: false,
  });
  // A count instead of a clock: fewer callers are refused than come within a second.
  expect(result.refusedAfterPromotion).toBeLessThan(eventsPerSecond);
});

test("of two servers that accept writes the one that was promoted is used", async () => {
  const former = new URL((await postgres.restartPrimary()).url);
  const promoted = new URL(postgres.standby.url);
  const servers = openServers(former.href.replace(former.host, `${former.host},${promoted.host}`));
  expect(await servers.find()).toEqual({ host: "127.0.0.1", port: Number(promoted.port) });
});
