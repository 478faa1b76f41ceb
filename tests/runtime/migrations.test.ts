// The migration runner on a database that several processes and versions share.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isDatabaseAway } from "../../app/runtime/database/postgres-errors.ts";
import { applyMigrations } from "../../app/runtime/database/migrations/apply-migrations.ts";
import { MigrationError } from "../../app/runtime/database/migrations/migration-error.ts";
import { startTransactionPooler } from "../support/processes/pooler/transaction-pooler.ts";
import { emptyDatabase, freshDatabase, type TestDatabase } from "../support/database.ts";

let folder: string;
let db: TestDatabase;

beforeEach(async () => {
  [folder, db] = await Promise.all([mkdtemp(join(tmpdir(), "migrations-")), emptyDatabase()]);
  await write(
    "20260101000000_first",
    "CREATE TABLE first (id int PRIMARY KEY); INSERT INTO first VALUES (1);",
  );
  await write(
    "20260102000000_second",
    "CREATE FUNCTION two() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 2; END; $$;",
  );
});
afterEach(async () => {
  await db.drop();
  await rm(folder, { recursive: true, force: true });
});

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, "migration.sql"), sql);
}
const migrate = () => applyMigrations(db.url, { folder });
const recorded = async () =>
  (await db.query("SELECT migration_name FROM _prisma_migrations ORDER BY started_at")).map(
    (row) => row.migration_name,
  );
test("an error says which one of the database caused it: a lost connection is waited for", async () => {
  await write("20260103000000_third", "SELECT pg_terminate_backend(pg_backend_pid());");
  const error = (await migrate().catch((failure: unknown) => failure)) as MigrationError;
  expect(error).toBeInstanceOf(MigrationError);
  expect(isDatabaseAway(error.cause)).toBe(true);
});

const tableExists = async (name: string) =>
  (await db.query("SELECT to_regclass($1) IS NOT NULL AS found", [name]))[0].found;

test("migrations are applied in order of their names, once", async () => {
  expect(await migrate()).toMatchObject({
    applied: ["20260101000000_first", "20260102000000_second"],
  });
  expect(await migrate()).toMatchObject({ applied: [] });
  await write("20260103000000_third", "INSERT INTO first VALUES (two());");
  expect(await migrate()).toMatchObject({ applied: ["20260103000000_third"] });
  expect(await db.query("SELECT id FROM first ORDER BY id")).toEqual([{ id: 1 }, { id: 2 }]);
});

test("processes that start concurrently apply each migration once", async () => {
  const results = await Promise.all(Array.from({ length: 8 }, migrate));
  expect(results.flatMap((result) => result.applied).sort()).toEqual([
    "20260101000000_first",
    "20260102000000_second",
  ]);
  expect(await recorded()).toEqual(["20260101000000_first", "20260102000000_second"]);
});

test("a migration that was changed after it was applied is rejected", async () => {
  await migrate();
  await write("20260101000000_first", "CREATE TABLE first (id bigint PRIMARY KEY);");
  await write("20260103000000_third", "CREATE TABLE third ()");
  await expect(migrate()).rejects.toThrow(/20260101000000_first was changed after it was applied/);
  expect(await tableExists("third")).toBe(false);
});

test("a failed migration leaves nothing behind, keeps those before it, and runs again once repaired", async () => {
  await write("20260103000000_third", "CREATE TABLE third (); INSERT INTO first VALUES (1);");
  const error = await migrate().catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(MigrationError);
  expect((error as Error).message).toMatch(
    /20260103000000_third failed and was rolled back: .*duplicate key/,
  );
  expect(await tableExists("third")).toBe(false);
  expect(await recorded()).toEqual(["20260101000000_first", "20260102000000_second"]);
  await write("20260103000000_third", "CREATE TABLE third ();");
  expect(await migrate()).toMatchObject({ applied: ["20260103000000_third"] });
});

test("a migration that ends its own transaction is rejected instead of being half recorded", async () => {
  await write("20260103000000_third", "CREATE TABLE third (); COMMIT;");
  await expect(migrate()).rejects.toThrow(/20260103000000_third .*transaction/);
  expect(await recorded()).not.toContain("20260103000000_third");
});

test("a version starts on a database that a newer one has migrated, changes nothing and says so", async () => {
  await write("20260103000000_third", "CREATE TABLE third ();");
  await migrate();
  await rm(join(folder, "20260103000000_third"), { recursive: true });
  const warnings: unknown[] = [];
  const result = await applyMigrations(db.url, {
    folder,
    warn: (event, fields) => warnings.push({ event, fields }),
  });
  expect(result).toEqual({ applied: [], unknown: ["20260103000000_third"] });
  expect(warnings).toEqual([
    {
      event: "database.migrated_by_newer_version",
      fields: { migrations: ["20260103000000_third"] },
    },
  ]);
  expect(await recorded()).toContain("20260103000000_third");
});

test("a version is rejected on a database with a newer migration that says that older versions cannot work with it", async () => {
  await write(
    "20260103000000_third",
    "-- Third.\n-- Breaks older versions: they read two().\nDROP FUNCTION two();",
  );
  expect((await migrate()).applied).toContain("20260103000000_third");
  expect((await migrate()).applied).toEqual([]);
  await rm(join(folder, "20260103000000_third"), { recursive: true });
  await expect(migrate()).rejects.toThrow(
    /does not know \(20260103000000_third: they read two\(\)\.\).*newer version/,
  );
});

test("a version with a migration of its own is rejected on a database with one of another version", async () => {
  await migrate();
  await rm(join(folder, "20260102000000_second"), { recursive: true });
  await write("20260103000000_third", "CREATE TABLE third ();");
  await expect(migrate()).rejects.toThrow(/does not know \(20260102000000_second\).*newer version/);
  expect(await tableExists("third")).toBe(false);
});

test("a version is rejected on a database where a newer one has not finished a migration", async () => {
  await migrate();
  await rm(join(folder, "20260102000000_second"), { recursive: true });
  await db.query(
    "UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name LIKE '%second'",
  );
  await expect(migrate()).rejects.toThrow(/does not know \(20260102000000_second\).*newer version/);
});

test("a migration that another tool started and did not finish is rejected until it is resolved by hand", async () => {
  await migrate();
  await db.query(
    "UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name LIKE '%second'",
  );
  await expect(migrate()).rejects.toThrow(
    /20260102000000_second was begun on this database and not finished/,
  );
  await db.query("DROP FUNCTION two()");
  await db.query(
    "UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name LIKE '%second'",
  );
  expect(await migrate()).toMatchObject({ applied: ["20260102000000_second"] });
});

test("an unreachable database and a broken folder give readable messages without a stack", async () => {
  await expect(applyMigrations("postgresql://nobody@127.0.0.1:1/none", { folder })).rejects.toThrow(
    /cannot be reached .*check DATABASE_URL/,
  );
  await rm(join(folder, "20260102000000_second/migration.sql"));
  await expect(migrate()).rejects.toThrow(/20260102000000_second .*no readable migration.sql/);
});

test("behind a pooler no lock stays on one of its connections, whether a migration succeeds or fails", async () => {
  const pooler = await startTransactionPooler(db.url);
  const pooled = () => applyMigrations(pooler.urlOf(db.url), { folder });
  try {
    await pooled();
    await write("20260103000000_third", "CREATE TABLE third (); SELECT 1 / 0;");
    await expect(pooled()).rejects.toThrow("division by zero");
    expect(pooler.transactions()).toBeGreaterThan(0);
    // Those of this database: other tests use the same server.
    expect(
      await db.query(
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory'
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      ),
    ).toEqual([]);
    await write("20260103000000_third", "CREATE TABLE third ();");
    expect((await migrate()).applied).toEqual(["20260103000000_third"]);
    expect(pooler.faults).toEqual([]);
  } finally {
    pooler.stop();
  }
});

test("a statement timeout in the connection string does not stop a migration", async () => {
  await write("20260103000000_third", "SELECT pg_sleep(0.02)");
  expect(
    (await applyMigrations(`${db.url}?statement_timeout=10`, { folder })).applied,
  ).toHaveLength(3);
});

test("a folder that does not exist has no migrations", async () => {
  expect(await applyMigrations(db.url, { folder: join(folder, "absent") })).toMatchObject({
    applied: [],
  });
});

test("the copy that every test file gets is up to date", async () => {
  const copy = await freshDatabase();
  try {
    expect(await applyMigrations(copy.url)).toMatchObject({ applied: [] });
  } finally {
    await copy.drop();
  }
});
