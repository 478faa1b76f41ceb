// Starts the process: configuration, port, database, HTTP, background work. Each step is below `process/`.
import type { RequestListener, Server } from "node:http";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startBackground } from "./boot.server.ts";
import { createCtx, type Ctx } from "./context.server.ts";
import { flushAgentCalls } from "./domain/agent-activity/record-agent-call.ts";
import { channels } from "./domain/channels/index.ts";
import { refuseOtherSecretsKey } from "./domain/tenants/directory.ts";
import { registerTenant } from "./domain/tenants/tenant-record.ts";
import { renderThemeFooters } from "./embeds/theme-footers.ts";
import { loadRoutes, loadRoutesAt } from "./http/route-table.ts";
import { createScreens } from "./http/screens/screens.ts";
import { createListener } from "./http/serve.ts";
import { openPort, servesNoPages } from "./process/open-port.ts";
import { prepareDatabase, refuseSharedDatabases, withOwner } from "./process/prepare-database.ts";
import {
  explainListening,
  explainUnreachable,
  refuseToStart,
  type ListenError,
} from "./process/start-error.ts";
import { stopOnSignal, type Stop } from "./process/stop-on-signal.ts";
import { createTerminalLog } from "./process/terminal-log.ts";
import { shapeConfig, type Config } from "./runtime/config.ts";
import { createDatabaseClock } from "./runtime/database/connection/database-clock.ts";
import { localSettings } from "./runtime/local-secrets.ts";
import { createLog, type Log } from "./runtime/log.ts";
import { startTracing } from "./runtime/telemetry/tracing.ts";
import type { SandboxSystems } from "./sandbox-systems.ts";

/** How long a stop waits for the counts of agents' calls, when the database is silent. */
const LAST_WRITE_MS = 2_000;
/** The paths that a process without the role `web` serves, for monitoring. */
const OPERATOR_PATHS: ReadonlySet<string> = new Set([
  "/health",
  "/health/live",
  "/health/ready",
  "/metrics",
]);
const root = resolve(import.meta.dirname, "..");

/** The deployed store is a tenant from the start; every region is brought to the current schema. */
async function prepareTenants(ctx: Ctx): Promise<void> {
  if (ctx.config.STOREFRONT_STORE_DOMAIN)
    await registerTenant(ctx, ctx.config.STOREFRONT_STORE_DOMAIN);
  for (const region of ctx.regions.names().filter((name) => name !== "default")) {
    try {
      await ctx.regions.migrate(region);
    } catch (error) {
      // The stores of the other regions are served.
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

/** The screens and the API with the role `web`; else what monitoring asks for. */
async function openListener(
  ctx: Ctx,
  server: Server,
  sandbox: SandboxSystems | null,
): Promise<{ listener: RequestListener; stop?: Stop }> {
  if (!ctx.config.roles.has("web")) {
    const routes = await loadRoutesAt(OPERATOR_PATHS);
    return { listener: createListener({ ctx, routes, screens: { handle: servesNoPages } }) };
  }
  const screens = await createScreens({
    ctx,
    root,
    server,
    ...(sandbox && { admin: sandbox.admin }),
  });
  const listener = createListener({ ctx, routes: await loadRoutes(), screens });
  return { listener, stop: () => screens.close() };
}

async function main(): Promise<void> {
  const dataDir = resolve(root, process.env.DATA_DIR?.trim() || ".data");
  const config = shapeConfig(process.env, (mode) => localSettings(dataDir, mode));
  const log = openLog(config);
  const http = await openPort(config);
  const baseUrl = config.BASE_URL ?? `http://127.0.0.1:${http.port}`;
  /** Stopped in this order, once no work needs them. */
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
  await refuseOtherSecretsKey(ctx);
  await prepareTenants(ctx);

  const { listener, stop: stopListener } = await openListener(ctx, http.server, sandbox);
  if (stopListener) stops.unshift(stopListener);
  // After the modules were loaded: while that keeps a slow machine busy, its first connections to the
  // database would time out.
  const background = await startBackground(ctx);
  const work: Stop[] = [() => background.stop()];
  http.serve(listener);
  stopOnSignal(ctx, { http, work, stops });
  if (sandbox && config.roles.has("web"))
    await sandbox.prepareDemo(ctx).catch((error: Error) => {
      throw explainUnreachable(error, baseUrl);
    });
  process.stdout.write(`listening on http://127.0.0.1:${http.port}\n`);
  if (sandbox) process.stdout.write(sandbox.welcome(ctx));
  if (sandbox && config.roles.has("web")) {
    const demo = sandbox.startDemo(ctx);
    work.push(() => demo.stop());
  }
}

process.on("unhandledRejection", (error) => {
  process.stderr.write(`${(error as Error)?.stack ?? String(error)}\n`);
  process.exit(1);
});
await main().catch(refuseToStart);
