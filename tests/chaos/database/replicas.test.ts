// Reads of the merchant's screens from a real standby: what they see, whose rows, and what happens while it is
// behind, another database, or gone.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dataOf, getTenant } from "../../../app/domain/tenants/tenant.ts";
import { forReading } from "../../../app/domain/tenants/reading.ts";
import { openDatabase } from "../../../app/runtime/database/database.ts";
import { migrateDatabase } from "../../../app/runtime/database/roles.ts";
import { ensureServiceRole } from "../../../app/runtime/embedded-postgres/role.ts";
import { systemRandom } from "../../../app/runtime/clock.ts";
import { createLog } from "../../../app/runtime/log.ts";
import { replicaReads } from "../../../app/runtime/telemetry/metrics.ts";
import {
  adminUrl,
  connectStore,
  startTestApp,
  type TestApp,
} from "../../support/browser/screens-server.ts";
import {
  startReplicatedPostgres,
  type ReplicatedPostgres,
} from "../../support/failover/replicated-postgres.ts";
import { killServer, rows } from "../../support/processes/embedded-postgres.ts";
import { eventually, OTHER_SHOP, SHOP } from "../../support/service.ts";

let postgres: ReplicatedPostgres;
let app: TestApp;
let urls: { primary: string; replica: string };

beforeAll(async () => {
  postgres = await startReplicatedPostgres({ fsync: "off" });
  const primary = await ensureServiceRole(postgres.primary.url, systemRandom);
  await migrateDatabase({ url: primary, directUrl: postgres.primary.url });
  const { host } = new URL(postgres.standby.url);
  urls = { primary, replica: Object.assign(new URL(primary), { host }).href };
  app = await startTestApp({
    withScreens: true,
    databaseThrough: () => Promise.resolve(primary),
    env: { DATABASE_REPLICA_URL: urls.replica },
  });
  for (const shop of [SHOP, OTHER_SHOP]) {
    await connectStore(app, shop);
    await addSegment(`of ${shop}`, shop);
  }
});
afterAll(async () => {
  await app.stop();
  await postgres.stop();
});

const tenantOf = (shop: string) => getTenant(app.ctx, shop);
const addSegment = async (name: string, shop = SHOP) => {
  const { prisma } = dataOf(app.ctx, await tenantOf(shop));
  await prisma.segment.create({ data: { id: randomUUID(), name, filter: {} } as never });
};
const reading = async (shop = SHOP) => {
  const tenant = await tenantOf(shop);
  return dataOf(await forReading(app.ctx, tenant), tenant);
};
type Data = Awaited<ReturnType<typeof reading>>;
const segmentsOf = async ({ prisma }: Data) =>
  (await prisma.segment.findMany()).map(({ name }) => name);
/** Which server a read comes from, and as which role. */
const serverOf = async ({ sql }: Pick<Data, "sql">) => {
  const [row] = await sql<{ server: string; role: string; segments: string[] }>(
    `SELECT CASE WHEN pg_is_in_recovery() THEN 'replica' ELSE 'primary' END AS server,
       current_user::text AS role, array_agg(name) AS segments FROM segments WHERE shop = $1`,
  );
  return row!;
};
const served = async () =>
  Object.fromEntries(
    (await replicaReads.get()).values.map(({ labels, value }) => [labels.served_by, value]),
  ) as { replica?: number; primary?: number };
const problems = () =>
  app.logged
    .filter(({ event }) => event === "database.replica_not_used")
    .map(({ problem }) => problem);

test("what was saved a moment before is read, from the replica", async () => {
  for (let n = 1; n <= 20; n += 1) {
    await addSegment(`saved ${n}`);
    const data = await reading();
    expect(await segmentsOf(data)).toContain(`saved ${n}`);
    const { server, segments } = await serverOf(data);
    expect([server, segments.includes(`saved ${n}`)]).toEqual(["replica", true]);
  }
  expect(problems()).toEqual([]);
});

test.each([
  "/app",
  "/app/customers",
  "/app/customers/changes",
  "/app/customers/export?everyone=1",
  "/app/consent",
  "/app/consent/export",
  "/app/consent/insights",
  "/app/consent/insights/export",
  "/app/events",
  "/app/events/log",
  "/app/events/dead-letters",
  "/app/privacy",
  "/app/segments",
  "/app/tags",
  "/app/agents/mandates",
  "/app/access-log",
])("%s is read from the replica", async (path) => {
  const before = await served();
  const response = await fetch(await adminUrl(app, SHOP, path), {
    headers: {
      Authorization: `Bearer ${await app.sandbox.storefront.sessionToken(SHOP)}`,
      // Without a browser's name the app library takes the caller for a crawler.
      "User-Agent": "Mozilla/5.0 Chrome/140.0",
    },
  });
  await response.text();
  expect(response.status).toBe(200);
  const after = await served();
  expect(after.replica).toBeGreaterThan(before.replica ?? 0);
  expect(after.primary).toBe(before.primary);
});

test("the replica's connection has the service's role and the tenant's filter", async () => {
  const data = await reading(OTHER_SHOP);
  const { server, role, segments } = await serverOf(data);
  expect([server, role]).toEqual(["replica", new URL(urls.primary).username]);
  expect(segments).toEqual([`of ${OTHER_SHOP}`]);
  expect(await segmentsOf(data)).toEqual([`of ${OTHER_SHOP}`]);
  expect(await data.prisma.segment.findMany({ where: { shop: SHOP } })).toEqual([]);
  await expect(data.sql("SELECT name FROM segments")).rejects.toThrow("no tenant filter");
  await expect(
    data.sql("SELECT rolpassword FROM pg_authid WHERE rolname = $1 OR 'shop = $1' = ''"),
  ).rejects.toThrow(/no tenant filter|permission denied/);
});

test("a write, and a transaction, through such a read go to the primary", async () => {
  const data = await reading();
  const { name } = await data.prisma.segment.create({
    data: { id: randomUUID(), name: "written", filter: {} } as never,
  });
  expect(name).toBe("written");
  expect(await data.transaction((sql) => serverOf({ sql }))).toMatchObject({ server: "primary" });
  expect((await serverOf(await reading())).segments).toContain("written");
});

test("while the replica is behind the primary is read, and the log says so once", async () => {
  await rows(postgres.standby.url, "SELECT pg_wal_replay_pause()");
  for (let n = 1; n <= 3; n += 1) {
    await addSegment(`behind ${n}`);
    const data = await reading();
    expect(await segmentsOf(data)).toContain(`behind ${n}`);
    expect(await serverOf(data)).toMatchObject({ server: "primary" });
  }
  expect(problems()).toEqual(["behind"]);
  await rows(postgres.standby.url, "SELECT pg_wal_replay_resume()");
  await eventually("the replica again", async () => {
    const { server, segments } = await serverOf(await reading());
    expect(segments).toContain("behind 3");
    return server === "replica";
  });
});

test("a server that is no standby of the database is never read", async () => {
  const logged: string[] = [];
  for (const replicaUrl of [urls.primary, app.database.serviceUrl]) {
    const database = openDatabase({
      url: urls.primary,
      replicaUrl,
      region: "default",
      poolSize: 2,
      log: createLog("warn", { write: (line) => void logged.push(line) }),
    });
    const data = (await database.reading()).forTenant(SHOP);
    expect(await serverOf(data)).toMatchObject({ server: "primary" });
    expect((await serverOf(data)).segments).toContain(`of ${SHOP}`);
    await database.close();
  }
  expect(logged.map((line) => (JSON.parse(line) as { problem: string }).problem)).toEqual([
    "unfit",
    "unfit",
  ]);
  expect(logged.join()).not.toContain("postgresql://");
});

test("without the replica everything is read from the primary, as without the setting", async () => {
  await rows(postgres.primary.url, "ALTER SYSTEM RESET synchronous_standby_names");
  await rows(postgres.primary.url, "SELECT pg_reload_conf()");
  await killServer(postgres.standby.pid);
  for (let n = 1; n <= 3; n += 1) {
    await addSegment(`alone ${n}`);
    const data = await reading();
    expect(await segmentsOf(data)).toContain(`alone ${n}`);
    expect(await serverOf(data)).toMatchObject({ server: "primary" });
  }
  expect(problems()).toEqual(["behind", "away"]);
});
