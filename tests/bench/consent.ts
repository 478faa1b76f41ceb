// The consent log: durable, chained appends compared with a plain INSERT of the same row and with
// @c15t/backend; and verification of the chain. Ratios within one run only; fsync is on.
import { channels } from "../../app/domain/channels/index.ts";
import { renderThemeFooters } from "../../app/embeds/theme-footers.ts";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { createCtx, type Ctx } from "../../app/context.server.ts";
import { toSubmission } from "../../app/domain/consent/consent-input.ts";
import { recordConsent } from "../../app/domain/consent/record-consent.ts";
import { verifyConsentChain } from "../../app/domain/consent/verify-chain.ts";
import { writeConsents, type Subject } from "../../app/domain/consent/write/write-consents.ts";
import { dataOf, getTenant, type Tenant } from "../../app/domain/tenants/tenant.ts";
import { shapeConfig } from "../../app/runtime/config.ts";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { putKey } from "../../app/runtime/database/kv.ts";
import { KEYS } from "../../app/runtime/database/kv-keys.ts";
import { createLog } from "../../app/runtime/log.ts";
import { applyMigrations } from "../../app/runtime/database/migrations/apply-migrations.ts";
import { loadC15t } from "./c15t.ts";

export type Measure = {
  name: string;
  value: number;
  bound: string;
  floor: (value: number) => boolean;
};

const SHOP = "bench-store.myshopify.com";
const CONCURRENCY = 16;
const POOL = 10;
const ROUNDS = 6;
const APPENDS_PER_ROUND = 1_500;
const PEER_ROUNDS = 5;
const PEER_APPENDS_PER_ROUND = 300;
const CHAIN_ROWS = 100_000;
const PEOPLE = 200;

type Append = (n: number) => Promise<unknown>;

/** Appends per second with `CONCURRENCY` in parallel. */
async function measure(append: Append, from: number, count: number): Promise<number> {
  let next = from;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (next < from + count) await append(next++);
    }),
  );
  return (count * 1_000) / (performance.now() - started);
}

const median = (values: number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/**
 * The median of the ratios of interleaved rounds; the first round is a warm-up and does not count.
 */
async function compare(
  ours: Append,
  theirs: Append,
  rounds: number,
  perRound: number,
): Promise<{ ratio: number; ours: number; theirs: number }> {
  const rates: [number, number][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const from = round * perRound;
    const isOursFirst = round % 2 === 0;
    const first = await measure(isOursFirst ? ours : theirs, from, perRound);
    const second = await measure(isOursFirst ? theirs : ours, from, perRound);
    if (round > 0) rates.push(isOursFirst ? [first, second] : [second, first]);
  }
  return {
    ratio: median(rates.map(([a, b]) => a / b)),
    ours: median(rates.map(([a]) => a)),
    theirs: median(rates.map(([, b]) => b)),
  };
}

async function databaseUrl(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return serverUrl.replace(/\/[^/]+$/, `/${name}`);
}

async function startOurs(
  url: string,
  archiveFolder: string,
): Promise<{ ctx: Ctx; tenant: Tenant }> {
  await applyMigrations(url);
  const secret = "bench-secret-0123456789";
  const settings = {
    SANDBOX: "off",
    DATABASE_URL: url,
    BASE_URL: "https://service.example",
    PLATFORM_CLIENT_ID: secret,
    PLATFORM_APP_SECRET: secret,
    JWT_SECRET: secret,
    ADMIN_KEY: secret,
    WORKER_WEBHOOK_SECRET: secret,
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    DATABASE_POOL: String(POOL),
    ARCHIVE_URL: `file:${archiveFolder}`,
  };
  const ctx = createCtx({
    channels,
    renderThemeFooters,
    config: shapeConfig(settings, () => ({})),
    databaseUrl: url,
    baseUrl: settings.BASE_URL,
    log: createLog("error"),
  });
  await putKey(ctx.home.forTenant(SHOP).sql, KEYS.tenant(SHOP), {
    registered_at: new Date().toISOString(),
  });
  const tenant = await getTenant(ctx, SHOP);
  await dataOf(ctx, tenant).sql(
    `INSERT INTO storefront_users (shop, email, provider)
      SELECT $1, 'person-' || n || '@example.com', 'email' FROM generate_series(1, $2::int) AS n`,
    [PEOPLE],
  );
  await dataOf(ctx, tenant).sql(
    "INSERT INTO user_claims (shop, user_id) SELECT $1, n FROM generate_series(1, $2::int) AS n",
    [PEOPLE],
  );
  return { ctx, tenant };
}

function appendOurs(
  ctx: Ctx,
  tenant: Tenant,
  subjectOf: (n: number) => Subject,
  valueOf: (n: number) => boolean,
): Append {
  return async (n) => {
    const submission = toSubmission(
      {
        method: "banner",
        consent_marketing: valueOf(n),
        source_page: "https://shop.example/products/tea",
      },
      {
        consentId: ctx.random.uuid(),
        userAgent: "Mozilla/5.0 (X11; Linux x86_64) Bench/1.0",
        gpc: false,
        consentVersion: "v1",
        policyHash: null,
      },
    );
    const { recorded } = await writeConsents(ctx, tenant, {
      subject: subjectOf(n),
      submission,
    });
    if (recorded.length !== 1) throw new Error(`append ${n} recorded ${recorded.length} rows`);
  };
}

// The same row into the same table as one autocommitted statement: no chain, no order, no duplicate
// check.
const PLAIN = `INSERT INTO plain_records (shop, visitor_id, consent_type, action, method,
  consent_version, consent_id, user_agent, source_page, gpc, seq, prev_hash, hash, created_at)
  VALUES ($1, $2, 'marketing', 'granted', 'banner', 'v1', $3, $4, $5, false, $6, $7, $7, now())`;

function appendPlain(pool: pg.Pool): Append {
  const hash = "0".repeat(64);
  return (n) =>
    pool.query(PLAIN, [
      SHOP,
      `visitor-${n}`,
      crypto.randomUUID(),
      "Mozilla/5.0 (X11; Linux x86_64) Bench/1.0",
      "https://shop.example/products/tea",
      n,
      hash,
    ]);
}

async function measureChain(ctx: Ctx, tenant: Tenant): Promise<number> {
  const { sql, transaction } = dataOf(ctx, tenant);
  const [head] = await sql<{ seq: number }>("SELECT seq FROM consent_chain_heads WHERE shop = $1");
  for (let done = head?.seq ?? 0; done < CHAIN_ROWS; done += 5_000) {
    const entries = Array.from({ length: 5_000 }, (_, n) => ({
      userId: null,
      visitorId: `visitor-${done + n}`,
      consentType: "marketing",
      action: "granted",
      method: "banner",
      consentVersion: "v1",
      consentId: crypto.randomUUID(),
      userAgent: "Mozilla/5.0 (X11; Linux x86_64) Bench/1.0",
      sourcePage: "https://shop.example/products/tea",
    }));
    await transaction((tx) => recordConsent(tx, { connection: {} }, entries));
  }
  const rates: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const started = performance.now();
    const report = await verifyConsentChain(ctx, tenant);
    if (!report.ok) throw new Error("the chain of the benchmark does not verify");
    if (round > 0) rates.push((report.rows * 1_000) / (performance.now() - started));
  }
  return median(rates);
}

function installPeers(): string | null {
  const folder = join(import.meta.dirname, "peers");
  if (existsSync(join(folder, "node_modules/@c15t/backend"))) return null;
  try {
    execFileSync(
      "npm",
      ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"],
      { cwd: folder, stdio: "ignore", timeout: 300_000 },
    );
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

export async function benchConsent(serverUrl: string, folder: string): Promise<Measure[]> {
  const url = await databaseUrl(serverUrl, "bench_consent");
  const { ctx, tenant } = await startOurs(url, join(folder, "archive"));
  const pool = new pg.Pool({ connectionString: url, max: POOL });
  // Dropping the database at the end ends idle connections, and an error without a listener ends
  // the process.
  pool.on("error", () => {});
  const measures: Measure[] = [];
  const print = (what: string, { ours, theirs }: { ours: number; theirs: number }) =>
    process.stdout.write(
      `(to read the ratios by: ${what} ${Math.round(ours)}/s against ${Math.round(theirs)}/s)\n`,
    );
  try {
    const settings = await pool.query(
      "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit') AND setting <> 'on'",
    );
    if (settings.rowCount)
      throw new Error("fsync and synchronous_commit must be on: the figures would mean nothing");
    await pool.query("CREATE TABLE plain_records (LIKE consent_records INCLUDING ALL)");

    const visitors = await compare(
      appendOurs(
        ctx,
        tenant,
        (n) => ({ visitorId: `visitor-${n}` }),
        () => true,
      ),
      appendPlain(pool),
      ROUNDS,
      APPENDS_PER_ROUND,
    );
    print("append of a visitor", visitors);
    measures.push({
      name: "consent_append",
      value: visitors.ratio,
      bound: "a plain INSERT of the same row (target 0.6)",
      floor: (value) => value > 0.3,
    });

    await pool.query("TRUNCATE plain_records");
    const people = await compare(
      appendOurs(
        ctx,
        tenant,
        (n) => ({ userId: 1 + (n % PEOPLE) }),
        (n) => Math.floor(n / PEOPLE) % 2 === 0,
      ),
      appendPlain(pool),
      5,
      PEOPLE * 6,
    );
    print("append with the flags of an account", people);
    measures.push({
      name: "consent_append_account",
      value: people.ratio,
      bound: "a plain INSERT of the same row (flags written too)",
      floor: (value) => value > 0.2,
    });

    const problem = installPeers();
    if (problem)
      process.stdout.write(
        `(@c15t/backend could not be installed, so it is not compared: ${problem})\n`,
      );
    else {
      const peer = await loadC15t(await databaseUrl(serverUrl, "bench_c15t"), POOL);
      // Equal numbers of records, each of a new subject, starting from an empty log on both sides.
      const fresh = await startOurs(
        await databaseUrl(serverUrl, "bench_consent_peer"),
        join(folder, "archive-peer"),
      );
      const against = await compare(
        appendOurs(
          fresh.ctx,
          fresh.tenant,
          (n) => ({ visitorId: `visitor-${n}` }),
          () => true,
        ),
        peer.append,
        PEER_ROUNDS,
        PEER_APPENDS_PER_ROUND,
      );
      await fresh.ctx.close();
      await peer.close();
      print("append of a visitor", against);
      measures.push({
        name: "consent_append_c15t",
        value: against.ratio,
        bound: `@c15t/backend 2.2.1, new subject, ${PEER_ROUNDS * PEER_APPENDS_PER_ROUND} rows each (target 8)`,
        floor: (value) => value > 3,
      });
    }

    const rate = await measureChain(ctx, tenant);
    measures.push({
      name: "consent_verify",
      value: rate / 200_000,
      bound: `200,000 rows/s (${Math.round(rate)} rows/s, one process)`,
      floor: (value) => value > 0.3,
    });
    return measures;
  } finally {
    await pool.end();
    await ctx.close();
  }
}

export async function run(): Promise<Measure[]> {
  const folder = await mkdtemp("/var/tmp/customer-identity-bench-");
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "pg"), database: "bench" });
  try {
    return await benchConsent(postgres.url, folder);
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

if (process.argv[1] === import.meta.filename) {
  const started = performance.now();
  for (const { name, value, bound, floor } of await run())
    process.stdout.write(
      `${name.padEnd(22)} ${value.toFixed(2).padStart(7)} x ${bound}${floor(value) ? "" : "   <- far beyond"}\n`,
    );
  process.stdout.write(`${Math.round((performance.now() - started) / 1_000)} s\n`);
}
