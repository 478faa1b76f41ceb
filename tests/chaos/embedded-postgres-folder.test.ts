// How the embedded PostgreSQL treats its folder: leftovers, damage, permissions, unreachable paths.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { chmod, mkdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import {
  EmbeddedPostgresError,
  startEmbeddedPostgres,
} from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { useDatabaseFolder } from "../support/processes/embedded-postgres-fixture.ts";
import { isRoot, removeFolder, rows, spawnOwner } from "../support/processes/embedded-postgres.ts";

const { at, start, makeDatabase, closedProject } = useDatabaseFolder();
const nobody = isRoot ? Number(spawnSync("id", ["-u", "nobody"]).stdout.toString()) : undefined;
/** A project that every account can read; the one under test may be below a closed folder. */
const readableProject = async () => (isRoot ? await closedProject() : {});

async function sentenceOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => null,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(EmbeddedPostgresError);
  expect((error as Error).message).not.toMatch(/\n|    at /);
  return (error as Error).message;
}

test("a pid file that names an unrelated process does not prevent the start", async () => {
  makeDatabase();
  // pid 1 and this process are alive but no database servers, as after a container restart.
  for (const pid of [process.pid, 1]) {
    await writeFile(
      join(at.dataDir, "postmaster.pid"),
      `${pid}\n${at.dataDir}\n1700000000\n5432\n\n127.0.0.1\n0 0\nready   \n`,
    );
    const server = await start();
    expect(server.adopted).toBe(false);
    await server.stop();
  }
});

test("a killed process's lock, whose pid another process has now, is taken over", async () => {
  makeDatabase();
  await writeFile(`${at.dataDir}.lock`, `${process.pid} 1`);
  const server = await start();
  await server.stop();
  expect(existsSync(`${at.dataDir}.lock`)).toBe(false);
});

test("an incompletely created database is created again", async () => {
  await mkdir(`${at.dataDir}.partial-killed/base`, { recursive: true });
  await writeFile(`${at.dataDir}.partial-killed/PG_VERSION`, "18\n");
  await (await start()).stop();
  expect(readdirSync(at.folder).filter((entry) => entry.includes("partial"))).toEqual([]);
});

test("a folder without PG_VERSION is rejected and left unchanged", async () => {
  makeDatabase();
  await rename(join(at.dataDir, "PG_VERSION"), join(at.folder, "PG_VERSION"));
  expect(await sentenceOf(start())).toMatch(
    /damaged .*PG_VERSION is missing.*restore it from a backup/,
  );
  await rename(join(at.folder, "PG_VERSION"), join(at.dataDir, "PG_VERSION"));
  const server = await start();
  expect(await rows(server.url, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
  await server.stop();
});

test("a folder of another PostgreSQL version is rejected with both versions", async () => {
  makeDatabase();
  await writeFile(join(at.dataDir, "PG_VERSION"), "14\n");
  expect(await sentenceOf(start())).toMatch(/made by PostgreSQL 14 and this is PostgreSQL \d+/);
});

test("a server that cannot start reports its log", async () => {
  makeDatabase();
  await rm(join(at.dataDir, "global/pg_control"));
  expect(await sentenceOf(start())).toMatch(
    /does not start: .*pg_control.*restore the folder from a backup/,
  );
  const wrong = startEmbeddedPostgres({
    dataDir: join(at.folder, "other"),
    database: "app",
    settings: { fsync: "off", max_connections: "none" },
  });
  expect(await sentenceOf(wrong)).toMatch(/does not start: .*max_connections/);
});

test("an unreadable or unwritable folder is named in an error message", async () => {
  const place = await readableProject();
  makeDatabase();
  if (!isRoot) await chmod(at.dataDir, 0o000);
  const existing = await spawnOwner(at.dataDir, { ...place, uid: nobody });
  await chmod(at.dataDir, 0o700);
  expect(existing.answer).toMatchObject({
    name: "EmbeddedPostgresError",
    message: expect.stringContaining(at.dataDir),
  });
  expect(existing.answer.message).toMatch(/permission is denied|belongs to/);
  const closed = join(at.folder, "closed");
  await mkdir(closed, { mode: 0o500 });
  const fresh = await spawnOwner(join(closed, "pg"), { ...place, uid: nobody });
  expect(fresh.answer.message).toMatch(/permission is denied by user \d+|: permission is denied/);
  const notFolder = startEmbeddedPostgres({
    dataDir: join(at.folder, "pg.password/pg"),
    database: "app",
  });
  expect(await sentenceOf(notFolder)).toMatch(/a file, not a folder/);
});

test("a non-root user runs it under their own account", async () => {
  const place = await readableProject();
  const home = join(at.folder, "home");
  await mkdir(home);
  await chmod(home, 0o777);
  const owner = await spawnOwner(join(home, "pg"), { ...place, uid: nobody });
  expect(owner.answer.message).toBeUndefined();
  expect(statSync(owner.answer.dataDir).uid).toBe(nobody ?? process.getuid?.());
  expect(await rows(owner.answer.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  expect(await owner.send("stop")).toBe(0);
});

test("a project below a closed folder works, and finds its data after the folder was opened", async () => {
  const closed = join(at.shared, "closed");
  const place = await closedProject();
  await chmod(closed, 0o700);
  const wanted = join(closed, "project/.data/pg");
  const first = await spawnOwner(wanted, place);
  expect(first.answer.message).toBeUndefined();
  const system = dirname(first.answer.dataDir);
  try {
    if (isRoot) expect(system).toMatch(/^\/var\/lib\/customer-identity-service\/[0-9a-f]+$/);
    else expect(first.answer.dataDir).toBe(wanted);
    await rows(first.answer.url, "CREATE TABLE kept AS SELECT 42 AS answer");
    await first.send("stop");
    await chmod(closed, 0o711);
    const second = await spawnOwner(wanted, place);
    expect(await rows(second.answer.url, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
    await second.send("stop");
    if (!isRoot) return;
    // As a version before the note left it, whose service had started there.
    const former = createHash("sha256").update(wanted).digest("hex").slice(0, 16);
    for (const beside of ["", ".password"])
      await rename(`${first.answer.dataDir}${beside}`, join(system, `data-${former}${beside}`));
    await rm(`${wanted}.place`);
    await writeFile(join(dirname(wanted), "database.url"), second.answer.url);
    const third = await spawnOwner(wanted, place);
    expect(await rows(third.answer.url, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
    await third.send("stop");
  } finally {
    if (isRoot) {
      await removeFolder(system);
      await rmdir(dirname(system)).catch(() => {}); // other projects may have theirs there
    }
  }
});

test("a project below a closed folder that is made again starts with an empty database", async () => {
  const closed = join(at.shared, "closed");
  const place = await closedProject();
  await chmod(closed, 0o700);
  const data = join(closed, "project/.data-again");
  const places: string[] = [];
  try {
    for (let round = 0; round < 2; round++) {
      const owner = await spawnOwner(join(data, "pg"), place);
      expect(owner.answer.message).toBeUndefined();
      places.push(owner.answer.dataDir);
      await rows(owner.answer.url, "CREATE TABLE kept AS SELECT 42 AS answer");
      await owner.send("stop");
      await removeFolder(data);
    }
  } finally {
    if (isRoot) for (const made of new Set(places.map(dirname))) await removeFolder(made);
  }
});

test("data that its account can no longer read is an error, never a new empty database", async () => {
  makeDatabase();
  await chmod(at.folder, 0o700);
  if (isRoot) expect(await sentenceOf(start())).toMatch(/a folder above it is closed/);
  else await (await start()).stop();
});
