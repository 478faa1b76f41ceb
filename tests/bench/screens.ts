// What the merchant's screens cost in a store with a million customers and ten million delivery
// attempts: the statements and the time of each loader, and in a browser the largest contentful
// paint and the answer to a click. `npm run bench:screens [-- people attempts]`; BENCH_DATA names a folder
// that keeps the store for the next run, because filling it takes twenty minutes.
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import pg from "pg";
import { createCtx } from "../../app/context.server.ts";
import { channels } from "../../app/domain/channels/index.ts";
import { renderThemeFooters } from "../../app/embeds/theme-footers.ts";
import { foldHours } from "../../app/domain/bus/log/fold-hours.ts";
import { foldCustomerDays } from "../../app/domain/customers/customer-days.ts";
import { storeGrant } from "../../app/domain/tenants/storefront/access-token.ts";
import { registerTenant } from "../../app/domain/tenants/tenant-record.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { loadRoutes } from "../../app/http/route-table.ts";
import { createScreens } from "../../app/http/screens/screens.ts";
import { createListener } from "../../app/http/serve.ts";
import { shapeConfig } from "../../app/runtime/config.ts";
import { applyMigrations } from "../../app/runtime/database/migrations/apply-migrations.ts";
import { startEmbeddedPostgres } from "../../app/runtime/embedded-postgres/embedded-postgres.ts";
import { createLog } from "../../app/runtime/log.ts";
import { startSandbox } from "../../app/sandbox/server.ts";
import { openBrowser } from "../support/browser/browser.ts";
import { adminUrl, type TestApp } from "../support/browser/screens-server.ts";
import { screenAddresses } from "../support/screen-addresses.ts";
import { APP_SECRET, CLIENT_ID, testEnvironment } from "../support/service.ts";
import { percentile } from "./load/percentile.ts";
import { fillStore, LARGE_SHOP as SHOP, type LargeStore } from "./screens-data.ts";

const PEOPLE = Number(process.argv[2] ?? 1_000_000);
const ATTEMPTS = Number(process.argv[3] ?? 10_000_000);
const LOADS = 9;
const VISITS = 4;
/** The slowest statements of a slow screen. */
const SHOWN = 3;
/** The app library rejects other clients. */
const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0";
const GOAL = { loaderMs: 50, paintMs: 1_500, clickMs: 200 };

const kept = process.env.BENCH_DATA;
const folder = kept ?? (await mkdtemp("/var/tmp/customer-identity-screens-bench-"));
await mkdir(folder, { recursive: true });
await chmod(folder, 0o711);
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "pg"), database: "bench" });
const server = createServer({ keepAliveTimeout: 65_000 });
await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const sandbox = await startSandbox({ app: { url, clientId: CLIENT_ID, clientSecret: APP_SECRET } });
const ctx = createCtx({
  channels,
  renderThemeFooters,
  config: shapeConfig(
    { NODE_ENV: "test", ...testEnvironment(sandbox, postgres.url), BASE_URL: url },
    () => ({}),
  ),
  databaseUrl: postgres.url,
  baseUrl: url,
  log: createLog("silent"),
});

/** The statements of the current load. */
let statements: { text: string; ms: number }[] = [];
type Done = (...result: unknown[]) => void;
const send = pg.Client.prototype.query as (...args: unknown[]) => unknown;
// The pool hands a callback on, the transactions wait for a promise.
pg.Client.prototype.query = function timed(this: pg.Client, ...args: unknown[]) {
  const [first] = args;
  const statement = {
    text: typeof first === "string" ? first : (first as { text: string }).text,
    ms: 0,
  };
  statements.push(statement);
  const started = performance.now();
  const end = () => (statement.ms = performance.now() - started);
  const done = args.at(-1);
  if (typeof done === "function")
    return send.apply(this, [
      ...args.slice(0, -1),
      (...result: unknown[]) => {
        end();
        (done as Done)(...result);
      },
    ]);
  const sent = send.apply(this, args);
  if (sent instanceof Promise) void sent.then(end, end);
  return sent;
} as typeof pg.Client.prototype.query;

try {
  await applyMigrations(postgres.url);
  await registerTenant(ctx, SHOP);
  const reply = sandbox.storefront.install(SHOP, { scope: "write_customers,read_orders" });
  await storeGrant(ctx, SHOP, {
    accessToken: reply.access_token,
    refreshToken: reply.refresh_token ?? null,
    expiresIn: 3_600,
    scopes: reply.scope.split(","),
  });
  const store = await findOrFill();
  // As the scheduled run does every quarter of an hour.
  const tenant = await getTenant(ctx, SHOP);
  await foldHours(ctx, tenant);
  await foldCustomerDays(ctx, tenant);
  const screens = await createScreens({
    ctx,
    root: resolve(import.meta.dirname, "../.."),
    admin: { appBridgeUrl: sandbox.addresses.appBridgeUrl },
  });
  server.on("request", createListener({ ctx, routes: await loadRoutes(), screens }));
  const app = { url, sandbox } as TestApp;
  const paths = screenAddresses(store);
  for (const path of paths) await measureLoader(path);
  await measureInBrowser(app, paths);
} finally {
  server.closeAllConnections();
  server.close();
  await ctx.close();
  await sandbox.stop();
  await postgres.stop();
  if (!kept) await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
// The browser of the tests ends with the process.
process.exit(0);

async function findOrFill(): Promise<LargeStore> {
  const filled = join(folder, "store.json");
  try {
    return JSON.parse(await readFile(filled, "utf8")) as LargeStore;
  } catch {
    const store = await fillStore(postgres.url, { people: PEOPLE, attempts: ATTEMPTS });
    await writeFile(filled, JSON.stringify(store));
    return store;
  }
}

/** The loader's data alone, as a click on a link asks for it. */
async function measureLoader(path: string): Promise<void> {
  const [pathname, query = ""] = path.split("?");
  const times: number[] = [];
  let most = 0;
  for (let load = 0; load <= LOADS; load += 1) {
    const token = await sandbox.storefront.sessionToken(SHOP);
    statements = [];
    const started = performance.now();
    const response = await fetch(`${url}${pathname}.data?shop=${SHOP}&${query}`, {
      headers: { authorization: `Bearer ${token}`, "user-agent": BROWSER },
    });
    await response.text();
    // The first load connects, plans and fills caches.
    if (load > 0) {
      times.push(performance.now() - started);
      most = Math.max(most, statements.length);
    }
    if (response.status !== 200) return print(path, `answered ${response.status}`);
  }
  const ms = percentile(times, 50);
  print(
    path,
    `${(ms / GOAL.loaderMs).toFixed(2)} x ${GOAL.loaderMs} ms, ${most} statements${ms > GOAL.loaderMs ? "   <- slow" : ""}`,
  );
  if (ms > GOAL.loaderMs)
    for (const { text, ms: each } of statements.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN))
      print("", `${each.toFixed(0)} ms ${text.replaceAll(/\s+/g, " ").trim().slice(0, 100)}`);
}

async function measureInBrowser(app: TestApp, paths: readonly string[]): Promise<void> {
  const browser = await openBrowser();
  for (const path of paths) {
    const paints: number[] = [];
    const clicks: number[] = [];
    for (let visit = 0; visit < VISITS; visit += 1) {
      const { page, close } = await browser.visit([url, sandbox.url]);
      await page.addInitScript(observe);
      await page.goto(await adminUrl(app, SHOP, path), { waitUntil: "networkidle" });
      // A link would leave the page, and what was seen with it.
      const button = page
        .locator("main button:visible:not([aria-disabled=true], [disabled])")
        .first();
      if ((await button.count()) > 0) await button.click({ noWaitAfter: true, trial: false });
      // The browser reports an interaction with the frame after the next one.
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      const seen = await page.evaluate(() => (window as unknown as { seen: Seen }).seen);
      paints.push(seen.paint);
      clicks.push(seen.click);
      await close();
    }
    const paint = percentile(paints, 75);
    const click = percentile(clicks, 75);
    print(
      `${path} in a browser`,
      `paint ${(paint / GOAL.paintMs).toFixed(2)} x ${GOAL.paintMs} ms, click ${(click / GOAL.clickMs).toFixed(2)} x ${GOAL.clickMs} ms`,
    );
  }
}

type Seen = { paint: number; click: number };

/** Runs in the page. The longest event is the interaction that INP names. */
function observe(): void {
  const seen: Seen = { paint: 0, click: 0 };
  Object.assign(window, { seen });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.paint = entry.startTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) seen.click = Math.max(seen.click, entry.duration);
  }).observe({ type: "event", buffered: true, durationThreshold: 16 } as PerformanceObserverInit);
}

function print(name: string, text: string): void {
  process.stdout.write(`${name.padEnd(56)} ${text}\n`);
}
