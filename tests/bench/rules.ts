// The tag rules over a store of a million customers (`npm run bench:rules`; CUSTOMERS sets another size):
// the worker's own runs, beside a bare loop that writes the same rows without any rule. Ratios of one run;
// memory is what the heap keeps after a collection, at each tenth of a run.
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { Ctx } from "../../app/context.server.ts";
import { startBulkRunWorker } from "../../app/domain/customers/bulk/run-worker.ts";
import { startRuleRun } from "../../app/domain/customers/bulk/start-run.ts";
import { CUSTOMER_ACTIONS } from "../../app/domain/merchant/customer-actions.ts";
import { initTagStep } from "../../app/domain/tags/init-tag-system.ts";
import { saveTenantConfig } from "../../app/domain/tenants/settings/configuration.ts";
import { DEFAULT_TAG_RULES } from "../../app/domain/tenants/settings/tag-rules.ts";
import { dataOf, getTenant } from "../../app/domain/tenants/tenant.ts";
import { registerTenant } from "../../app/domain/tenants/tenant-record.ts";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { openBenchContext } from "./load/bench-context.ts";

const PEOPLE = Number(process.env.CUSTOMERS ?? 1_000_000);
const SHOP = "large.myshopify.com";
/** The bare loop's store, in the same tables. */
const BARE_SHOP = "bare.myshopify.com";
const BARE_PEOPLE = Math.ceil(PEOPLE / 5);
/** Customers of one transaction, as in the worker. */
const SLICE = 500;
/** More than this would grow with the store. */
const FLAT_MB = 16;
const MIB = 1_048_576;

type Run = { seconds: number; changed: number; heapGrownMb: number };

async function bench(url: string): Promise<boolean> {
  const { ctx, sandbox, close } = await openBenchContext(url);
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    const [index] = (
      await db.query<{ definition: string }>(
        "SELECT pg_get_indexdef('storefront_users_search_idx'::regclass) AS definition",
      )
    ).rows;
    // Filled at once: an index made afterwards takes a tenth of the time.
    await db.query("DROP INDEX storefront_users_search_idx");
    for (const [shop, count] of [
      [SHOP, PEOPLE],
      [BARE_SHOP, BARE_PEOPLE],
    ] as const) {
      await registerTenant(ctx, shop);
      await initTagStep(ctx, await getTenant(ctx, shop), "backend");
      await fill(db, shop, count);
    }
    await db.query(index?.definition ?? "");
    await db.query("VACUUM ANALYZE");

    const first = await runRules(ctx, db);
    const again = await runRules(ctx, db);
    await saveTenantConfig(
      ctx,
      SHOP,
      {
        cms_api_token: "cms-token-0123456789",
        cms_customers_collection_id: sandbox.cms.customersCollectionId,
        tag_rules: { ...DEFAULT_TAG_RULES, vip_orders: 5 },
      },
      { by: "store" },
    );
    const threshold = await runRules(ctx, db);
    const events = await countEvents(db);
    const tagsEach = await tagsPerCustomer(db);
    const bare = await writeBare(db, Math.round(tagsEach));

    const rate = (run: { seconds: number }, people = PEOPLE) => people / run.seconds;
    const heapGrownMb = Math.max(first.heapGrownMb, again.heapGrownMb, threshold.heapGrownMb);
    print("customers", PEOPLE);
    print("first run: tags set on each customer", tagsEach);
    print("first run: minutes", first.seconds / 60);
    print(
      "first run: customers per second, as a share of the bare loop's",
      rate(first) / rate(bare, BARE_PEOPLE),
    );
    print("run that changes nothing: customers changed", again.changed);
    print("run that changes nothing: minutes", again.seconds / 60);
    print(
      "run that changes nothing: customers per second, of the first run's",
      rate(again) / rate(first),
    );
    print("new threshold: customers changed", threshold.changed);
    print("new threshold: events enqueued", events);
    print("new threshold: minutes", threshold.seconds / 60);
    print(`heap grown from the first tenth to the last, MB (at most ${FLAT_MB})`, heapGrownMb);
    return heapGrownMb <= FLAT_MB && again.changed === 0;
  } finally {
    await db.end();
    await close();
  }
}

const print = (name: string, value: number): void => {
  process.stdout.write(`${name.padEnd(72)} ${Number(value.toFixed(2))}\n`);
};

/** One run of the rules over all customers, from its request to its end. */
async function runRules(ctx: Ctx, db: pg.Client): Promise<Run> {
  const tenant = await getTenant(ctx, SHOP);
  const run = await dataOf(ctx, tenant).transaction((sql) => startRuleRun(ctx, tenant, sql));
  if (!run) throw new Error("no run was started");
  const started = performance.now();
  const worker = await startBulkRunWorker(ctx, ctx.home, CUSTOMER_ACTIONS);
  const heap: number[] = [];
  try {
    for (;;) {
      const { state, processed, changed, last_error } = await stateOf(db, run.id);
      if (state === "failed") throw new Error(`the run failed: ${last_error}`);
      if (processed >= (PEOPLE / 10) * (heap.length + 1)) heap.push(keptHeap());
      if (state !== "done") {
        await new Promise((resolve) => setTimeout(resolve, 100));
        continue;
      }
      const seconds = (performance.now() - started) / 1_000;
      const heapGrownMb = ((heap.at(-1) ?? 0) - (heap[0] ?? 0)) / MIB;
      return { seconds, changed, heapGrownMb };
    }
  } finally {
    await worker.stop();
  }
}

type RunState = { state: string; processed: number; changed: number; last_error: string | null };

async function stateOf(db: pg.Client, id: string): Promise<RunState> {
  const { rows } = await db.query<RunState>(
    "SELECT state, processed, changed, last_error FROM tag_runs WHERE id = $1",
    [id],
  );
  const [row] = rows;
  if (!row) throw new Error("the run is gone");
  return row;
}

function keptHeap(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

async function countEvents(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM integration_queue WHERE shop = $1",
    [SHOP],
  );
  return rows[0]?.count ?? 0;
}

async function tagsPerCustomer(db: pg.Client): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM user_tag_map WHERE shop = $1",
    [SHOP],
  );
  return (rows[0]?.count ?? 0) / PEOPLE;
}

/** The same rows in the same tables, in transactions of the same size, without reading a fact. */
async function writeBare(db: pg.Client, tags: number): Promise<{ seconds: number }> {
  const { rows } = await db.query<{ id: number }>(
    "SELECT id FROM storefront_users WHERE shop = $1 ORDER BY id",
    [BARE_SHOP],
  );
  const ids = rows.map(({ id }) => id);
  const started = performance.now();
  for (let from = 0; from < ids.length; from += SLICE) {
    const slice = ids.slice(from, from + SLICE);
    await db.query("BEGIN");
    await db.query(
      `INSERT INTO user_tag_map (shop, user_id, tag_id, source)
       SELECT $1, u.id, t.id, 'system' FROM unnest($2::int[]) AS u(id),
         (SELECT id FROM crm_tags WHERE shop = $1 ORDER BY id LIMIT $3) AS t`,
      [BARE_SHOP, slice, tags],
    );
    await db.query(
      `UPDATE storefront_users SET tags = '["active"]', tags_due_at = now() + interval '1 year',
         updated_at = now() WHERE shop = $1 AND id = ANY($2::int[])`,
      [BARE_SHOP, slice],
    );
    await db.query("COMMIT");
  }
  return { seconds: (performance.now() - started) / 1_000 };
}

/** Two years of customers: half of them have ordered, one in ten is subscribed, one in three consented. */
async function fill(db: pg.Client, shop: string, count: number): Promise<void> {
  await db.query(
    `INSERT INTO storefront_users (shop, email, full_name, first_name, last_name, country, language_pref,
       email_subscription_status, number_of_orders, amount_spent, last_login_at, created_at,
       storefront_customer_gid)
     SELECT $1, 'person' || n || '@example.com', 'Person ' || n, 'Person', n::text, 'DE', 'de',
       CASE WHEN n % 10 = 0 THEN 'subscribed' ELSE 'not_subscribed' END,
       CASE WHEN n % 2 = 0 THEN 0 ELSE n % 20 END, CASE WHEN n % 2 = 0 THEN 0 ELSE n % 3000 END,
       now() - make_interval(days => n % 700), now() - make_interval(days => n % 730),
       'gid://shopify/Customer/' || 5000000000000 + n
     FROM generate_series(1, $2::int) AS n`,
    [shop, count],
  );
  await db.query(
    `INSERT INTO user_claims (shop, user_id, consent_tos, consent_privacy, consent_cookie)
     SELECT shop, id, true, true, id % 3 = 0 FROM storefront_users WHERE shop = $1`,
    [shop],
  );
}

const folder = await mkdtemp("/var/tmp/customer-identity-rules-bench-");
await chmod(folder, 0o711);
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "pg"), database: "bench" });
let isFlat = false;
try {
  isFlat = await bench(postgres.url);
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
process.exit(isFlat ? 0 : 1);
