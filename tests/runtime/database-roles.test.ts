// A service role without DDL: credentials of the service cannot disable the append-only triggers of the
// consent log and the event ledger.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  APPEND_ONLY_TABLES,
  migrateDatabase,
  type Migrated,
} from "../../app/runtime/database/roles.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";

const suffix = randomBytes(4).toString("hex");
const OWNER = `owner_${suffix}`;
const SERVICE = `service_${suffix}`;
let database: TestDatabase;
let ownerUrl: string;
let serviceUrl: string;
let migrated: Migrated;

const urlAs = (role: string): string => {
  const url = new URL(database.url);
  [url.username, url.password] = [role, "role-password"];
  return url.href;
};

/** Runs one statement, or several in one transaction, on its own connection. */
async function runAs(url: string, ...statements: string[]): Promise<pg.QueryResult[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const results: pg.QueryResult[] = [];
    await client.query("BEGIN");
    for (const statement of statements) results.push(await client.query(statement));
    await client.query("COMMIT");
    return results;
  } finally {
    await client.end();
  }
}
const asService = (...statements: string[]) => runAs(serviceUrl, ...statements);
const asOwner = (...statements: string[]) => runAs(ownerUrl, ...statements);

const INSERTS = [
  `INSERT INTO consent_records (shop, consent_type, action, method, consent_id, seq, prev_hash,
    hash) VALUES ('a.myshopify.com', 'tos', 'granted', 'signup', 'c', 1, '', 'h')`,
  `INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type,
    entity_id, destinations, priority, payload_sha256, occurred_at)
    VALUES ('a.myshopify.com', 'e', 'k', 'wms', 't', 'inventory', 's', '[]', 2, 'x', now())`,
];
const countOf = async (table: string): Promise<number> =>
  (await database.query(`SELECT count(*)::int AS n FROM ${table}`))[0].n;

beforeAll(async () => {
  database = await emptyDatabase();
  const name = new URL(database.url).pathname.slice(1);
  for (const role of [OWNER, SERVICE])
    await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'role-password'`);
  await database.query(`ALTER DATABASE ${name} OWNER TO ${OWNER}`);
  [ownerUrl, serviceUrl] = [urlAs(OWNER), urlAs(SERVICE)];
  migrated = await migrateDatabase({ url: serviceUrl, directUrl: ownerUrl });
  await asService(...INSERTS);
});
afterAll(async () => {
  await database.drop();
});

const ATTACKS: [what: string, ...statements: string[]][] = APPEND_ONLY_TABLES.flatMap(
  (table): [string, ...string[]][] => [
    [`${table}: disabling its triggers`, `ALTER TABLE ${table} DISABLE TRIGGER ALL`],
    [`${table}: dropping a trigger`, `DROP TRIGGER ${table}_keep ON ${table}`],
    [`${table}: updating it`, `UPDATE ${table} SET shop = 'b.myshopify.com'`],
    [`${table}: deleting from it`, `DELETE FROM ${table}`],
    [
      `${table}: deleting from it in the name of a redaction`,
      "SELECT set_config('compliance.redacted_shop', 'a.myshopify.com', true)",
      `DELETE FROM ${table} WHERE shop = 'a.myshopify.com'`,
    ],
    [`${table}: emptying it`, `TRUNCATE ${table}`],
    [`${table}: dropping it`, `DROP TABLE ${table}`],
    [`${table}: changing it`, `ALTER TABLE ${table} ADD COLUMN x int`],
    [
      `${table}: a rule that forgets new rows`,
      `CREATE RULE lost AS ON INSERT TO ${table} DO INSTEAD NOTHING`,
    ],
    [
      `${table}: a trigger of its own`,
      `CREATE TRIGGER mine BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION notify_tag_runs()`,
    ],
    [
      `${table}: the redaction's function without a redaction`,
      `SELECT delete_redacted_rows('${table}', 'a.myshopify.com', 10)`,
    ],
    [
      `${table}: the redaction's function and a table of its own that pretends one`,
      "CREATE TEMP TABLE privacy_requests (shop text, kind text, state text, payload jsonb)",
      `INSERT INTO pg_temp.privacy_requests VALUES ('*', 'shop_redact', 'running', '{"shop":"a.myshopify.com"}')`,
      `SELECT delete_redacted_rows('${table}', 'a.myshopify.com', 10)`,
    ],
  ],
);
const MORE_ATTACKS: [what: string, ...statements: string[]][] = [
  ["no triggers in this session", "SET session_replication_role = replica"],
  [
    "another body for the function that refuses",
    "CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$",
  ],
  ["becoming the owner", `SET ROLE ${OWNER}`],
  [
    "more rights for itself",
    `GRANT ALL ON consent_records TO ${SERVICE}`,
    "DELETE FROM consent_records",
  ],
  ["a new table", "CREATE TABLE mine (id int)"],
  ["a new function", "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'"],
  ["the redaction's function for another table", "SELECT delete_redacted_rows('kv', 'a', 10)"],
  ["rewriting what was migrated", "DELETE FROM _prisma_migrations"],
  ["dropping any table", "DROP TABLE kv"],
  ["dropping the schema", "DROP SCHEMA public CASCADE"],
];

test("the owner migrates, and the service's role is found and restricted", () => {
  expect(migrated).toMatchObject({ serviceRole: SERVICE, isRestricted: true });
  expect(migrated.applied.length).toBeGreaterThan(10);
});

describe("the service's role cannot", () => {
  test.each([...ATTACKS, ...MORE_ATTACKS])("%s", async (_, ...statements) => {
    const before = await Promise.all(APPEND_ONLY_TABLES.map(countOf));
    await expect(asService(...statements)).rejects.toThrow(
      /permission denied|must be owner|append-only|must be able to SET ROLE/,
    );
    expect(await Promise.all(APPEND_ONLY_TABLES.map(countOf))).toEqual(before);
  });
});

test("the owner of the tables can disable the triggers, which is why the service is not the owner", async () => {
  await asOwner(
    "ALTER TABLE consent_records DISABLE TRIGGER ALL",
    "DELETE FROM consent_records",
    "ALTER TABLE consent_records ENABLE TRIGGER ALL",
  );
  expect(await countOf("consent_records")).toBe(0);
  await asService(INSERTS[0] as string);
});

test("the list of append-only tables contains every table with such a trigger, and their grants match", async () => {
  const tables = await database.query(
    "SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger WHERE tgname LIKE '%_append_only' ORDER BY 1",
  );
  expect(tables.map(({ name }) => name as string)).toEqual([...APPEND_ONLY_TABLES].sort());
  const rights = await database.query(
    `SELECT table_name AS name, string_agg(privilege_type, ' ' ORDER BY privilege_type) AS rights
      FROM information_schema.role_table_grants WHERE grantee = $1 GROUP BY 1`,
    [SERVICE],
  );
  for (const { name, rights: given } of rights)
    expect([name, given]).toEqual([
      name,
      name === "_prisma_migrations"
        ? "SELECT"
        : (APPEND_ONLY_TABLES as readonly string[]).includes(name)
          ? "INSERT SELECT"
          : name === "held_stores"
            ? "DELETE SELECT"
            : name === "access_log"
              ? "DELETE INSERT SELECT"
              : "DELETE INSERT SELECT UPDATE",
    ]);
});

describe("in the access log the service's role", () => {
  const insert = `INSERT INTO access_log (shop, actor_kind, actor_id, action, user_id, place, request_id)
    VALUES ('a.myshopify.com', 'staff', '7', 'viewed', 1, '/app/customers/:id', 'r')`;

  test.each([
    ["actor_kind", "'operator'"],
    ["actor_id", "'8'"],
    ["action", "'listed'"],
    ["user_id", "2"],
    ["place", "'/app'"],
    ["request_id", "'other'"],
    ["created_at", "now() - interval '1 year'"],
  ])("cannot rewrite %s", async (column, value) => {
    await asService(insert);
    await expect(asService(`UPDATE access_log SET ${column} = ${value}`)).rejects.toThrow(
      "permission denied",
    );
  });

  test("adds to a count, and deletes what is older than the store keeps", async () => {
    await asService(insert, "UPDATE access_log SET count = coalesce(count, 0) + 25");
    await asService("DELETE FROM access_log WHERE created_at < now() - interval '1 year'");
    await expect(asService("TRUNCATE access_log")).rejects.toThrow("permission denied");
  });
});

test("a redaction of a whole store deletes that store's rows by the function, and no other's", async () => {
  await asService(
    "INSERT INTO privacy_requests (shop, kind, delivery_id, state, due_by, payload) VALUES ('*', 'shop_redact', 'd', 'running', now(), '{\"shop\":\"a.myshopify.com\"}')",
    (INSERTS[0] as string).replaceAll("a.myshopify.com", "b.myshopify.com"),
  );
  const before = await countOf("consent_records");
  const [, answer] = await asService(
    "SELECT 1",
    "SELECT delete_redacted_rows('consent_records', 'a.myshopify.com', 100) AS rows",
  );
  expect(answer?.rows).toEqual([{ rows: before - 1 }]);
  await expect(
    asService("SELECT delete_redacted_rows('consent_records', 'b.myshopify.com', 100)"),
  ).rejects.toThrow("append-only");
  expect(await database.query("SELECT shop FROM consent_records")).toEqual([
    { shop: "b.myshopify.com" },
  ]);
});

describe("migrating", () => {
  test("again grants the same rights, revokes additional ones, and is safe concurrently", async () => {
    await asOwner(`GRANT UPDATE, DELETE, TRUNCATE, TRIGGER ON consent_records TO ${SERVICE}`);
    await Promise.all(
      Array.from({ length: 6 }, () => migrateDatabase({ url: serviceUrl, directUrl: ownerUrl })),
    );
    await expect(asService("DELETE FROM consent_records")).rejects.toThrow("permission denied");
    await expect(asService("TRUNCATE consent_records")).rejects.toThrow("permission denied");
  });

  test("on a database of a newer version leaves the rights that it has set", async () => {
    await asOwner(
      "CREATE TABLE newer_log (id int)",
      `GRANT SELECT ON newer_log TO ${SERVICE}`,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at)
         VALUES ('newer', '', '29990101000000_newer', now())`,
    );
    await migrateDatabase({ url: serviceUrl, directUrl: ownerUrl });
    await expect(asService("INSERT INTO newer_log VALUES (1)")).rejects.toThrow(
      "permission denied",
    );
    await asOwner(
      "DROP TABLE newer_log",
      "DELETE FROM _prisma_migrations WHERE migration_name = '29990101000000_newer'",
    );
  });

  test("with the service's role alone is enough when no migration is pending", async () => {
    expect(await migrateDatabase({ url: serviceUrl })).toMatchObject({ applied: [] });
  });

  test("with the service's role alone names the remedy when a migration is pending", async () => {
    const fresh = await emptyDatabase();
    const url = new URL(fresh.url);
    [url.username, url.password] = [SERVICE, "role-password"];
    await expect(migrateDatabase({ url: url.href })).rejects.toThrow(
      /may not change the schema.*DIRECT_DATABASE_URL/,
    );
    await fresh.drop();
  });

  test("with one role for both changes no rights and reports that nothing is restricted", async () => {
    expect(await migrateDatabase({ url: ownerUrl, directUrl: ownerUrl })).toEqual({
      applied: [],
      serviceRole: OWNER,
      isRestricted: false,
    });
    await expect(asService("DELETE FROM consent_records")).rejects.toThrow("permission denied");
  });

  test("names the setting whose database cannot be reached", async () => {
    const nowhere = "postgresql://nobody@127.0.0.1:1/none";
    await expect(migrateDatabase({ url: serviceUrl, directUrl: nowhere })).rejects.toThrow(
      /check DIRECT_DATABASE_URL/,
    );
  });
});

describe("on a database that others manage", () => {
  let managed: TestDatabase;
  const urlOf = (role: string) => {
    const url = new URL(managed.url);
    [url.username, url.password] = [role, "role-password"];
    return url.href;
  };
  const migrate = () => migrateDatabase({ url: urlOf(SERVICE), directUrl: urlOf(OWNER) });

  beforeEach(async () => {
    managed = await emptyDatabase();
  });
  afterEach(async () => {
    await managed.query(`ALTER ROLE ${OWNER} RESET ALL`);
    await managed.query(`ALTER ROLE ${SERVICE} RESET ALL`);
    await managed.drop();
  });

  test("the right that an owner's role lacks to create tables is named", async () => {
    await expect(migrate()).rejects.toThrow("GRANT CREATE ON SCHEMA public TO");
    await managed.query(`GRANT CREATE ON SCHEMA public TO ${OWNER}`);
    expect(await migrate()).toMatchObject({ isRestricted: true });
  });

  test("a schema that the service's role may not use is named, and so is the right to it", async () => {
    await managed.query("REVOKE USAGE ON SCHEMA public FROM PUBLIC");
    await managed.query(`GRANT USAGE, CREATE ON SCHEMA public TO ${OWNER}`);
    await expect(migrate()).rejects.toThrow(`GRANT USAGE ON SCHEMA public TO ${SERVICE}`);
    await expect(migrateDatabase({ url: urlOf(SERVICE) })).rejects.toThrow(
      `GRANT USAGE ON SCHEMA public TO ${SERVICE}`,
    );
    await managed.query(`GRANT USAGE ON SCHEMA public TO ${SERVICE}`);
    expect(await migrateDatabase({ url: urlOf(SERVICE) })).toMatchObject({ isRestricted: true });
  });

  test("a search path that leads to another schema is refused before anything is created there", async () => {
    await managed.query(`CREATE SCHEMA identity AUTHORIZATION ${OWNER}`);
    await managed.query(`ALTER ROLE ${OWNER} SET search_path = identity, public`);
    await expect(migrate()).rejects.toThrow(/search_path.*DIRECT_DATABASE_URL leads to identity/);
    expect(await managed.query("SELECT 1 FROM pg_tables WHERE schemaname = 'identity'")).toEqual(
      [],
    );
  });
});
