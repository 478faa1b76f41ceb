// The server process of the embedded database: starts it, recognises one that outlived its parent,
// ends it.
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type Binaries, spawnOptions } from "./binaries.ts";
import { EmbeddedPostgresError, explainFileError } from "./error.ts";
import type { DataPlace } from "./data-place.ts";
import { lastLines, leftoverServer } from "./folder.ts";
import { findProcess } from "./process-lock.ts";

export interface Server {
  pid: number;
  port: number;
  /** Null for a server that another process started. */
  child: ChildProcess | null;
}

const startTimeoutMs = 120_000;
const stopTimeoutMs = 20_000;
const pollMs = 10;

/**
 * The server of this folder that outlived its parent, once it accepts connections; null when there
 * is none.
 */
export async function findRunning(dir: string, password: string | null): Promise<Server | null> {
  for (const deadline = Date.now() + startTimeoutMs; ; await delay(pollMs)) {
    const { pid, port, status } = readPidFile(dir);
    if (!pid || findProcess(pid) === null) return null; // PostgreSQL itself clears away what a dead server left
    const owner = describeProcess(pid, dir);
    if (owner === "other") {
      // A reused pid would make PostgreSQL refuse to start; that process is no server of ours, so
      // the file is stale.
      rmSync(`${dir}/postmaster.pid`, { force: true });
      return null;
    }
    if (owner === "unknown" || Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `The database folder ${dir} seems to be in use by a PostgreSQL server (process ${pid}); if that is so, end it, and if not, delete ${dir}/postmaster.pid; then start again.`,
      );
    }
    // "ready" may be the last word of a server that is just shutting down: then the next round sees
    // it gone.
    if (status === "ready" && (password === null || (await accepts(port, password))))
      return { pid, port, child: null };
  }
}

function describeProcess(pid: number, dir: string): "ours" | "other" | "unknown" {
  try {
    // cmdline, not exe or cwd: those are hidden from root in an ordinary container when the account
    // differs.
    const [program = "", flag, folder = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split(
      "\0",
    );
    if (!/(^|\/)postgres($|:)/.test(program)) return "other";
    if (!program.endsWith("postgres") || flag !== "-D") return "unknown";
    const [theirs, ours, process] = [
      statSync(folder, { throwIfNoEntry: false }),
      statSync(dir),
      statSync(`/proc/${pid}`),
    ];
    if (theirs?.ino !== ours.ino || theirs.dev !== ours.dev) return "other";
    return process.uid === ours.uid ? "ours" : "unknown";
  } catch {
    return findProcess(pid) === null ? "other" : "unknown";
  }
}

async function accepts(port: number, password: string): Promise<boolean> {
  const client = new pg.Client({
    host: "127.0.0.1",
    port,
    user: "postgres",
    password,
    database: "postgres",
  });
  client.on("error", () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "28P01";
  }
}

function readPidFile(dir: string): { pid: number; port: number; status: string } {
  let lines: string[] = [];
  try {
    lines = readFileSync(`${dir}/postmaster.pid`, "utf8").split("\n");
  } catch {
    // No server was started here, or it has just ended.
  }
  return {
    pid: Number(lines[0] ?? 0),
    port: Number(lines[3] ?? 0),
    status: (lines[7] ?? "").trim(),
  };
}

/**
 * Starts the server; a port taken by somebody else in between, or the last backends of a killed
 * server, are retried.
 */
export async function launch(
  place: DataPlace,
  binaries: Binaries,
  settings: Record<string, string>,
): Promise<Server> {
  const deadline = Date.now() + startTimeoutMs;
  for (;;) {
    const { server, problem } = await tryToStart(place, binaries, settings, deadline);
    if (server) return server;
    const mayPass = /Address already in use/.test(problem) || leftoverServer.test(problem);
    if (!mayPass || Date.now() >= deadline)
      throw new EmbeddedPostgresError(
        `The database in ${place.dir} does not start: ${lastLines(problem)}. The whole log is ${logOf(place)}; restore the folder from a backup if it is damaged, or set DATABASE_URL.`,
      );
    await delay(pollMs);
  }
}

/** `problem`: why it ended, or what it has logged when it was not ready in time. */
async function tryToStart(
  place: DataPlace,
  binaries: Binaries,
  settings: Record<string, string>,
  deadline: number,
): Promise<{ server: Server; problem: "" } | { server: null; problem: string }> {
  const port = await findFreePort();
  const child = spawnServer(place, binaries, { port: String(port), ...settings });
  let failure: string | null = null;
  child.once("error", (error) => (failure = error.message));
  const hasEnded = () => failure !== null || child.exitCode !== null || child.signalCode !== null;
  while (!hasEnded() && Date.now() < deadline) {
    const { pid, status } = readPidFile(place.dir);
    if (pid === child.pid && status === "ready")
      return { server: { pid, port, child }, problem: "" };
    await delay(pollMs);
  }
  const problem = failure ?? readFileSync(logOf(place), "utf8");
  if (child.pid) await end({ pid: child.pid, port, child });
  return { server: null, problem };
}

function spawnServer(
  place: DataPlace,
  binaries: Binaries,
  settings: Record<string, string>,
): ChildProcess {
  const all = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    shared_buffers: "64MB",
    // Failed statements carry people's data: none of them goes to the log file.
    log_min_messages: "log",
    log_min_error_statement: "panic",
    log_error_verbosity: "terse",
    log_checkpoints: "off",
    // Moves of stores between cells copy by logical replication.
    wal_level: "logical",
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const output = openLog(logOf(place));
  const child = spawn(binaries.postgres, ["-D", place.dir, ...options], {
    ...spawnOptions(place.account),
    stdio: ["ignore", output, output],
  });
  child.unref();
  closeSync(output);
  // From the first moment on: a crash during the start must not leave it behind either.
  const onExit = () => child.kill("SIGINT");
  process.once("exit", onExit);
  child.once("exit", () => process.off("exit", onExit));
  return child;
}

const logOf = ({ dir }: DataPlace): string => `${dir}.log`;

function openLog(path: string): number {
  try {
    return openSync(path, "w", 0o600);
  } catch (error) {
    throw explainFileError(error, `The database log ${path} cannot be written`);
  }
}

function findFreePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer().once("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Asks the server to end (open transactions are rolled back) and waits until it has. */
export async function end(server: Server): Promise<void> {
  const started = Date.now();
  signal(server, "SIGINT");
  while (isRunning(server)) {
    await delay(pollMs);
    // SIGQUIT: out at once, repaired from the write-ahead log at the next start. Never SIGKILL.
    if (Date.now() - started > stopTimeoutMs) signal(server, "SIGQUIT");
  }
}

function isRunning({ pid, child }: Server): boolean {
  return child ? child.exitCode === null && child.signalCode === null : findProcess(pid) !== null;
}

export function signal(server: Server, name: NodeJS.Signals): void {
  if (!isRunning(server)) return;
  try {
    process.kill(server.pid, name);
  } catch {
    // The process ended in between.
  }
}
