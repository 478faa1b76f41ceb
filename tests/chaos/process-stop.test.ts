// How the real process ends: by SIGTERM and by SIGKILL.
import { once } from "node:events";
import { globSync } from "node:fs";
import { chmod, mkdtemp, readFile } from "node:fs/promises";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { findReport } from "../../app/domain/scheduled-run/report.ts";
import { endChildren, startProgram, startServer, type Child } from "../support/processes/child.ts";
import { startDatabaseProxy } from "../support/processes/database-proxy.ts";
import { addCustomer, addRows } from "../support/bus/queue.ts";
import { removeFolder, rows } from "../support/processes/embedded-postgres.ts";
import {
  ADMIN_KEY,
  eventually,
  sign,
  SHOP,
  startService,
  testEnvironment,
  type Service,
} from "../support/service.ts";
import { installStore } from "../support/storefront/synced-store.ts";
import { countByStatus, sendWebhook, startLoad, webhookOf } from "../support/bus/webhook-load.ts";

let service: Service;
let folder: string;

beforeAll(async () => {
  service = await startService();
  folder = await mkdtemp(join(tmpdir(), "customer-identity-pg-"));
  await chmod(folder, 0o711);
});
afterAll(async () => {
  await endChildren();
  await service.stop();
  await removeFolder(folder);
});
beforeEach(async () => {
  await service.database.truncate();
  service.sandbox.clearFaults();
  await service.addTenant(SHOP);
});

const start = (roles: string, env: Record<string, string> = {}) =>
  startServer({
    ...testEnvironment(service.sandbox, service.database.serviceUrl),
    BASE_URL: service.url,
    ROLES: roles,
    ...env,
  });
const claimed = () =>
  service.database.query(
    `SELECT channel, status FROM integration_queue WHERE status IN ('processing', 'ready')
      OR locked_by IS NOT NULL UNION ALL SELECT topic, status FROM webhook_inbox WHERE status = 'processing'`,
  );

/** A webhook whose last byte is sent when the test decides. */
function slowWebhook(url: string, n: number): { finish(): void; answer: Promise<string> } {
  const { id, raw } = webhookOf(n);
  const { port } = new URL(url);
  const socket = createConnection(Number(port), "127.0.0.1");
  const bytes = Buffer.from(raw);
  socket.write(
    `POST /webhooks/customer-update HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-Shopify-Shop-Domain: ${SHOP}\r\nX-Shopify-Webhook-Id: ${id}\r\nX-Shopify-Hmac-SHA256: ${sign(bytes)}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
  );
  socket.write(bytes.subarray(0, -1));
  const answer = new Promise<string>((done) => {
    let text = "";
    socket
      .on("data", (chunk: Buffer) => (text += chunk.toString()))
      .on("close", () => done(text))
      .on("error", () => done(text));
  });
  return { finish: () => void socket.write(bytes.subarray(-1)), answer };
}
const isRefused = (url: string) =>
  fetch(`${url}/health`).then(
    () => false,
    () => true,
  );

test("SIGTERM: the request in flight completes, new ones are rejected, and the exit code is 0", async () => {
  const server = await start("web");
  const slow = slowWebhook(server.url, 1);
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
  server.signal("SIGTERM");
  await eventually("refusal of new requests", () => isRefused(server.url));
  expect(server.hasEnded()).toBe(false);
  slow.finish();
  const answer = await slow.answer;
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toMatch(/connection: close/i);
  expect(await server.ended).toBe(0);
  expect(await service.database.query("SELECT status FROM webhook_inbox")).toEqual([
    { status: "pending" },
  ]);
});

test("SIGTERM with a grace time: not ready at once, new requests are served until it ends, a second signal ends it", async () => {
  const server = await start("web", { STOP_GRACE_SECONDS: "300" });
  const statusOf = async (path: string) => (await fetch(server.url + path)).status;
  expect(await statusOf("/health/ready")).toBe(200);
  server.signal("SIGTERM");
  await eventually("not ready", async () => (await statusOf("/health/ready")) === 503);
  expect([await statusOf("/health/live"), await statusOf("/health")]).toEqual([200, 200]);
  const late = slowWebhook(server.url, 2);
  late.finish();
  // The webhook of the connection that was opened in the grace time.
  await eventually(
    "the webhook is stored",
    async () => (await service.database.query("SELECT 1 FROM webhook_inbox")).length === 1,
  );
  expect(server.hasEnded()).toBe(false);
  server.signal("SIGTERM");
  expect(await server.ended).toBe(0);
  expect(await late.answer).toMatch(/^HTTP\/1\.1 200 /);
}, 60_000);

test("SIGTERM with deliveries in flight and 60 pending rows: those in flight are delivered, no row stays claimed, no attempt is used up", async () => {
  const userId = await addCustomer(service.database, SHOP);
  service.sandbox.failNext("analytics", { delayMs: 700 }, Infinity);
  const before = service.sandbox.requests("analytics").length;
  await addRows(service.database, {
    shop: SHOP,
    channel: "web_analytics",
    count: 60,
    payload: { user_id: userId },
  });
  const server = await start("worker");
  await eventually(
    "deliveries in flight",
    () => service.sandbox.requests("analytics").length > before,
  );
  server.signal("SIGTERM");
  expect(await server.ended).toBe(0);
  expect(await claimed()).toEqual([]);
  const [counts] = await service.database.query(
    `SELECT count(*) FILTER (WHERE status = 'delivered')::int AS delivered,
      count(*) FILTER (WHERE status = 'pending')::int AS pending,
      sum(retry_count + lease_lost)::int AS lost FROM integration_queue`,
  );
  expect(counts).toEqual({
    delivered: service.sandbox.requests("analytics").length - before,
    pending: 60 - counts.delivered,
    lost: 0,
  });
  expect(counts.delivered).toBeGreaterThan(0);
});

test("SIGTERM while a request never ends: no row is taken any more, the request is cut off, no row stays claimed, and the exit code is 0", async () => {
  const server = await start("web,worker", { LOG_LEVEL: "info" });
  const endless = slowWebhook(server.url, 3);
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
  server.signal("SIGTERM");
  await server.line("the end of the worker", /worker\.stopped/);
  const userId = await addCustomer(service.database, SHOP);
  await addRows(service.database, {
    shop: SHOP,
    channel: "web_analytics",
    count: 3,
    payload: { user_id: userId },
  });
  expect(server.hasEnded()).toBe(false);
  expect(await server.ended).toBe(0);
  expect(await endless.answer).toBe("");
  expect(await claimed()).toEqual([]);
  expect(await service.database.query("SELECT DISTINCT status FROM integration_queue")).toEqual([
    { status: "pending" },
  ]);
});

test("SIGTERM with connections that have sent no request, or half of one: they are closed, nothing waits for them", async () => {
  const server = await start("web", { STOP_GRACE_SECONDS: "0" });
  const { port } = new URL(server.url);
  const connections = ["", "GET /health HT", "GET /health HTTP/1.1\r\nHost: x\r\n"].map((sent) => {
    const socket = createConnection(Number(port), "127.0.0.1");
    socket.write(sent);
    return once(socket, "close");
  });
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
  server.signal("SIGTERM");
  expect(await server.ended).toBe(0);
  await Promise.all(connections);
  expect(server.lines.filter((line) => line.includes("process.stop_cut"))).toEqual([]);
});

test("SIGTERM after the database's connections went silent: the exit code is 0", async () => {
  const line = await startDatabaseProxy(service.database.serviceUrl);
  onTestFinished(() => line.stop());
  const server = await start("web,worker", { DATABASE_URL: line.url });
  line.deafen();
  server.signal("SIGTERM");
  expect(await server.ended).toBe(0);
});

test("SIGTERM during a scheduled run that was asked for: its report says interrupted and is the answer, and no lease stays", async () => {
  await installStore(service);
  service.sandbox.failNext("storefront", { delayMs: 1_000 }, Infinity);
  const before = service.sandbox.requests("storefront").length;
  const server = await start("web");
  const answer = fetch(`${server.url}/admin/scheduled-run`, {
    method: "POST",
    headers: { Authorization: `Bearer ${ADMIN_KEY}`, "Content-Type": "application/json" },
    body: "{}",
  }).then((response) => response.json());
  await eventually(
    "the run asks the storefront",
    () => service.sandbox.requests("storefront").length > before,
  );
  server.signal("SIGTERM");
  expect(await server.ended).toBe(0);
  expect(await answer).toMatchObject({ ok: true, report: { state: "interrupted" } });
  expect(await findReport(service.ctx)).toMatchObject({ state: "interrupted" });
  expect(await service.database.query("SELECT key FROM kv WHERE key LIKE 'lease:%'")).toEqual([]);
});

test("SIGTERM under load, three times: every acknowledged webhook is stored, no row stays claimed, exit code 0", async () => {
  const codes: (number | null)[] = [];
  let server = await start("web,worker");
  const load = startLoad(() => server.url, 6);
  for (let round = 0; round < 3; round += 1) {
    const before = load.sent.length;
    await eventually(
      "load",
      () => load.sent.slice(before).filter(({ status }) => status === 200).length > 15,
    );
    server.signal("SIGTERM");
    codes.push(await server.ended);
    expect(await claimed()).toEqual([]);
    if (round < 2) server = await start("web,worker");
  }
  const sent = await load.stop();
  const stored = new Set(
    (
      await service.database.query<{ delivery_id: string }>("SELECT delivery_id FROM webhook_inbox")
    ).map((row) => row.delivery_id),
  );
  const lost = sent.filter(({ id, status }) => status === 200 && !stored.has(id));
  process.stdout.write(
    `3 stops under load: answers ${JSON.stringify(countByStatus(sent))}, acknowledged and lost ${lost.length}, exit codes ${codes.join(" ")}\n`,
  );
  expect(lost).toEqual([]);
  expect(codes).toEqual([0, 0, 0]);
});

test("SIGKILL with the embedded database, then a start: the database is adopted and nothing acknowledged is lost", async () => {
  const env = {
    ...testEnvironment(service.sandbox, ""),
    DATABASE_URL: "",
    BASE_URL: service.url,
    DATA_DIR: join(folder, "data"),
    LOG_LEVEL: "info",
  };
  const first = await startServer({ ...env, ROLES: "web" }, 120_000);
  await configure(first);
  const load = startLoad(() => first.url, 6);
  await eventually(
    "acknowledged webhooks",
    () => load.sent.filter(({ status }) => status === 200).length > 60,
  );
  first.signal("SIGKILL");
  await first.ended;
  const sent = await load.stop();

  const second = await startServer({ ...env, ROLES: "web,worker" }, 120_000);
  expect(second.lines.some((line) => line.includes("database.adopted"))).toBe(true);
  const acknowledged = sent.filter(({ status }) => status === 200).map(({ id }) => id);
  const repeated = await Promise.all(
    acknowledged.map((id) => sendWebhook(second.url, Number(id.slice("delivery-".length)))),
  );
  expect(countByStatus(repeated)).toEqual({ 200: acknowledged.length });
  const url = await embeddedUrl(second);
  const done = await eventually(
    "all of them worked",
    async () => {
      const found = (await rows(
        url,
        "SELECT delivery_id FROM webhook_inbox WHERE status = 'done'",
      )) as { delivery_id: string }[];
      return acknowledged.every((id) => found.some((row) => row.delivery_id === id)) && found;
    },
    20_000,
  );
  process.stdout.write(
    `SIGKILL under load: acknowledged ${acknowledged.length}, worked after the restart ${done.length}\n`,
  );
  second.signal("SIGTERM");
  expect(await second.ended).toBe(0);
});

test("SIGTERM to `npm start`: the service and its database stop, although npm ends first", async () => {
  const dataDir = join(folder, "npm-start");
  const npm = startProgram("npm", ["start"], {
    ...testEnvironment(service.sandbox, ""),
    DATABASE_URL: "",
    BASE_URL: service.url,
    DATA_DIR: dataDir,
    PORT: "0",
  });
  const [, url] = await npm.line("`listening on`", /^listening on (http\S+)$/, 90_000);
  const [lock = ""] = globSync(join(dataDir, "**/postmaster.pid"));
  const postgres = Number((await readFile(lock, "utf8")).split("\n")[0]);
  expect(isRunning(postgres)).toBe(true);
  npm.signal("SIGTERM");
  await eventually("the service is gone", () => isRefused(url as string), 20_000);
  await eventually("PostgreSQL is gone", () => !isRunning(postgres), 20_000);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function configure(server: Child & { url: string }): Promise<void> {
  const { ADMIN_KEY: key } = testEnvironment(service.sandbox, "");
  const answer = await fetch(`${server.url}/config?shop=${SHOP}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${key}` },
    body: JSON.stringify({ brand_name: "Test" }),
  });
  expect(answer.status).toBe(200);
}

/** The embedded server's address: its port is in the log, its password in the data folder. */
async function embeddedUrl(server: Child): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  const line = server.lines.find((text) => text.includes("database.adopted")) as string;
  const { port, dataDir } = JSON.parse(line) as { port: number; dataDir: string };
  const password = (await readFile(`${dataDir}.password`, "utf8")).trim();
  return `postgresql://postgres:${password}@127.0.0.1:${port}/customer_identity`;
}
