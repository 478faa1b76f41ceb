// The servers that the identity benchmark compares, each in its own process on one Postgres with
// the same people.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { startSandbox } from "../../app/sandbox/server.ts";
import { ADMIN_KEY, APP_SECRET, CLIENT_ID, SHOP, testEnvironment } from "../support/service.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PEERS = resolve(import.meta.dirname, "peers");
const STARTS_WITHIN_MS = 60_000;
export const PEOPLE = 16;
export const PASSWORD = "correct horse battery";
export const emailOf = (n: number) => `person-${n}@example.com`;

export type Side = { url: string; stop(): Promise<void> };
export type Asked = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
};
export type Auth = Side & { signIns: Asked[]; sessions: Asked[] };

async function startProcess(script: string, env: Record<string, string>): Promise<Side> {
  const { PATH = "", HOME = "" } = process.env;
  const child: ChildProcess = spawn(
    process.execPath,
    [
      ...(env.CPU_PROFILE ? ["--cpu-prof", "--cpu-prof-dir", env.CPU_PROFILE] : []),
      join(ROOT, script),
    ],
    {
      cwd: ROOT,
      env: { PATH, HOME, NODE_ENV: "production", ...env },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = new Promise<void>((done) => child.once("close", () => done()));
  const url = await new Promise<string>((found, reject) => {
    const late = setTimeout(() => reject(new Error(`${script} did not start`)), STARTS_WITHIN_MS);
    createInterface(child.stdout as NodeJS.ReadableStream).on("line", (line) => {
      const address = /^listening on (\S+)$/.exec(line)?.[1];
      if (!address) return;
      clearTimeout(late);
      found(address);
    });
    void ended.then(() => reject(new Error(`${script} ended before it listened`)));
  });
  return {
    url,
    async stop() {
      child.kill(env.CPU_PROFILE ? "SIGTERM" : "SIGKILL");
      await ended;
    },
  };
}

export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  return serverUrl.replace(/\/[^/]+$/, `/${name}`);
}

async function post(
  url: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const answer = await fetch(url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

const everybody = <T>(make: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: PEOPLE }, (_, n) => make(n)));

export async function startOurs(databaseUrl: string): Promise<Auth> {
  const sandbox = await startSandbox({
    app: { url: "http://127.0.0.1:1", clientId: CLIENT_ID, clientSecret: APP_SECRET },
  });
  const profile = process.env.BENCH_CPU_PROFILE;
  const env = {
    ...testEnvironment(sandbox, databaseUrl),
    BASE_URL: "https://service.example",
    ROLES: "web",
    DATABASE_POOL: "16",
    PORT: "0",
    LOG_LEVEL: "warn",
    RATE_LIMIT_SCALE: "0",
    ...(profile && { CPU_PROFILE: profile }),
  };
  const side = await startProcess("app/server.ts", env);
  await post(side.url, `/config?shop=${SHOP}`, {}, { Authorization: `Bearer ${ADMIN_KEY}` });
  const tokens = await everybody(async (n) => {
    const answer = await post(side.url, `/auth/signup?shop=${SHOP}`, {
      email: emailOf(n),
      password: PASSWORD,
      consent_tos: true,
      consent_privacy: true,
    });
    return ((await answer.json()) as { token: string }).token;
  });
  return {
    ...side,
    signIns: tokens.map((_, n) => ({
      method: "POST",
      path: `/auth/login?shop=${SHOP}`,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: emailOf(n), password: PASSWORD }),
    })),
    sessions: tokens.map((token) => ({
      method: "GET",
      path: "/auth/me",
      headers: { Authorization: `Bearer ${token}` },
    })),
    async stop() {
      await side.stop();
      await sandbox.stop();
    },
  };
}

/** Installs the compared servers once; false where the registry cannot be reached. */
export function ensurePeers(): boolean {
  if (existsSync(join(PEERS, "node_modules/better-auth"))) return true;
  const installed = spawnSync(
    "npm",
    ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"],
    { cwd: PEERS, stdio: ["ignore", "ignore", "inherit"], timeout: 180_000 },
  );
  return installed.status === 0 && existsSync(join(PEERS, "node_modules/better-auth"));
}

export async function startBetterAuth(
  databaseUrl: string,
  hash: "pbkdf2" | "shipped",
): Promise<Auth> {
  const side = await startProcess("tests/bench/peers/better-auth.js", {
    DATABASE_URL: databaseUrl,
    HASH: hash,
  });
  const origin = { Origin: side.url };
  const cookies = await everybody(async (n) => {
    const answer = await post(
      side.url,
      "/api/auth/sign-up/email",
      { email: emailOf(n), password: PASSWORD, name: `Person ${n}` },
      origin,
    );
    return answer.headers
      .getSetCookie()
      .map((cookie) => cookie.split(";")[0])
      .join("; ");
  });
  return {
    ...side,
    signIns: cookies.map((_, n) => ({
      method: "POST",
      path: "/api/auth/sign-in/email",
      headers: { ...origin, "Content-Type": "application/json" },
      body: JSON.stringify({ email: emailOf(n), password: PASSWORD }),
    })),
    sessions: cookies.map((cookie) => ({
      method: "GET",
      path: "/api/auth/get-session",
      headers: { Cookie: cookie },
    })),
  };
}

export const startHashLoop = () => startProcess("tests/bench/bare/hash-loop.ts", {});
export const startBareSession = (databaseUrl: string) =>
  startProcess("tests/bench/bare/session-server.ts", { DATABASE_URL: databaseUrl, SHOP });

type Result = { duration: number; errors: number; timeouts: number; non2xx: number; "2xx": number };
type Autocannon = (
  options: { url: string; connections: number; duration: number; requests: Asked[] },
  done: (error: Error | null, result: Result) => void,
) => {
  on(
    event: "response",
    heard: (client: unknown, status: number, bytes: number, ms: number) => void,
  ): void;
};
const autocannon = createRequire(import.meta.url)("autocannon") as Autocannon;

export type Load = { perSecond: number; times: number[] };

/** Sends as fast as `connections` allow; throws on a status other than 2xx, unless `mayFail`. */
export async function load(
  url: string,
  requests: Asked[],
  connections: number,
  seconds: number,
  mayFail = false,
): Promise<Load> {
  const times: number[] = [];
  const result = await new Promise<Result>((done, reject) => {
    autocannon({ url, connections, duration: seconds, requests }, (error, answer) =>
      error ? reject(error) : done(answer),
    ).on("response", (_client, _status, _bytes, ms) => times.push(ms));
  });
  const failed = result.non2xx + result.errors + result.timeouts;
  if (failed > 0 && !mayFail)
    throw new Error(
      `${failed} requests to ${url}${requests[0]?.path} were not answered with 2xx: the figures would mean nothing`,
    );
  return { perSecond: result["2xx"] / result.duration, times };
}
