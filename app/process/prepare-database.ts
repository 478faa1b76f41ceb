// The databases, before anything reads from them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ctx } from "../context.server.ts";
import { systemRandom } from "../runtime/clock.ts";
import { ConfigError, type Config } from "../runtime/config.ts";
import { findSharedDatabases } from "../runtime/database/cells/same-database.ts";
import { isUnreachable } from "../runtime/database/postgres-errors.ts";
import { migrateDatabase } from "../runtime/database/roles.ts";
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from "../runtime/embedded-postgres/embedded-postgres.ts";
import { ensureServiceRole } from "../runtime/embedded-postgres/role.ts";
import type { Log } from "../runtime/log.ts";
import { HOME_REGION, settingOf } from "../runtime/settings.ts";

const DATABASE_WAIT_MS = 15_000;
const DATABASE_RETRY_MS = 500;

/** The database of the configuration, or the embedded one, with the current schema. */
export async function prepareDatabase(
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
  // Written for `npm run db`, because the port differs at every start.
  writeFileSync(join(dataDir, "database.url"), embedded.url, { mode: 0o600 });
  const url = await ensureServiceRole(embedded.url, systemRandom);
  await migrateWhenReachable({ url, directUrl: embedded.url }, log);
  return { url, embedded };
}

/** The embedded database's owner, for moves of stores from and to it. */
export const withOwner = (config: Config, url: string | undefined): Config =>
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
  let isWaiting = false;
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
      if (!mayBeStarting(error) || Date.now() > deadline) throw error;
      if (!isWaiting)
        log.warn("database.waiting", {
          max_seconds: DATABASE_WAIT_MS / 1_000,
          reason: (error as Error).message,
        });
      isWaiting = true;
      await new Promise((again) => setTimeout(again, DATABASE_RETRY_MS));
    }
  }
}

/** Not reachable yet, still starting, a standby before its promotion, or without a free connection. */
function mayBeStarting(error: unknown): boolean {
  const { cause } = error as Error;
  const { code } = (cause ?? {}) as { code?: string };
  return isUnreachable(cause) || (code !== undefined && /^(57P03|25006|08|53)/.test(code));
}

/** Two cells of one database would each take the other's rows for their own. Unserved cells are not asked. */
export async function refuseSharedDatabases(ctx: Ctx): Promise<void> {
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
