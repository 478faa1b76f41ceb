// What this process remembers of tenants. Each look-up reads the versions of the stored records, and
// builds the tenant again only when they changed. While the home database is away, a store of another
// cell is served as it is remembered.
import { setTimeout as pause } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import type { Ctx } from "../../context.server.ts";
import { PLATFORM, type Columns, type Kv } from "../../db.server.ts";
import { isDatabaseAway } from "../../runtime/database/postgres-errors.ts";
import { createGroupCommit, type GroupCommit } from "../../runtime/database/group-commit.ts";
import { KEYS, PLATFORM_KEYS } from "../../runtime/database/kv-keys.ts";
import { createPatience, SILENT, type Patience } from "../../runtime/database/patience.ts";
import { buildApp, buildTenant } from "./build-tenant.ts";
import { PLATFORM_FIELDS, type PlatformConfig } from "./settings/platform-config.ts";
import { openFields, type TenantRecord } from "./tenant-record.ts";
import type { Tenant } from "./tenant.ts";

type StoredRecord = Columns<Kv, "shop" | "version"> & { value: Record<string, unknown> | null };
type Cached = { tenantVersion: number; platformVersion: number; tenant: Tenant };
type TenantCache = {
  entries: LRUCache<string, Cached>;
  reads: GroupCommit<string, StoredRecord[]>;
  /** Cached stores of other cells do not wait for the home database. */
  isHomeAway: boolean;
  /** Bounds how long a cached store waits for the home database. */
  patience: Patience;
  /** The app of a store without a record; set by the last look-up of such a store. */
  defaultApp: Tenant["app"] | null;
};

/** Between two reads of a home database that is away. */
const HOME_RETRY_MS = 1_000;
const CACHE_LIMIT = 5_000;
const caches = new WeakMap<Ctx, TenantCache>();

function cacheOf(ctx: Ctx): TenantCache {
  const known = caches.get(ctx);
  if (known) return known;
  const entries: TenantCache["entries"] = new LRUCache({ max: CACHE_LIMIT });
  const cache: TenantCache = {
    entries,
    reads: createGroupCommit((shops) => readRecords(ctx, entries, shops)),
    isHomeAway: false,
    patience: createPatience(),
    defaultApp: null,
  };
  caches.set(ctx, cache);
  return cache;
}

/** As this process knew it last, for what is shown while the database is away. */
export const findRememberedTenant = (ctx: Ctx, shop: string): Tenant | null =>
  caches.get(ctx)?.entries.get(shop)?.tenant ?? null;

/** The app that an unregistered store will have, after `readTenant` returned null. */
export const findDefaultApp = (ctx: Ctx): Tenant["app"] | null =>
  caches.get(ctx)?.defaultApp ?? null;

// Concurrent readers of a tenant share one look-up of the stored versions; a record is transferred
// only when it differs from the cached one.
const READ_RECORDS = `
  SELECT kv.shop, kv.version, CASE WHEN kv.version = wanted.version THEN NULL ELSE kv.value END AS value
  FROM unnest($1::text[], $2::text[], $3::bigint[]) AS wanted(shop, key, version)
    JOIN kv ON kv.shop = wanted.shop AND kv.key = wanted.key`;

/** For each shop its own record and the platform's, where there is one. */
async function readRecords(
  ctx: Ctx,
  entries: TenantCache["entries"],
  shops: readonly string[],
): Promise<StoredRecord[][]> {
  const wanted = [...new Set(shops)];
  const cached = wanted.map((shop) => entries.get(shop));
  const platformVersion = Math.min(...cached.map((entry) => entry?.platformVersion ?? -1));
  const rows = await ctx.home.acrossTenants<StoredRecord>(
    READ_RECORDS,
    [
      [...wanted, PLATFORM],
      [...wanted.map(KEYS.tenant), PLATFORM_KEYS.config],
      [...cached.map((entry) => entry?.tenantVersion ?? -1), platformVersion],
    ],
    "tenant_records",
  );
  const byShop = new Map(rows.map((row) => [row.shop, row]));
  return shops.map((shop) =>
    [byShop.get(shop), byShop.get(PLATFORM)].filter((row) => row !== undefined),
  );
}

/** Null: no such store. */
export async function readTenant(ctx: Ctx, shop: string): Promise<Tenant | null> {
  const cache = cacheOf(ctx);
  const { entries } = cache;
  for (;;) {
    const rows = await cache.reads.add(shop);
    const record = rows.find((row) => row.shop === shop);
    const platform = rows.find((row) => row.shop === PLATFORM);
    const readPlatform = (): PlatformConfig =>
      openFields(ctx.secrets, PLATFORM, platform?.value ?? {}, Object.keys(PLATFORM_FIELDS));
    if (!record) {
      entries.delete(shop);
      cache.defaultApp = buildApp(ctx, readPlatform());
      return null;
    }
    const platformVersion = platform?.version ?? 0;
    const entry = entries.get(shop);
    if (
      entry &&
      entry.tenantVersion === record.version &&
      entry.platformVersion === platformVersion
    )
      return entry.tenant;
    // The cached record was dropped meanwhile: read the whole record again.
    if (record.value === null || (platform && platform.value === null)) {
      entries.delete(shop);
      continue;
    }
    const tenant = buildTenant(ctx, shop, record.value as TenantRecord, readPlatform(), {
      tenant: record.version,
      platform: platformVersion,
    });
    entries.set(shop, { tenantVersion: record.version, platformVersion, tenant });
    return tenant;
  }
}

/**
 * A store of another cell: as it is remembered while home is away and its cell still holds it,
 * otherwise as it is stored.
 */
export async function readFromOtherCell(ctx: Ctx, cached: Tenant): Promise<Tenant | null> {
  const cache = cacheOf(ctx);
  const { shop } = cached;
  const remembered = () => findRememberedTenant(ctx, shop) ?? cached;
  if (cache.isHomeAway && !(await hasLeft(ctx, cached))) return remembered();
  const reading = readTenant(ctx, shop);
  try {
    const found = await cache.patience.wait(reading);
    if (found !== SILENT) return found;
  } catch (error) {
    if (!isDatabaseAway(error)) throw error;
  }
  void readUntilHomeAnswers(ctx, shop, reading);
  return (await hasLeft(ctx, cached)) ? reading : remembered();
}

/** Home is asked by one read at a time, behind all requests. */
async function readUntilHomeAnswers(
  ctx: Ctx,
  shop: string,
  first: Promise<unknown>,
): Promise<void> {
  const cache = cacheOf(ctx);
  if (cache.isHomeAway) return;
  cache.isHomeAway = true;
  let reading = first;
  while (await failsAsAway(reading)) {
    await pause(HOME_RETRY_MS, undefined, { ref: false });
    reading = readTenant(ctx, shop);
  }
  cache.isHomeAway = false;
}

const failsAsAway = (reading: Promise<unknown>): Promise<boolean> =>
  reading.then(() => false, isDatabaseAway);

/** Whether the store is in another cell by now: it says so before it deletes the first row. */
export async function hasLeft(
  ctx: Ctx,
  { shop, region }: Pick<Tenant, "shop" | "region">,
): Promise<boolean> {
  const { prisma } = ctx.regions.get(region).forTenant(shop);
  return (await prisma.heldStore.count({ where: { role: "gone" } })) > 0;
}
