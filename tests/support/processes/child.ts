// Real processes, for tests that kill and stop them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { eventually, testEnvironment, type Service } from "../service.ts";

const root = resolve(import.meta.dirname, "../../..");

/** Halves what a start costs: modules are compiled once for all processes. The same as for `npm start`. */
export const compileCache = join(root, "node_modules/.cache/compile");
/** A start takes two seconds of processor time, and longer where other work has the cores. */
const MAX_WAIT_MS = 120_000;

export type Child = {
  pid: number;
  /** All output so far. */
  out(): string;
  err(): string;
  lines: string[];
  send(line: string): void;
  line(what: string, pattern: RegExp, withinMs?: number): Promise<RegExpExecArray>;
  signal(name: "SIGTERM" | "SIGINT" | "SIGKILL"): void;
  /** The exit code; null when a signal ended the process. */
  ended: Promise<number | null>;
  /** Fulfilled as `ended`, but while processes that it started still hold its output. */
  exited: Promise<unknown>;
  hasEnded(): boolean;
};

const running = new Set<Child>();

type Env = Record<string, string>;

/** A script of the project in Node. */
export function startChild(
  script: string,
  ...rest: [args: string[], env: Env] | [env: Env]
): Child {
  const [args, env] = rest.length === 2 ? rest : [[], rest[0]];
  return startProgram(process.execPath, [join(root, script), ...args], env);
}

/** Only what `env` names is in the environment, besides what finds programs and folders. */
export function startProgram(program: string, args: string[], env: Env): Child {
  const name = [program, ...args].map((part) => part.replace(`${root}/`, "")).join(" ");
  const { PATH = "", HOME = "", TMPDIR = "" } = process.env;
  const environment = {
    PATH,
    HOME,
    NODE_ENV: "production" as const,
    NODE_COMPILE_CACHE: compileCache,
    ...(TMPDIR && { TMPDIR }),
    ...env,
  };
  const child = spawn(program, args, {
    cwd: root,
    env: environment,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const lines: string[] = [];
  let err = "";
  let isEnded = false;
  createInterface(child.stdout).on("line", (line) => lines.push(line));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  child.stdin.on("error", () => {});
  const made: Child = {
    pid: child.pid as number,
    lines,
    out: () => lines.join("\n"),
    err: () => err,
    send: (line) => void child.stdin.write(`${line}\n`),
    async line(what, pattern, withinMs = MAX_WAIT_MS) {
      return eventually(
        `${what} from ${name}`,
        () => {
          for (const line of lines) {
            const found = pattern.exec(line);
            if (found) return found;
          }
          if (isEnded)
            throw new Error(`${name} ended without ${what}: ${err || lines.slice(-5).join("\n")}`);
          return null;
        },
        withinMs,
      );
    },
    signal: (name) => void child.kill(name),
    ended: new Promise((done) =>
      child.once("close", (code) => {
        isEnded = true;
        running.delete(made);
        done(code);
      }),
    ),
    exited: once(child, "exit"),
    hasEnded: () => isEnded,
  };
  running.add(made);
  return made;
}

/** Ends all child processes; for the end of a test file. */
export async function endChildren(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      child.signal("SIGKILL");
      return child.exited;
    }),
  );
}

/** Starts the whole service, without a history of the demo store; returns its address once it listens. */
export async function startServer(
  env: Record<string, string>,
  withinMs = MAX_WAIT_MS,
): Promise<Child & { url: string }> {
  const child = startChild("app/server.ts", { PORT: "0", LOG_LEVEL: "warn", DEMO: "off", ...env });
  const [, url] = await child.line(
    "`listening on`",
    /^listening on (http:\/\/127\.0\.0\.1:\d+)$/,
    withinMs,
  );
  return Object.assign(child, { url: url as string });
}

/** A process with these roles beside a test's service: on its database, its sandbox and its public address. */
export const startRoles = (
  { sandbox, database, url }: Service,
  roles: string,
  env: Record<string, string> = {},
): Promise<Child & { url: string }> =>
  startServer({
    ...testEnvironment(sandbox, database.serviceUrl),
    BASE_URL: url,
    ROLES: roles,
    ...env,
  });
