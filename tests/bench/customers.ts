// The cost of a merchant's customer list in a store with a million customers; each page is compared
// with the plainest page of the same run: `node tests/bench/customers.ts [people]`.
import { channels } from "../../app/domain/channels/index.ts";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { createCtx } from "../../app/context.server.ts";
import { readFilter } from "../../app/domain/customers/list/customer-filter.ts";
import { readFilterChoices } from "../../app/domain/customers/list/filter-choices.ts";
import { listCustomers, type Sort } from "../../app/domain/customers/list/list-customers.ts";
import { previewTagRun, TagRunInput } from "../../app/domain/customers/list/tag-runs.ts";
import { readStoreHealth, readStoreOverview } from "../../app/domain/merchant/store-overview.ts";
import { readTagUsage } from "../../app/domain/tags/tag-usage.ts";
import { registerTenant } from "../../app/domain/tenants/tenant-record.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { shapeConfig } from "../../app/runtime/config.ts";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { createLog } from "../../app/runtime/log.ts";
import { applyMigrations } from "../../app/runtime/database/migrations.ts";
import { startSandbox } from "../../app/sandbox/server.ts";
import { testEnvironment, APP_SECRET, CLIENT_ID } from "../support/service.ts";

const PEOPLE = Number(process.argv[2] ?? 1_000_000);
const SHOP = "large.myshopify.com";
const TRIES = 5;

const folder = await mkdtemp("/var/tmp/customer-identity-list-bench-");
await chmod(folder, 0o711);
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "pg"), database: "bench" });
const sandbox = await startSandbox({
  app: { url: "http://127.0.0.1:1", clientId: CLIENT_ID, clientSecret: APP_SECRET },
});
const ctx = createCtx({
  channels,
  config: shapeConfig(
    { ...testEnvironment(sandbox, postgres.url), BASE_URL: "http://127.0.0.1:1" },
    () => ({}),
  ),
  databaseUrl: postgres.url,
  baseUrl: "http://127.0.0.1:1",
  log: createLog("silent"),
});
const db = new pg.Pool({ connectionString: postgres.url, max: 1 });
try {
  await applyMigrations(postgres.url);
  await registerTenant(ctx, SHOP);
  await fill();
  const tenant = await getTenant(ctx, SHOP);
  const page = (query: string, sort: Sort = "updated desc", after: string | null = null) =>
    listCustomers(ctx, tenant, {
      filter: readFilter(new URLSearchParams(query)),
      sort,
      limit: 50,
      after,
    });
  const deep = Buffer.from(JSON.stringify(["name 7", 1])).toString("base64url");
  const cases: [name: string, work: () => Promise<unknown>][] = [
    ["first page", () => page("")],
    ["by name, deep", () => page("", "name asc", deep)],
    ["newest sign-ins", () => page("", "signed_in desc")],
    ["search by a rare beginning", () => page("q=person77777%40")],
    ["search by a common beginning", () => page("q=p")],
    ["search by a last name, by name", () => page("q=last77", "name asc")],
    ["search that finds nobody", () => page("q=zzzz")],
    ["a tag of half of the people", () => page("tag=common")],
    ["a tag of ten people", () => page("tag=rare", "name asc")],
    ["marketing consent", () => page("consent=marketing")],
    ["no marketing consent", () => page("consent=-marketing", "name desc")],
    ["agents allowed (one in 50,000)", () => page("consent=a2a", "signed_in desc")],
    ["suspended (one in 100,000)", () => page("status=suspended")],
    ["federated (one in 10,000)", () => page("provider=federated", "name asc")],
    ["a rare country", () => page("country=IS")],
    ["signed in within 7 days, by name", () => page("signed_in=7", "name asc")],
    ["rare tag and common country", () => page("tag=rare&country=DE")],
    [
      "common tag, country, consent, by name",
      () => page("tag=common&country=FR&consent=marketing", "name asc"),
    ],
    ["no terms accepted (nobody)", () => page("consent=-tos")],
    ["choices of the filters", () => readFilterChoices(ctx, tenant)],
    [
      "preview of a tag for everybody",
      () =>
        previewTagRun(
          ctx,
          tenant,
          TagRunInput.parse({ selection: { filter: {} }, add: ["common"] }),
        ),
    ],
    ["the home's last day (86,400 changed) and happenings", () => readStoreOverview(ctx, SHOP)],
    ["the home's health", () => readStoreHealth(ctx, SHOP)],
    ["tags with their holders (500,000)", () => readTagUsage(ctx, tenant, {})],
  ];
  const measured: [string, number][] = [];
  for (const [name, work] of cases) measured.push([name, await median(work)]);
  const plain = measured[0]?.[1] as number;
  for (const [name, ms] of measured)
    process.stdout.write(
      `${name.padEnd(54)} ${(ms / plain).toFixed(2).padStart(8)} x the first page (${ms.toFixed(1)} ms)\n`,
    );
} finally {
  await db.end();
  await ctx.close();
  await sandbox.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}

async function median(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const started = performance.now();
    await work();
    times.push(performance.now() - started);
  }
  return times.sort((a, b) => a - b)[Math.floor(TRIES / 2)] as number;
}

async function fill(): Promise<void> {
  await db.query(
    `INSERT INTO storefront_users (shop, email, full_name, last_name, provider, status, country,
      last_login_at, updated_at, storefront_customer_gid)
     SELECT $1, 'person' || n || '@example.com', 'name ' || n % 100000 || ' last' || n, 'last' || n,
       CASE WHEN n % 10000 = 0 THEN 'federated' ELSE 'storefront' END, CASE WHEN n % 100000 = 1
       THEN 'suspended' ELSE 'active' END,
       CASE WHEN n % 20000 = 3 THEN 'IS' WHEN n % 3 = 0 THEN 'FR' ELSE 'DE' END, CASE WHEN n % 4 = 0
         THEN now() - make_interval(mins => n) END, now() - make_interval(secs => n), 'gid://shopify/Customer/' || n
     FROM generate_series(1, $2::int) AS n`,
    [SHOP, PEOPLE],
  );
  await db.query(
    `INSERT INTO user_claims (shop, user_id, consent_tos, consent_marketing, consent_a2a)
      SELECT shop, id, true, id % 3 = 0, id % 50000 = 7 FROM storefront_users`,
    [],
  );
  await db.query(
    `INSERT INTO crm_tags (shop, name, slug, category)
      VALUES ($1, 'Common', 'common', 'segment'), ($1, 'Rare', 'rare', 'tier')`,
    [SHOP],
  );
  await db.query(
    `INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT u.shop, u.id, t.id, 'system'
      FROM storefront_users u JOIN crm_tags t ON t.shop = u.shop AND (t.slug = 'common'
      AND u.id % 2 = 0 OR t.slug = 'rare' AND u.id % ($1::int / 10) = 5)`,
    [PEOPLE],
  );
  await db.query("ANALYZE");
}
