// The service behind a pooler in transaction mode: every transaction may have another server connection, and a
// session keeps nothing between them.
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { openDatabase, PLATFORM } from "../../app/runtime/database/database.ts";
import { withLease } from "../../app/runtime/database/queue/lease.ts";
import { migrateDatabase } from "../../app/runtime/database/roles.ts";
import { createLog } from "../../app/runtime/log.ts";
import { runScheduledNow } from "../../app/domain/scheduled-run/scheduled-run.ts";
import { signUp, syncAs } from "../support/consent.ts";
import { emptyDatabase } from "../support/database.ts";
import { order } from "../support/bus/events.ts";
import { hasPgBouncer, startPgBouncer } from "../support/processes/pooler/pgbouncer.ts";
import {
  startTransactionPooler,
  type TransactionPooler,
} from "../support/processes/pooler/transaction-pooler.ts";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";

const server = () => inject("databaseServer").url;

describe("the pooler of these tests", () => {
  let pooler: TransactionPooler;
  beforeAll(async () => {
    pooler = await startTransactionPooler(server());
  });
  afterAll(() => pooler.stop());

  const connect = async (options: pg.ClientConfig = {}) => {
    const client = new pg.Client({ connectionString: pooler.urlOf(server()), ...options });
    client.on("error", () => {});
    await client.connect();
    return client;
  };

  it.each([
    ["a named statement", { name: "one", text: "SELECT 1" }],
    ["a setting of the session", { text: "SET statement_timeout = 1000" }],
    ["a lock of the session", { text: "SELECT pg_advisory_lock(77001)" }],
    ["a listener", { text: "LISTEN something" }],
    ["a temporary table", { text: "CREATE TEMPORARY TABLE passing (id int)" }],
  ])("reports %s", async (_, query) => {
    const client = await connect();
    const ended = new Promise((done) => client.once("end", done));
    await client.query(query).catch(() => {});
    await ended;
    expect(pooler.faults.splice(0)).toHaveLength(1);
  });

  it("refuses startup options, and gives each transaction another connection", async () => {
    await expect(connect({ options: "-c statement_timeout=1000" })).rejects.toThrow(
      "unsupported startup parameter: options",
    );
    expect(pooler.faults.splice(0)).toHaveLength(1);
    const client = await connect();
    const pidOf = async () => (await client.query("SELECT pg_backend_pid() AS pid")).rows[0].pid;
    const [first, second] = [await pidOf(), await pidOf()];
    expect(second).not.toBe(first);
    await client.end();
  });
});

/** The faults that the pooler saw; PgBouncer itself does not tell them. */
type Pooler = { urlOf(url: string): string; faults?: string[]; stop(): void | Promise<void> };

const POOLERS: [name: string, isThere: boolean, start: (urls: string[]) => Promise<Pooler>][] = [
  ["a pooler in transaction mode", true, () => startTransactionPooler(server())],
  [
    `PgBouncer${hasPgBouncer ? "" : ": skipped, there is no pgbouncer in PATH"}`,
    hasPgBouncer,
    startPgBouncer,
  ],
];

describe.each(POOLERS)("behind %s", (_, isThere, start) => {
  let pooler: Pooler;
  let service: Service;

  beforeAll(async () => {
    if (!isThere) return;
    service = await startService({
      background: true,
      databaseThrough: async (url) => {
        pooler = await start([url, server()]);
        return pooler.urlOf(url);
      },
    });
    await service.addTenant(SHOP);
  });
  afterAll(async () => {
    if (!isThere) return;
    await service.stop();
    await pooler.stop();
  });

  it.runIf(isThere)("migrations run once, and leave no lock", async () => {
    const empty = await emptyDatabase();
    try {
      const urls = { url: pooler.urlOf(empty.serviceUrl), directUrl: pooler.urlOf(empty.url) };
      const runs = await Promise.all([migrateDatabase(urls), migrateDatabase(urls)]);
      expect(runs.map(({ isRestricted }) => isRestricted)).toEqual([true, true]);
      expect((await migrateDatabase(urls)).applied).toEqual([]);
      expect(
        await empty.query(
          `SELECT 1 FROM pg_locks WHERE locktype = 'advisory'
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        ),
      ).toEqual([]);
    } finally {
      await empty.drop();
    }
  });

  it.runIf(isThere)(
    "an event is delivered, and the log says once that the workers poll",
    async () => {
      const { status, json } = await service.call("POST", `/events/ingest?shop=${SHOP}`, {
        body: order(),
      });
      expect(status).toBe(202);
      await eventually("its delivery", async () => {
        const rows = await service.database.query(
          "SELECT status FROM integration_queue WHERE event_id = $1",
          [json.event_id],
        );
        return rows.length > 0 && rows.every((row) => row.status === "delivered");
      });
      const polling = service.logged.filter(({ event }) => event === "database.polling");
      expect(polling).toHaveLength(1);
      expect(polling[0]!.reason).toContain("DIRECT_DATABASE_URL");
    },
  );

  it.runIf(isThere)("a person signs up, signs in and consents", async () => {
    const person = await signUp(service);
    const signedIn = await service.call("POST", `/auth/login?shop=${SHOP}`, {
      body: { email: person.email, password: "correct horse" },
      key: null,
    });
    expect(signedIn.status).toBe(200);
    expect((await syncAs(service, person, { consent_marketing: true })).status).toBe(200);
    const me = await service.call("GET", "/auth/me", { key: signedIn.json.token });
    expect(me.json.consents.marketing).toBe(true);
  });

  it.runIf(isThere)(
    "times are UTC, by SQL and by Prisma, though the server's zone is another",
    async () => {
      const { sql, prisma } = service.ctx.home.forTenant(SHOP);
      const [row] = await sql<{ day: string; zone: string }>(
        "SELECT current_setting('TimeZone') AS zone FROM kv WHERE shop = $1 LIMIT 1",
      );
      expect(row?.zone).toBe("UTC");
      const at = new Date("2026-11-21T23:30:00.000Z");
      await prisma.customerTombstone.create({
        data: { kind: "email", subject_hmac: "zone", created_at: at } as never,
      });
      const [stored] = await service.database.query(
        "SELECT created_at FROM customer_tombstones WHERE subject_hmac = 'zone'",
      );
      expect(stored.created_at).toEqual(at);
      const read = await prisma.customerTombstone.findFirst({ where: { subject_hmac: "zone" } });
      expect(read?.created_at).toEqual(at);
    },
  );

  it.runIf(isThere)("a lease has one holder and is free afterwards", async () => {
    const { sql } = service.ctx.home.forTenant(PLATFORM);
    const held = await withLease(sql, "pooled", async (lease) => {
      await service.ctx.home.forTenant(PLATFORM).transaction((inside) => lease.fence(inside));
      return withLease(sql, "pooled", async () => true);
    });
    expect(held).toEqual({ result: null });
    expect(await withLease(sql, "pooled", async () => true)).toEqual({ result: true });
  });

  it.runIf(isThere)("a scheduled run finishes its steps", async () => {
    const report = await runScheduledNow(service.ctx);
    expect(report).toMatchObject({ state: "finished", errors: [] });
  });

  it.runIf(isThere)("notifications arrive by the direct address", async () => {
    const database = openDatabase({
      url: pooler.urlOf(service.database.serviceUrl),
      directUrl: service.database.url,
      region: "default",
      poolSize: 2,
      log: createLog("silent"),
    });
    const heard: string[] = [];
    const listener = await database.listen("pooled_test", (payload) => heard.push(payload));
    await database.acrossTenants("SELECT pg_notify('pooled_test', 'hello')");
    await eventually("the notification", () => heard.includes("hello"));
    await listener.stop();
    await database.close();
  });

  it.runIf(isThere)("no session state was left behind", () => {
    expect(pooler.faults ?? []).toEqual([]);
  });
});
