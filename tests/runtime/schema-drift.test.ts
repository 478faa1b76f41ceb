// prisma/schema.prisma and prisma/migrations describe the same database, and the check of it is
// reliable: it detects a missing migration and accepts hand-written SQL.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const script = resolve(import.meta.dirname, "../../scripts/migrate-dev.mjs");

function migrateDev(...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [script, ...args], { cwd: "/" }, (error, stdout, stderr) => {
      done({ code: error ? Number(error.code) : 0, output: stdout + stderr });
    });
  });
}

test("every change of the schema has its migration (otherwise: npm run db:diff <name>)", async () => {
  const { code, output } = await migrateDev("--check");
  expect(output).toContain("The migrations match the schema.");
  expect(code).toBe(0);
});

describe("the check", () => {
  const schema = (fields = "") => `
    datasource db {
      provider = "postgresql"
    }
    model people {
      shop  String
      email String?
      state String @default("new")
      ${fields}
      @@id([shop, state])
    }`;
  let folder: string;
  let flags: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "drift-"));
    flags = ["--schema", join(folder, "schema.prisma"), "--migrations", join(folder, "migrations")];
    await writeFile(join(folder, "schema.prisma"), schema());
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test("writes the missing migration, accepts it, and reports the next change as SQL", async () => {
    expect((await migrateDev("make_people", ...flags)).code).toBe(0);
    const [name = ""] = await readdir(join(folder, "migrations"));
    expect(name).toMatch(/^\d{14}_make_people$/);
    expect(await readFile(join(folder, "migrations", name, "migration.sql"), "utf8")).toContain(
      'CREATE TABLE "people"',
    );
    expect(await migrateDev("--check", ...flags)).toEqual({
      code: 0,
      output: "The migrations match the schema.\n",
    });

    await writeFile(join(folder, "schema.prisma"), schema("age Int?"));
    const changed = await migrateDev("--check", ...flags);
    expect(changed.code).toBe(1);
    expect(changed.output).toContain('ALTER TABLE "people" ADD COLUMN     "age" INTEGER');
  });

  test("ignores exactly what the schema language cannot express", async () => {
    await mkdir(join(folder, "migrations/20260101000000_by_hand"), { recursive: true });
    await writeFile(
      join(folder, "migrations/20260101000000_by_hand/migration.sql"),
      `CREATE TABLE people (shop text NOT NULL, email text, state text NOT NULL DEFAULT 'new',
        PRIMARY KEY (shop, state));
       CREATE INDEX partial ON people (shop) WHERE state = 'new';
       CREATE UNIQUE INDEX partial_unique ON people (shop, email) WHERE email IS NOT NULL;
       CREATE UNIQUE INDEX expression ON people (shop, lower(email));
       CREATE INDEX mixed ON people (lower(email)) WHERE state = 'new';
       ALTER TABLE people ADD CONSTRAINT known_state CHECK (state IN ('new', 'old'));
       CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'append only'; RETURN NULL; END; $$;
       CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON people FOR EACH ROW EXECUTE FUNCTION refuse();
       CREATE VIEW new_people AS SELECT shop FROM people WHERE state = 'new';
       ALTER TABLE people SET (fillfactor = 80);
       CREATE INDEX undeclared ON people (email);`,
    );
    const { code, output } = await migrateDev("--check", ...flags);
    expect(code).toBe(1);
    expect(output.match(/^(DROP|ALTER|CREATE).*/gm)).toEqual(['DROP INDEX "undeclared";']);
  });
});
