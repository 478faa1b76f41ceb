// The process: configuration, database, migrations, HTTP, background work, and the shutdown.
import { writeFileSync } from "node:fs";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startBackground, type Background } from "./boot.server.ts";
import { createCtx, type Ctx } from "./context.server.ts";
import { flushAgentCalls } from "./domain/agent-activity/record-agent-call.ts";
import { channels } from "./domain/channels/index.ts";
import { renderThemeFooters } from "./embeds/theme-footers.ts";
import { registerTenant } from "./domain/tenants/tenant-record.ts";
import { loadRoutes, loadRoutesAt } from "./http/route-table.ts";
import { createScreens } from "./http/screens/screens.ts";
import { createListener } from "./http/serve.ts";
import { systemRandom } from "./runtime/clock.ts";
import { ConfigError, shapeConfig, type Config } from "./runtime/config.ts";
import { findSharedDatabases } from "./runtime/database/cells/same-database.ts";
import { createDatabaseClock } from "./runtime/database/connection/database-clock.ts";
import { migrateDatabase } from "./runtime/database/roles.ts";
import { ensureServiceRole } from "./runtime/embedded-postgres/role.ts";
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "./runtime/embedded-postgres/embedded-postgres.ts";
import { localSettings } from "./runtime/local-secrets.ts";
import { createLog, type Log } from "./runtime/log.ts";
import { HOME_REGION, settingOf } from "./runtime/settings.ts";
import { startTracing } from "./runtime/telemetry/tracing.ts";
import { createSlotPool, type SlotPool } from "./runtime/slot-pool.ts";
import { LIVE } from "./runtime/version.ts";
import type { SandboxSystems } from "./sandbox-systems.ts";
import { createTerminalLog } from "./terminal-log.ts";

/** What is still in progress by then is cut off. */
const FINISH_WITHIN_MS = 25_000;
/** A database that went silent keeps no stop waiting for the counts of agents' calls. */
const LAST_WRITE_MS = 2_000;
/** The rest of it closes the connections to the database. */
const STOP_WITHIN_MS = 30_000;
const DATABASE_WAIT_MS = 15_000;
/** The paths that a process without the role `web` serves, for monitoring. */
const OPERATOR_PATHS: ReadonlySet<string> = new Set([
  "/health",
  "/health/live",
  "/health/ready",
  "/metrics",
]);
const root = resolve(import.meta.dirname, "..");

/** A sentence for the person at the terminal, and no stack. */
function refuseToStart(error: unknown): never {
  const { name, message, stack, code } = error as Error & { code?: string };
  const isTold =
    [
      "ConfigError",
      "EmbeddedPostgresError",
      "LocalSecretsError",
      "MigrationError",
      "StartError",
      "StateFileError",
    ].includes(name) || code !== undefined;
  process.stderr.write(`${isTold ? message : stack}\n`);
  process.exit(1);
}

class StartError extends Error {
  override name = "StartError";
}

type ListenError = NodeJS.ErrnoException & { port?: number };

function explainListening(error: ListenError, setting: "PORT" | "SANDBOX_PORT"): StartError {
  const rest = `set ${setting} to a free one (0 picks one).`;
  if (error.code === "EADDRINUSE")
    return new StartError(`Port ${error.port} is in use. Stop the other program, or ${rest}`);
  if (error.code === "EACCES")
    return new StartError(`Port ${error.port} is not open to this user account: ${rest}`);
  return new StartError(error.message);
}

/**
 * Answers 503 until the service is ready, so that a busy port is found before anything else is
 * started.
 */
async function openPort(config: Config): Promise<{
  server: ReturnType<typeof createServer>;
  port: number;
  answering: SlotPool<ServerResponse>;
}> {
  const server = createServer({
    requestTimeout: 30_000,
    headersTimeout: 10_000,
    keepAliveTimeout: 65_000,
  });
  const answering = createSlotPool<ServerResponse>();
  server.on("request", (_request, response) => response.once("close", answering.put(response)));
  server.on("request", notYet);
  await new Promise<void>((ready, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(explainListening(error, "PORT"));
    });
    server.listen(config.PORT, config.HOST, ready);
  });
  return { server, port: (server.address() as AddressInfo).port, answering };
}

/** It lives while it waits for its database: a restart would not bring that back. */
const notYet: RequestListener = (request, response) => {
  if (request.url === "/health/live")
    return void response
      .writeHead(200, { "Content-Type": "application/json" })
      .end(JSON.stringify(LIVE));
  response.writeHead(503, { "Retry-After": "1", "Content-Type": "text/plain" }).end("starting");
};

const notHere: RequestListener = (_request, response) => {
  response.writeHead(404, { "Content-Type": "text/plain" }).end("This process serves no pages.");
};

async function prepareDatabase(
  config: Config,
  dataDir: string,
  log: Log,
): Promise<{ url: string; embedded: EmbeddedPostgres | null }> {
  if (config.DATABASE_URL) {
    await migrateWhenReachable(
      { url: config.DATABASE_URL, directUrl: config.DIRECT_DATABASE_URL },
      log,
    );
    return { url: config.DATABASE_URL, embedded: null };
  }
  const embedded = await startEmbeddedPostgres({
    dataDir: join(dataDir, "pg"),
    database: "customer_identity",
    log: (event, fields) => log.info(event, fields),
  });
  // For `npm run db`: the port is another one at every start.
  writeFileSync(join(dataDir, "database.url"), embedded.url, { mode: 0o600 });
  const url = await ensureServiceRole(embedded.url, systemRandom);
  await migrateWhenReachable({ url, directUrl: embedded.url }, log);
  return { url, embedded };
}

/** The embedded database's owner, for moves of stores from and to it. */
const withOwner = (config: Config, url: string | undefined): Config =>
  url === undefined
    ? config
    : { ...config, directDatabaseUrls: { ...config.directDatabaseUrls, [HOME_REGION]: url } };

/**
 * Waits for a database that is starting; reports one that cannot be reached in a readable message.
 */
async function migrateWhenReachable(
  urls: { url: string; directUrl: string | undefined },
  log: Log,
): Promise<void> {
  for (const deadline = Date.now() + DATABASE_WAIT_MS; ;) {
    try {
      const { applied, serviceRole, isRestricted } = await migrateDatabase({
        ...urls,
        warn: (event, fields) => log.warn(event, fields),
      });
      if (applied.length > 0) log.info("database.migrated", { applied });
      // Two addresses say that the service is meant to have fewer rights than the owner.
      if (urls.directUrl !== undefined && !isRestricted)
        log.warn("database.role_not_restricted", { role: serviceRole });
      return;
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      const isAway =
        code !== undefined &&
        /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|57P03|25006|08|53)/.test(
          code,
        );
      if (!isAway || Date.now() > deadline) throw error;
      await new Promise((again) => setTimeout(again, 500));
    }
  }
}

/** Two cells of one database would each take the other's rows for their own. Unserved cells are not asked. */
async function refuseSharedDatabases(ctx: Ctx): Promise<void> {
  const { directDatabaseUrls } = ctx.config;
  const cells = new Set([HOME_REGION, ...ctx.regions.names()]);
  if (cells.size < 2) return;
  const addresses = [...cells].flatMap((cell) => [
    { cell, setting: settingOf("DATABASE_URL", cell), url: ctx.regions.url(cell) },
    ...(directDatabaseUrls[cell] === undefined
      ? []
      : [
          {
            cell,
            setting: settingOf("DIRECT_DATABASE_URL", cell),
            url: directDatabaseUrls[cell],
          },
        ]),
  ]);
  const shared = await findSharedDatabases(addresses);
  if (shared.length > 0)
    throw new ConfigError(
      shared.map(([one, other]) => ({
        name: other.setting,
        problem: `leads to the same database as ${one.setting}; each cell needs one of its own`,
      })),
    );
}

/** The deployed store is a tenant from the start; every region is brought to the current schema. */
async function prepareTenants(ctx: Ctx): Promise<void> {
  if (ctx.config.STOREFRONT_STORE_DOMAIN)
    await registerTenant(ctx, ctx.config.STOREFRONT_STORE_DOMAIN);
  for (const region of ctx.regions.names().filter((name) => name !== "default")) {
    try {
      await ctx.regions.migrate(region);
    } catch (error) {
      // A region that is away is its own tenants' trouble: the others are served.
      ctx.log.warn("database.region_away", { region, reason: (error as Error).message });
    }
  }
}

/** Imported on demand: a deployed service never loads the sandbox. */
async function openSandbox(
  config: Config,
  options: { baseUrl: string; dataDir: string },
): Promise<SandboxSystems> {
  const { startSandboxSystems } = await import("./sandbox-systems.ts");
  return startSandboxSystems(config, options).catch((error: ListenError) => {
    throw error.syscall === "listen" ? explainListening(error, "SANDBOX_PORT") : error;
  });
}

/** One readable line per thing for the person who tries the service out; JSON for machines. */
function openLog({ LOG_LEVEL, isSandbox, isDevelopment }: Config): Log {
  if (!isSandbox && !isDevelopment) return createLog(LOG_LEVEL);
  const terminal = createTerminalLog({
    write: (text) => process.stdout.write(text),
    hasColours: process.stdout.isTTY && !process.env.NO_COLOR,
    isDetailed: LOG_LEVEL === "debug",
  });
  return createLog(LOG_LEVEL, terminal);
}

async function main(): Promise<void> {
  const dataDir = resolve(root, process.env.DATA_DIR?.trim() || ".data");
  const config = shapeConfig(process.env, (mode) => localSettings(dataDir, mode));
  const log = openLog(config);
  const { server, port, answering } = await openPort(config);
  const baseUrl = config.BASE_URL ?? `http://127.0.0.1:${port}`;
  /** In this order, once no work needs them any more. */
  const stops: Stop[] = [];
  const tracing = await startTracing(config);
  if (tracing) stops.unshift(() => tracing.stop());

  const { url, embedded } = await prepareDatabase(config, dataDir, log);
  if (embedded) stops.unshift(() => embedded.stop());
  const sandbox = config.isSandbox ? await openSandbox(config, { baseUrl, dataDir }) : null;
  if (sandbox) stops.unshift(() => sandbox.stop());
  const clock = createDatabaseClock({ log });
  const ctx = createCtx({
    config: withOwner(sandbox?.config ?? config, embedded?.url),
    databaseUrl: url,
    baseUrl,
    channels,
    renderThemeFooters,
    clock,
    log,
  });
  stops.unshift(
    () => Promise.race([flushAgentCalls(ctx), delay(LAST_WRITE_MS)]),
    () => ctx.close(),
  );
  const following = await clock.follow(ctx.home);
  stops.unshift(async () => following.stop());
  await refuseSharedDatabases(ctx);
  await prepareTenants(ctx);

  let listener: RequestListener;
  if (config.roles.has("web")) {
    const screens = await createScreens({
      ctx,
      root,
      server,
      ...(sandbox && { admin: sandbox.admin }),
    });
    stops.unshift(() => screens.close());
    listener = createListener({ ctx, routes: await loadRoutes(), screens });
  } else {
    const routes = await loadRoutesAt(OPERATOR_PATHS);
    listener = createListener({ ctx, routes, screens: { handle: notHere } });
  }
  // After the modules were loaded: while that keeps a slow machine busy, its first connections to the
  // database would time out.
  const background: Background = await startBackground(ctx);
  const work: Stop[] = [() => background.stop()];
  server.off("request", notYet).on("request", listener);
  stopOnSignal(ctx, { server, answering, work, stops });
  if (sandbox && config.roles.has("web")) await sandbox.prepareDemo(ctx);
  process.stdout.write(`listening on http://127.0.0.1:${port}\n`);
  if (sandbox) process.stdout.write(sandbox.welcome(ctx));
  if (sandbox && config.roles.has("web")) {
    const demo = sandbox.startDemo(ctx);
    work.push(() => demo.stop());
  }
}

type Stop = () => Promise<unknown>;

function stopOnSignal(
  ctx: Ctx,
  {
    server,
    answering,
    work,
    stops,
  }: {
    server: ReturnType<typeof createServer>;
    answering: SlotPool<ServerResponse>;
    /** Ended beside the requests: one that takes long keeps nobody taking new work. */
    work: readonly Stop[];
    stops: readonly Stop[];
  },
): void {
  const { config, log } = ctx;
  const attempt = (step: Stop) =>
    step().catch((error: unknown) => log.error("process.stop_failed", error));
  const isBalanced = config.roles.has("web") && !config.isSandbox && !config.isDevelopment;
  let endGrace: (() => void) | null = null;
  const stop = async (signal: string) => {
    // A second signal is somebody who does not want to wait.
    if (endGrace) return endGrace();
    const grace = new Promise<void>((done) => (endGrace = done));
    ctx.startDraining();
    log.info("process.stopping", { signal });
    if (signal === "SIGTERM" && isBalanced) {
      const timer = setTimeout(() => endGrace?.(), config.STOP_GRACE_SECONDS * 1_000);
      await grace;
      clearTimeout(timer);
    }
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    // Idle keep-alive connections would keep the server open; busy ones close after their response.
    for (const response of answering.all())
      if (!response.headersSent) response.setHeader("Connection", "close");
    server.prependListener("request", (_request, response) =>
      response.setHeader("Connection", "close"),
    );
    const closed = new Promise<void>((done) => server.close(() => done()));
    const closeIdle = setInterval(() => server.closeIdleConnections(), 100);
    ctx.beginStop();
    const finished = Promise.all([closed, ...work.map(attempt)]).then(() => true);
    const isFinished = await Promise.race([finished, delay(FINISH_WITHIN_MS, false)]);
    clearInterval(closeIdle);
    if (!isFinished) {
      log.warn("process.stop_cut", { requests: answering.all().length });
      server.closeAllConnections();
    }
    for (const step of stops) await attempt(step);
    process.exit(0);
  };
  // Development tools register handlers of their own that end the process before it has drained.
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.removeAllListeners(signal).on(signal, () => void stop(signal));
}

process.on("unhandledRejection", (error) => {
  process.stderr.write(`${(error as Error)?.stack ?? String(error)}\n`);
  process.exit(1);
});
await main().catch(refuseToStart);
