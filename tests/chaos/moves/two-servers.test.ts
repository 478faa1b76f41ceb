// A move between two database servers, by roles as managed databases give them: no superuser, owner of their
// tables, with REPLICATION at the source and pg_create_subscription at the target.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dataOf, getTenant } from "../../../app/domain/tenants/tenant.ts";
import { startMoveWorker } from "../../../app/domain/tenants/moves/move-worker.ts";
import { systemRandom } from "../../../app/runtime/clock.ts";
import { migrateDatabase } from "../../../app/runtime/database/roles.ts";
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "../../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { ensureServiceRole } from "../../../app/runtime/embedded-postgres/role.ts";
import { moveStore, untilEnded } from "../../support/moves.ts";
import { newFolder, removeFolder, rows } from "../../support/processes/embedded-postgres.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";

type Cell = { postgres: EmbeddedPostgres; owner: string; service: string };
let folder: string;
let home: Cell;
let eu: Cell;
let service: Service;
let worker: Awaited<ReturnType<typeof startMoveWorker>>;

/** The owner can do what its attributes say and nothing else; the service's role owns nothing. */
async function startCell(name: string, attributes: string): Promise<Cell> {
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, name),
    database: "app",
    settings: { fsync: "off", wal_level: "logical" },
  });
  const password = randomBytes(8).toString("hex");
  await rows(postgres.url, `CREATE ROLE app_owner LOGIN ${attributes} PASSWORD '${password}'`);
  await rows(postgres.url, "ALTER DATABASE app OWNER TO app_owner");
  const owner = Object.assign(new URL(postgres.url), { username: "app_owner", password }).href;
  const serviceUrl = await ensureServiceRole(postgres.url, systemRandom);
  await migrateDatabase({ url: serviceUrl, directUrl: owner });
  return { postgres, owner, service: serviceUrl };
}

beforeAll(async () => {
  folder = await newFolder();
  home = await startCell("home", "");
  eu = await startCell("eu", "");
  service = await startService({
    databaseThrough: () => Promise.resolve(home.service),
    env: {
      DIRECT_DATABASE_URL: home.owner,
      DATABASE_URL_EU: eu.service,
      DIRECT_DATABASE_URL_EU: eu.owner,
      WORKER_POLL_MS: "50",
    },
  });
  for (const shop of [SHOP, OTHER_SHOP]) {
    await service.addTenant(shop);
    const { prisma } = dataOf(service.ctx, await getTenant(service.ctx, shop));
    for (let n = 1; n <= 50; n += 1)
      await prisma.segment.create({
        data: { id: systemRandom.uuid(), name: `${shop} ${n}`, filter: {} } as never,
      });
    // A table whose rows cannot be deleted by the service.
    await rows(
      home.owner,
      `INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type, entity_id,
          destinations, priority, payload_sha256, occurred_at)
        VALUES ('${shop}', 'one', 'one', 'manual', 'customer.updated', 'customer', '1', '[]', 3, '', now())`,
    );
  }
  worker = await startMoveWorker(service.ctx);
});
afterAll(async () => {
  await worker.stop();
  await service.stop();
  await Promise.all([home.postgres.stop(), eu.postgres.stop()]);
  await removeFolder(folder);
});

const count = async (cell: Cell, shop: string) =>
  (
    await rows(
      cell.postgres.url,
      `SELECT (SELECT count(*)::int FROM segments WHERE shop = '${shop}') AS segments,
        (SELECT count(*)::int FROM event_ledger WHERE shop = '${shop}') AS ledger`,
    )
  )[0];

test("a right that a role lacks is named before anything is changed", async () => {
  const missing = async () => (await moveStore(service, "eu")).json.missing as string[];
  expect(await missing()).toEqual([
    expect.stringContaining('ALTER ROLE "app_owner" REPLICATION'),
    expect.stringContaining('GRANT pg_create_subscription TO "app_owner"'),
  ]);
  await rows(home.postgres.url, "ALTER ROLE app_owner REPLICATION");
  await rows(eu.postgres.url, "GRANT pg_create_subscription TO app_owner");
  // CREATE on the database: its owner has it, another owner of the tables does not.
  await rows(eu.postgres.url, "ALTER DATABASE app OWNER TO postgres");
  expect(await missing()).toEqual([
    expect.stringContaining('GRANT CREATE ON DATABASE "app" TO "app_owner"'),
  ]);
  await rows(eu.postgres.url, "GRANT CREATE ON DATABASE app TO app_owner");

  const urls = service.ctx.config.directDatabaseUrls as Record<string, string>;
  urls.default = home.owner.replace(/:[^:@/]+@/, "@");
  const answer = await moveStore(service, "eu");
  urls.default = home.owner;
  // Without its password the role does not even get in: the answer has no more than that.
  expect([answer.status, answer.json.code]).toEqual([503, "database_unavailable"]);
  expect(await rows(home.postgres.url, "SELECT 1 FROM store_moves")).toEqual([]);
});

test("an ordinary role moves a store to the other server and back, and leaves nothing there", async () => {
  for (const [to, from, at] of [
    ["eu", home, eu],
    ["default", eu, home],
  ] as const) {
    if (to === "default") {
      await rows(eu.postgres.url, "ALTER ROLE app_owner REPLICATION");
      await rows(home.postgres.url, "GRANT pg_create_subscription TO app_owner");
    }
    const begun = await moveStore(service, to);
    expect(begun.status).toBe(202);
    expect(await untilEnded(service, begun.json.id as string)).toMatchObject({
      state: "done",
      error: null,
    });
    expect(await count(at, SHOP)).toEqual({ segments: 50, ledger: 1 });
    expect(await count(from, SHOP)).toEqual({ segments: 0, ledger: 0 });
    expect(await count(home, OTHER_SHOP)).toEqual({ segments: 50, ledger: 1 });
    for (const { postgres } of [home, eu]) {
      const left = await eventually("nothing left", async () => {
        const found = await rows(
          postgres.url,
          `SELECT slot_name::text FROM pg_replication_slots UNION ALL SELECT pubname::text FROM pg_publication
            UNION ALL SELECT subname::text FROM pg_subscription`,
        );
        return found.length === 0 && [found];
      });
      expect(left).toEqual([[]]);
    }
  }
});
