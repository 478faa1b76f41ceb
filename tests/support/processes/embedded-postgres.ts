// Shared by the tests of the embedded PostgreSQL: folders, processes that own a server, and a copy
// of the project.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { chmod, copyFile, cp, link, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

export const isRoot = process.getuid?.() === 0;
const project = resolve(import.meta.dirname, "../../..");

/**
 * An empty folder that every account can traverse; PostgreSQL's account differs from ours when we
 * are root.
 */
export async function newFolder(mode = 0o711): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "customer-identity-pg-"));
  await chmod(folder, mode);
  return folder;
}

interface Answer {
  url: string;
  adopted: boolean;
  dataDir: string;
  pid: number;
  name?: string;
  message?: string;
}

/** Starts a process that starts the server; `answer` is its first line. */
export async function spawnOwner(
  dataDir: string,
  from: { project?: string; node?: string; uid?: number } = {},
): Promise<{
  child: ChildProcess;
  answer: Answer;
  send(command: "stop" | "exit" | "crash"): Promise<number | null>;
}> {
  const root = from.project ?? project;
  const options = { dataDir, database: "app", settings: { fsync: "off" } };
  const args = [
    "tests/support/processes/embedded-postgres-child.ts",
    "app/runtime/embedded-postgres/embedded-postgres.ts",
  ].map((path) => join(root, path));
  const ids = from.uid === undefined ? {} : { uid: from.uid, gid: from.uid };
  const child = spawn(from.node ?? process.execPath, [...args, JSON.stringify(options)], {
    ...ids,
    cwd: "/",
    stdio: ["pipe", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  child.stdin.on("error", () => {});
  const ended = once(child, "close");
  const line = await Promise.race([
    once(createInterface(child.stdout), "line"),
    ended.then(() => null),
  ]);
  if (line === null) throw new Error(`The process ended without an answer: ${errors}`);
  const send = async (command: string) => {
    child.stdin.write(`${command}\n`);
    return (await ended)[0] as number | null;
  };
  return { child, answer: JSON.parse(String(line[0])) as Answer, send };
}

export async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

export async function rows(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows as unknown[];
  } finally {
    await client.end();
  }
}

/** A zombie process counts as ended. */
export function isAlive(pid: number): boolean {
  if (!existsSync("/proc/self/stat")) return spawnSync("kill", ["-0", String(pid)]).status === 0;
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

export async function untilEnded(pid: number): Promise<void> {
  while (isAlive(pid)) await delay(5);
}

/** Kills a server and all its child processes at once. */
export async function killServer(pid: number): Promise<void> {
  const parentOf = (child: string) =>
    /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${child}/stat`, "utf8"))?.[1];
  const pids = readdirSync("/proc").filter((name) => {
    try {
      return name === String(pid) || (/^\d+$/.test(name) && parentOf(name) === String(pid));
    } catch {
      return false;
    }
  });
  for (const one of pids) killIfAlive(Number(one));
  for (const one of pids) await untilEnded(Number(one));
}

/** A connection's process may end by itself meanwhile. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Ends the server of a folder, if one still runs, and deletes the folder: for the end of a test.
 */
export async function removeFolder(folder: string): Promise<void> {
  await chmod(folder, 0o711);
  for (const entry of await readdir(folder)) {
    const pid = Number(
      (await readFile(join(folder, entry, "postmaster.pid"), "utf8").catch(() => "0")).split(
        "\n",
      )[0],
    );
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (pid > 0 && command.includes(join(folder, entry))) {
      process.kill(pid, "SIGQUIT");
      await untilEnded(pid);
    }
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

/**
 * The launcher and its imports as a separate project: for accounts or permissions that this one
 * cannot have.
 */
export async function copyProject(to: string): Promise<{ project: string; node: string }> {
  await cp(join(project, "app/runtime"), join(to, "app/runtime"), { recursive: true });
  await cp(join(project, "tests/support"), join(to, "tests/support"), { recursive: true });
  await cp(join(project, "package.json"), join(to, "package.json"));
  const copied = new Set<string>();
  const copyPackage = async (name: string): Promise<void> => {
    const source = join(project, "node_modules", name);
    if (copied.has(name) || !existsSync(source)) return;
    copied.add(name);
    await mkdir(dirname(join(to, "node_modules", name)), { recursive: true });
    await cp(source, join(to, "node_modules", name), { recursive: true, verbatimSymlinks: true });
    const { dependencies = {} } = JSON.parse(
      await readFile(join(source, "package.json"), "utf8"),
    ) as { dependencies?: object };
    for (const dependency of Object.keys(dependencies)) await copyPackage(dependency);
  };
  await copyPackage("pg");
  await copyPackage(`@embedded-postgres/${process.platform}-${process.arch}`);
  const node = join(to, "node");
  await link(process.execPath, node).catch(() => copyFile(process.execPath, node));
  return { project: to, node };
}
