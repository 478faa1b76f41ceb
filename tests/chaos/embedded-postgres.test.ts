// The lifecycle of the embedded PostgreSQL: real servers, real processes, real signals.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { useDatabaseFolder } from "../support/processes/embedded-postgres-fixture.ts";
import {
  isAlive,
  kill,
  rows,
  spawnOwner,
  untilEnded,
} from "../support/processes/embedded-postgres.ts";

const { at, start, makeDatabase } = useDatabaseFolder();

test("a new folder becomes a running database, and the next start finds its data", async () => {
  for (const query of ["CREATE TABLE kept AS SELECT 42 AS answer", "SELECT answer FROM kept"]) {
    const server = await start();
    expect(server).toMatchObject({ adopted: false, dataDir: at.dataDir });
    const found = await rows(server.url, query);
    if (query.startsWith("SELECT")) expect(found).toEqual([{ answer: 42 }]);
    await server.stop();
  }
});

test("stop leaves no process and no lock, and may be called twice", async () => {
  makeDatabase();
  const server = await start();
  await Promise.all([server.stop(), server.stop()]);
  expect(isAlive(server.pid)).toBe(false);
  expect(readdirSync(at.folder).sort()).toEqual(["pg", "pg.log", "pg.password"]);
  expect(existsSync(join(at.dataDir, "postmaster.pid"))).toBe(false);
});

test("writes are durable by default, and only this machine can connect", async () => {
  const server = await startEmbeddedPostgres({ dataDir: at.dataDir, database: "app" });
  const names = [
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "listen_addresses",
    "unix_socket_directories",
  ];
  expect(
    await rows(
      server.url,
      `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(", ")}`,
    ),
  ).toEqual([
    {
      fsync: "on",
      synchronous_commit: "on",
      full_page_writes: "on",
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
    },
  ]);
  await server.stop();
});

test("a server whose parent was killed is adopted by the next start, with its data and its connections", async () => {
  const owner = await spawnOwner(at.dataDir);
  const client = new pg.Client({ connectionString: owner.answer.url });
  await client.connect();
  await client.query("CREATE TABLE kept AS SELECT 42 AS answer");
  await kill(owner.child);
  expect(isAlive(owner.answer.pid)).toBe(true);
  const server = await start();
  expect(server).toMatchObject({ adopted: true, pid: owner.answer.pid, url: owner.answer.url });
  expect((await client.query("SELECT answer FROM kept")).rows).toEqual([{ answer: 42 }]);
  await client.end();
  expect(await rows(server.url, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
});

test.each(["exit", "crash"] as const)("the server ends with its parent on %s", async (command) => {
  makeDatabase();
  const owner = await spawnOwner(at.dataDir);
  expect(await owner.send(command)).toBe(command === "exit" ? 0 : 1);
  await untilEnded(owner.answer.pid);
});

test("a start right after its parent's exit waits until the old server has stopped", async () => {
  makeDatabase();
  const owner = await spawnOwner(at.dataDir);
  await owner.send("exit");
  const server = await start();
  expect(await rows(server.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  await server.stop();
});

test("of two concurrent starts one runs and the other names the running one", async () => {
  const owners = await Promise.all([
    spawnOwner(at.dataDir),
    spawnOwner(at.dataDir),
    spawnOwner(at.dataDir),
  ]);
  const running = owners.filter((owner) => owner.answer.url);
  expect(running).toHaveLength(1);
  for (const owner of owners) {
    if (!owner.answer.url)
      expect(owner.answer.message).toContain(
        `in use by another copy of this service (process ${running[0]?.child.pid})`,
      );
  }
  expect(await rows(running[0]!.answer.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  // Now all of them find the same orphan and the same dead owner's lock.
  await kill(running[0]!.child);
  const heirs = await Promise.all([
    spawnOwner(at.dataDir),
    spawnOwner(at.dataDir),
    spawnOwner(at.dataDir),
  ]);
  expect(heirs.filter((heir) => heir.answer.adopted)).toHaveLength(1);
  expect(
    heirs.filter((heir) => /in use by another copy/.test(heir.answer.message ?? "")),
  ).toHaveLength(2);
  expect(await heirs.find((heir) => heir.answer.adopted)!.send("stop")).toBe(0);
});

test("a connection requires the password, which is in no command line and no log", async () => {
  makeDatabase();
  const server = await start();
  const { password } = new URL(server.url);
  expect(password.length).toBeGreaterThanOrEqual(32);
  const without = server.url.replace(`:${password}@`, "@");
  await expect(rows(without, "SELECT 1")).rejects.toThrow(/password/);
  await expect(
    rows(server.url.replace(password, "x".repeat(48)), "SELECT 1"),
  ).rejects.toMatchObject({ code: "28P01" });
  await expect(rows(without.replace("/app", "/template1"), "SELECT 1")).rejects.toThrow(/password/);
  if (existsSync("/proc/self"))
    expect(readFileSync(`/proc/${server.pid}/cmdline`, "utf8")).not.toContain(password);
  expect(statSync(`${at.dataDir}.password`).mode & 0o777).toBe(0o600);
  expect(statSync(`${at.dataDir}.log`).mode & 0o777).toBe(0o600);
  expect(statSync(at.dataDir).mode & 0o777).toBe(0o700);
  expect(readFileSync(`${at.dataDir}.log`, "utf8")).not.toContain(password);
  await server.stop();
});

test("a lost password file is replaced by a new password, even while an orphan runs with the old one", async () => {
  makeDatabase();
  const owner = await spawnOwner(at.dataDir);
  await kill(owner.child);
  await rm(`${at.dataDir}.password`);
  const server = await start();
  expect(server.url).not.toContain(new URL(owner.answer.url).password);
  expect(await rows(server.url, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
  await server.stop();
});

test("failed statements, which may contain personal data, are not logged", async () => {
  makeDatabase();
  const server = await start();
  await rows(server.url, "CREATE TABLE people (email text PRIMARY KEY)");
  await rows(server.url, "INSERT INTO people VALUES ('ada@example.com')");
  await expect(
    rows(server.url, "INSERT INTO people VALUES ('ada@example.com')"),
  ).rejects.toMatchObject({ code: "23505" });
  await server.stop();
  expect(await readFile(`${at.dataDir}.log`, "utf8")).not.toContain("ada@example.com");
});
