// A migration beside somebody who reads for long, a backup or an analyst, on a database that the previous
// version serves meanwhile.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  applyMigrations,
  type MigrationOptions,
} from "../../app/runtime/database/migrations/apply-migrations.ts";
import { emptyDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/service.ts";

const FIRST = "20260101000000_first";
const SECOND = "20260102000000_second";

let folder: string;
let db: TestDatabase;
let reader: pg.Client;
let warnings: { event: string; fields: Record<string, unknown> }[];

beforeEach(async () => {
  [folder, db] = await Promise.all([mkdtemp(join(tmpdir(), "migrations-")), emptyDatabase()]);
  warnings = [];
  await write(FIRST, "CREATE TABLE first (id int); CREATE TABLE other (id int);");
  await migrate();
  reader = new pg.Client({ connectionString: db.url, application_name: "nightly backup" });
  reader.on("error", () => {});
  await reader.connect();
});
afterEach(async () => {
  await reader.end();
  await db.drop();
  await rm(folder, { recursive: true, force: true });
});

async function write(name: string, sql: string): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, "migration.sql"), sql);
}

const migrate = (lockPatience?: MigrationOptions["lockPatience"]) =>
  applyMigrations(db.url, {
    folder,
    lockPatience: { waitMs: 300, pauseMs: 200, totalMs: 60_000, ...lockPatience },
    warn: (event, fields) => warnings.push({ event, fields }),
  });

/** The process id of the session that reads until it commits. */
async function readForLong(): Promise<number> {
  await reader.query("BEGIN");
  await reader.query("SELECT count(*) FROM first");
  return (await reader.query<{ pid: number }>("SELECT pg_backend_pid() AS pid")).rows[0]!.pid;
}

test("while a migration waits for a reader the others are served, the log names the reader, and the migration is done when it ends", async () => {
  await write(SECOND, "ALTER TABLE other ADD COLUMN a int; ALTER TABLE first ADD COLUMN a int;");
  const pid = await readForLong();
  const migrating = Promise.all([migrate(), migrate()]);
  const warning = await eventually("a warning that names the reader", () =>
    warnings.find(({ fields }) => /process/.test(String(fields.reason))),
  );
  // Behind a lock that waits without a limit these would wait until the reader ends.
  for (const table of ["first", "other", "first", "other"])
    expect(await db.query(`SELECT id FROM ${table}`)).toEqual([]);
  expect(warning).toEqual({
    event: "database.migration_waits",
    fields: {
      migration: SECOND,
      reason: expect.stringMatching(
        new RegExp(
          `^process ${pid} \\(nightly backup\\), in a transaction for \\d+ s, holds a lock`,
        ),
      ),
    },
  });
  await reader.query("COMMIT");
  const results = await migrating;
  expect(results.flatMap(({ applied }) => applied)).toEqual([SECOND]);
  expect(await db.query("SELECT a FROM first")).toEqual([]);
});

test("a migration that finds a lock held for too long changes nothing and says who has to end what", async () => {
  await write(SECOND, "ALTER TABLE other ADD COLUMN a int; ALTER TABLE first ADD COLUMN a int;");
  const pid = await readForLong();
  await expect(migrate({ waitMs: 1_500, totalMs: 0 })).rejects.toThrow(
    new RegExp(
      `${SECOND} .*process ${pid} \\(nightly backup\\).*pg_terminate_backend.*then start again`,
    ),
  );
  await expect(db.query("SELECT a FROM other")).rejects.toThrow("does not exist");
  await reader.query("COMMIT");
  expect((await migrate()).applied).toEqual([SECOND]);
});

test("a migration that works for long is not ended: only the wait for a lock has a limit", async () => {
  await write(SECOND, "SELECT pg_sleep(0.2); CREATE TABLE second ();");
  expect((await migrate({ waitMs: 20, totalMs: 0 })).applied).toEqual([SECOND]);
});
