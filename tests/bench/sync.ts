// The sync's rate compared with its external limit, the points that a store grants per second.
// Ratios of one run.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { Ctx } from "../../app/context.server.ts";
import { syncCms } from "../../app/domain/channels/cms/sync.ts";
import { syncCustomers } from "../../app/domain/customers/sync/catch-up.ts";
import { runScheduledNow } from "../../app/domain/scheduled-run/scheduled-run.ts";
import { storeGrant } from "../../app/domain/tenants/storefront/access-token.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { registerTenant } from "../../app/domain/tenants/tenant-record.ts";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import type { Sandbox } from "../../app/sandbox/server.ts";
import { openBenchContext } from "./load/bench-context.ts";

export type SyncMeasures = Record<string, number>;

const POINTS_PER_SECOND = 100;
/** The cost of a page of 250 customers in the sandbox: log2(250) * (1 + 5 objects). */
const PAGE_POINTS = 48;
const PAGE = 250;

type TestApp = { ctx: Ctx; sandbox: Sandbox; db: pg.Pool };

export async function run(databaseUrl?: string): Promise<SyncMeasures> {
  const folder = databaseUrl ? null : await mkdtemp("/var/tmp/customer-identity-sync-bench-");
  if (folder) await chmod(folder, 0o711);
  const embedded = folder
    ? await startEmbeddedPostgres({ dataDir: join(folder, "pg"), database: "bench" })
    : null;
  const url = databaseUrl ?? embedded?.url ?? "";
  const { ctx, sandbox, close } = await openBenchContext(url);
  const db = new pg.Pool({ connectionString: url, max: 2 });
  try {
    const app = { ctx, sandbox, db };
    return { ...(await measureCatchUp(app)), ...(await measureSchedule(app)) };
  } finally {
    await db.end();
    await close();
    await embedded?.stop();
    if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function install(
  { ctx, sandbox, db }: TestApp,
  shop: string,
  fields: object = {},
): Promise<void> {
  await registerTenant(ctx, shop);
  const grant = sandbox.storefront.install(shop);
  await storeGrant(ctx, shop, {
    accessToken: grant.access_token,
    refreshToken: grant.refresh_token ?? null,
    expiresIn: grant.expires_in ?? null,
    scopes: [],
  });
  await db.query(
    "UPDATE kv SET value = value || $2::jsonb, version = version + 1 WHERE shop = $1 AND key = 'tenant:' || $1",
    [shop, JSON.stringify(fields)],
  );
  await db.query("INSERT INTO kv (shop, key, value) VALUES ($1, 'sync:customers', $2)", [
    shop,
    JSON.stringify({ watermark: new Date(Date.now() - 900_000).toISOString() }),
  ]);
}

function change({ sandbox }: TestApp, shop: string, count: number, tag: string): void {
  const gids = sandbox.storefront.customers(shop).map(({ gid }) => gid);
  const updatedAt = new Date(Date.now() - 120_000).toISOString();
  for (let index = 0; index < count; index += 1)
    sandbox.storefront.putCustomer(shop, {
      ...(gids[index] && { gid: gids[index] }),
      email: `c${index}@example.com`,
      firstName: `C${index}`,
      tags: [tag],
      createdAt: "2026-01-01T00:00:00Z",
      updatedAt,
    });
}

/** `grownMb`: the peak, with uncollected garbage; `keptMb`: what is retained afterwards. */
async function timed<T>(
  work: () => Promise<T>,
): Promise<{ result: T; seconds: number; grownMb: number; keptMb: number }> {
  globalThis.gc?.();
  const { rss: before, heapUsed } = process.memoryUsage();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
  const started = performance.now();
  const result = await work();
  const seconds = (performance.now() - started) / 1_000;
  clearInterval(watch);
  globalThis.gc?.();
  return {
    result,
    seconds,
    grownMb: (peak - before) / 1_048_576,
    keptMb: (process.memoryUsage().heapUsed - heapUsed) / 1_048_576,
  };
}

async function measureCatchUp(app: TestApp): Promise<SyncMeasures> {
  const { ctx, sandbox, db } = app;
  const measures: SyncMeasures = {};
  const sync = async (shop: string) =>
    timed(async () => syncCustomers(ctx, await getTenant(ctx, shop)));
  const cms = {
    cms_api_token: "cms-token-0123456789",
    cms_customers_collection_id: sandbox.cms.customersCollectionId,
  };

  const small = "bench-1k.myshopify.com";
  const large = "bench-10k.myshopify.com";
  for (const [shop, count] of [
    [small, 1_000],
    [large, 10_000],
  ] as const) {
    await install(app, shop, cms);
    change(app, shop, count, "first");
    Object.assign(sandbox.storefront.settings.graphqlCost, {
      maximumAvailable: 1_000_000,
      restoreRate: 1_000_000,
      maximumQueryCost: 1_000,
    });
    sandbox.storefront.setAvailableCost(shop, 1_000_000);
    const { seconds, grownMb, keptMb, result } = await sync(shop);
    if (!("counts" in result) || result.counts.created !== count)
      throw new Error(JSON.stringify(result));
    measures[`catch-up ${count}: customers per second, no limit`] = count / seconds;
    measures[`catch-up ${count}: RSS grown MB`] = grownMb;
    measures[`catch-up ${count}: heap kept afterwards MB`] = keptMb;
  }

  change(app, large, 10_000, "second");
  Object.assign(sandbox.storefront.settings.graphqlCost, {
    maximumAvailable: 100,
    restoreRate: POINTS_PER_SECOND,
  });
  sandbox.storefront.setAvailableCost(large, 100);
  await db.query(
    `UPDATE kv SET value = jsonb_build_object('watermark', (now() - interval '15 minutes')::text)
      WHERE shop = $1 AND key = 'sync:customers'`,
    [large],
  );
  const limited = await sync(large);
  if (!("counts" in limited.result) || limited.result.counts.updated !== 10_000)
    throw new Error(JSON.stringify(limited.result));
  const ideal = ((10_000 / PAGE) * PAGE_POINTS - 100) / POINTS_PER_SECOND;
  measures["catch-up 10000 at 100 points/s: share of the store's own limit"] =
    ideal / limited.seconds;
  measures["catch-up 10000 at 100 points/s: customers per second"] = 10_000 / limited.seconds;

  // The sandbox searches all items for a taken slug: a thousand is enough to see the calls.
  const cmsCalls = () => sandbox.requests("cms").length;
  await syncCms(ctx, await getTenant(ctx, small));
  measures["CMS: calls for 1,000 new customers"] = cmsCalls();
  const again = await timed(async () => syncCms(ctx, await getTenant(ctx, small)));
  measures["CMS: calls for 1,000 unchanged customers"] =
    cmsCalls() - (measures["CMS: calls for 1,000 new customers"] ?? 0);
  measures["CMS: unchanged customers looked at per second"] = 1_000 / again.seconds;
  const writes = () =>
    sandbox.requests("storefront").filter(({ body }) => JSON.stringify(body).includes("mutation"))
      .length;
  const before = writes();
  await sync(small);
  measures["unchanged second run: storefront writes"] = writes() - before;
  return measures;
}

async function measureSchedule(app: TestApp): Promise<SyncMeasures> {
  const { ctx, sandbox } = app;
  Object.assign(sandbox.storefront.settings.graphqlCost, {
    maximumAvailable: 2_000,
    restoreRate: 100,
  });
  const measures: SyncMeasures = {};
  await app.db.query("DELETE FROM kv WHERE shop <> '*'");
  let known = 0;
  for (const count of [100, 1_000]) {
    for (; known < count; known += 1)
      await install(app, `tenant-${String(known).padStart(4, "0")}.myshopify.com`);
    const { result, seconds, grownMb } = await timed(() => runScheduledNow(ctx));
    if (result.errors_total > 0 || result.tenants !== count)
      throw new Error(JSON.stringify(result));
    measures[`scheduled run: ms per tenant at ${count}`] = (seconds * 1_000) / count;
    measures[`scheduled run: RSS grown MB at ${count}`] = grownMb;
  }
  return measures;
}

if (import.meta.main) {
  const measures = await run();
  for (const [name, value] of Object.entries(measures))
    process.stdout.write(`${name.padEnd(70)} ${value.toFixed(2)}\n`);
}
