// A service with two cells, for the tests that move stores between them.
import { expect } from "vitest";
import { getMove, type MoveView } from "../../app/domain/tenants/moves/move-record.ts";
import { emptyDatabase, type TestDatabase } from "./database.ts";
import { eventually, SHOP, startService, type Service, type ServiceOptions } from "./service.ts";

export type Cells = { service: Service; eu: TestDatabase; stop(): Promise<void> };

/** Both with a role for the service beside the owner. The cell `eu` has no tables yet. */
export async function startCells(options: ServiceOptions = {}): Promise<Cells> {
  const eu = await emptyDatabase();
  const service = await startService({
    ...options,
    env: { DATABASE_URL_EU: eu.serviceUrl, DIRECT_DATABASE_URL_EU: eu.url, ...options.env },
    envFrom: (sandbox, database) => ({
      DIRECT_DATABASE_URL: database.url,
      ...options.envFrom?.(sandbox, database),
    }),
  });
  return {
    service,
    eu,
    async stop() {
      // What a failed test left: a subscription that goes on would keep the databases.
      for (const database of [eu, service.database]) {
        const subscriptions = await database.query<{ name: string }>(
          "SELECT subname AS name FROM pg_subscription WHERE subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())",
        );
        for (const { name } of subscriptions) {
          await database.query(`ALTER SUBSCRIPTION ${name} DISABLE`);
          await database.query(`ALTER SUBSCRIPTION ${name} SET (slot_name = NONE)`);
          await database.query(`DROP SUBSCRIPTION ${name}`);
        }
      }
      for (const database of [eu, service.database])
        await eventually("no slots", async () => {
          const slots = await database.query<{ name: string; isActive: boolean }>(
            `SELECT slot_name AS name, active AS "isActive" FROM pg_replication_slots WHERE database = current_database()`,
          );
          for (const { name } of slots.filter(({ isActive }) => !isActive))
            await database.query("SELECT pg_drop_replication_slot($1)", [name]);
          return slots.length === 0;
        });
      await service.stop();
      await eu.drop();
    },
  };
}

/** Every table with a tenant column. */
export async function tenantTablesOf(database: TestDatabase): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT DISTINCT table_name AS name FROM information_schema.columns
      WHERE table_schema = 'public' AND column_name = 'shop' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/** The store's rows, sorted, by table; without the tables and keys that stay in their database. */
export async function rowsOfStore(
  database: TestDatabase,
  shop = SHOP,
): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of await tenantTablesOf(database)) {
    if (["public_hosts", "store_moves", "held_stores"].includes(table)) continue;
    const rows = await database.query<{ row: string }>(
      `SELECT to_jsonb(t)::text AS row FROM ${table} t WHERE shop = $1
        ${table === "kv" ? "AND key <> 'tenant:' || shop AND key NOT LIKE 'lease:%'" : ""} ORDER BY 1`,
      [shop],
    );
    if (rows.length > 0) found[table] = rows.map(({ row }) => row);
  }
  return found;
}

export const moveStore = (service: Service, to: string, shop = SHOP) =>
  service.call("POST", `/admin/move-tenant?shop=${shop}`, { body: { to } });

export async function untilEnded(service: Service, id: string): Promise<MoveView> {
  let last = "";
  return eventually(
    "the end of the move",
    async () => {
      const move = await getMove(service.ctx, id);
      last = JSON.stringify(move);
      return ["done", "failed", "cancelled"].includes(move.state) ? move : null;
    },
    240_000,
  ).catch((error: Error) => {
    throw new Error(`${error.message}: ${last}`);
  });
}

/** Nothing of a move is left in a database: no slot, publication, subscription or guard. */
export async function expectNothingLeft(
  database: TestDatabase,
  { guards = 0 }: { guards?: number } = {},
): Promise<void> {
  const [left] = await database.query(
    `SELECT (SELECT count(*)::int FROM pg_replication_slots WHERE database = current_database()) AS slots,
       (SELECT count(*)::int FROM pg_publication) AS publications,
       (SELECT count(*)::int FROM pg_subscription WHERE subdbid = (SELECT oid FROM pg_database
         WHERE datname = current_database())) AS subscriptions,
       (SELECT count(DISTINCT tgname)::int FROM pg_trigger WHERE tgname LIKE 'guard_%_insert') AS guards`,
  );
  expect(left).toEqual({ slots: 0, publications: 0, subscriptions: 0, guards });
}
