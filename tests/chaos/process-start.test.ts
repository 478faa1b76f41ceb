// The real process: successful starts.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyDatabase, freshDatabase } from "../support/database.ts";
import { startChild, startServer } from "../support/processes/child.ts";
import { startDatabaseProxy } from "../support/processes/database-proxy.ts";
import { requireSentence, useDeployment } from "../support/processes/deployment.ts";
import { freePort } from "../support/processes/free-port.ts";
import { ADMIN_KEY, eventually, sign } from "../support/service.ts";
import { CUSTOMER_2024_10 } from "../support/storefront/payloads.ts";

const { at, deployment, refusal } = useDeployment();

describe("starts", () => {
  test("as a deployed worker: prints its address and writes nothing into the data folder", async () => {
    const { url } = await startServer(deployment({ DATA_DIR: join(at.folder, "untouched") }));
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(existsSync(join(at.folder, "untouched"))).toBe(false);
  });

  test("twice concurrently on one empty database: both wait for one migration", async () => {
    const both = await Promise.all([startServer(deployment()), startServer(deployment())]);
    expect(both.map(({ url }) => url)).toHaveLength(2);
  });

  test("with a service role beside the owner: the owner migrates, and the service gets the necessary rights only", async () => {
    const empty = await emptyDatabase();
    const role = `process_${randomBytes(4).toString("hex")}`;
    await empty.query(`CREATE ROLE ${role} LOGIN PASSWORD 'role-password'`);
    const url = new URL(empty.url);
    [url.username, url.password] = [role, "role-password"];
    const env = deployment({ DATABASE_URL: url.href, ROLES: "web,worker,scheduler" });
    expect((await refusal(env)).trim()).toMatch(/may not change the schema.*DIRECT_DATABASE_URL/);
    const first = await startServer({ ...env, DIRECT_DATABASE_URL: empty.url });
    expect((await fetch(`${first.url}/health`)).status).toBe(200);
    first.signal("SIGTERM");
    expect(await first.ended).toBe(0);
    // Once migrated, the owner is no longer needed.
    const second = await startServer(env);
    expect((await fetch(`${second.url}/health`)).status).toBe(200);
    const [rights] = await empty.query(
      `SELECT has_table_privilege($1, 'consent_records', 'DELETE') AS may_delete,
        has_table_privilege($1, 'consent_records', 'INSERT') AS may_insert`,
      [role],
    );
    expect(rights).toEqual({ may_delete: false, may_insert: true });
    second.signal("SIGTERM");
    expect(await second.ended).toBe(0);
    await empty.drop();
  });

  test("before its database is up: says once that it waits, and answers 503 until it is", async () => {
    const proxy = await startDatabaseProxy(at.database.url);
    await proxy.refuse();
    const port = await freePort();
    const server = startChild(
      "app/server.ts",
      deployment({ DATABASE_URL: proxy.url, PORT: String(port) }),
    );
    const early = await eventually("the open port", () =>
      fetch(`http://127.0.0.1:${port}/health`).catch(() => null),
    );
    expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
    await server.line("that it waits", /"database\.waiting"/);
    const probe = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
    expect([await probe("/health/live"), await probe("/health/ready")]).toEqual([200, 503]);
    await proxy.restore();
    await server.line("its address", /^listening on /);
    const waits = server.lines.filter((line) => line.includes("database.waiting"));
    expect(waits.map((line) => JSON.parse(line))).toMatchObject([
      { level: 40, event: "database.waiting", max_seconds: 15 },
    ]);
    server.signal("SIGTERM");
    expect(await server.ended).toBe(0);
    await proxy.stop();
  });

  test("while all of the database's connections are taken: waits for a free one", async () => {
    const { username } = new URL(at.database.directServiceUrl);
    const role = `crowded_${randomBytes(4).toString("hex")}`;
    await at.database.query(
      `CREATE ROLE ${role} LOGIN PASSWORD 'role-password' CONNECTION LIMIT 0 IN ROLE "${username}"`,
    );
    const url = new URL(at.database.url);
    [url.username, url.password] = [role, "role-password"];
    const port = await freePort();
    const starting = startServer(deployment({ DATABASE_URL: url.href, PORT: String(port) }));
    const early = await eventually("the open port", () =>
      fetch(`http://127.0.0.1:${port}/health`).catch(() => null),
    );
    expect(early.status).toBe(503);
    await at.database.query(`ALTER ROLE ${role} CONNECTION LIMIT -1`);
    const server = await starting;
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  test("without the role web: only health and /metrics are served", async () => {
    const { url } = await startServer(deployment({ ROLES: "worker,scheduler" }));
    const asked = async (path: string, headers: Record<string, string> = {}) =>
      (await fetch(url + path, { headers, method: "GET" })).status;
    for (const path of ["/health", "/health/live", "/health/ready"])
      expect(await asked(path)).toBe(200);
    expect(await asked("/metrics", { Authorization: `Bearer ${ADMIN_KEY}` })).toBe(200);
    expect(
      await Promise.all(
        ["/config", "/admin/tenants", "/webhooks/customer-update", "/", "/app"].map((path) =>
          asked(path),
        ),
      ),
    ).toEqual([404, 404, 404, 404, 404]);
  });

  test("with the Shopify CLI's own variable names", async () => {
    const { PLATFORM_CLIENT_ID, PLATFORM_APP_SECRET, BASE_URL, ...rest } = deployment();
    await startServer({
      ...rest,
      SHOPIFY_API_KEY: PLATFORM_CLIENT_ID as string,
      SHOPIFY_API_SECRET: PLATFORM_APP_SECRET as string,
      SHOPIFY_APP_URL: BASE_URL as string,
    });
  });

  test("as a sandbox with an external database on request; killed while it fills the demo store, the next start completes it once", async () => {
    const dataDir = await mkdtemp(join(at.folder, "sandbox-"));
    const beside = await freshDatabase();
    const server = await startServer(
      { DATA_DIR: dataDir, SANDBOX: "on", DATABASE_URL: beside.url, LOG_LEVEL: "info", DEMO: "on" },
      120_000,
    );
    const [, key] = await server.line("the admin key", /ADMIN_KEY=(\S+)/);
    const secrets = JSON.parse(await readFile(join(dataDir, "secrets.json"), "utf8")) as object;
    expect(secrets).toMatchObject({ ADMIN_KEY: key });
    expect(await beside.query("SELECT shop FROM kv WHERE key LIKE 'tenant:%'")).toEqual([
      { shop: "demo-store.myshopify.com" },
    ]);
    expect(existsSync(join(dataDir, "pg"))).toBe(false);
    const count = async (from: string): Promise<number> =>
      ((await beside.query(`SELECT count(*)::int AS n FROM ${from}`))[0] as { n: number }).n;
    await eventually("the first customers", async () => (await count("storefront_users")) > 0);
    const config = async (at: typeof server, body?: object) => {
      const answer = await fetch(`${at.url}/config?shop=demo-store.myshopify.com`, {
        method: body ? "POST" : "GET",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      expect(answer.status).toBe(200);
      return ((await answer.json()) as { config: Record<string, unknown> }).config;
    };
    await config(server, { brand_name: "Saved since", erp_base_url: null });
    // In the middle of the history: of the sandbox's state nothing is written any more.
    server.signal("SIGKILL");
    await server.ended;

    const again = await startServer(
      { DATA_DIR: dataDir, SANDBOX: "on", DATABASE_URL: beside.url, LOG_LEVEL: "info", DEMO: "on" },
      120_000,
    );
    await again.line("the end of the seeding", /demo_history\.written .*customers=400 /, 120_000);
    expect(await count("storefront_users")).toBe(400);
    const kept = await config(again);
    expect([kept.brand_name, kept.erp_base_url]).toEqual(["Saved since", undefined]);
    expect(kept.profile_platform_url).toContain("127.0.0.1");
    expect(
      await count("(SELECT DISTINCT storefront_customer_gid FROM storefront_users) AS u"),
    ).toBe(400);
    const doubled = `(SELECT 1 FROM consent_records
      GROUP BY consent_id, consent_type, action, user_id, visitor_id HAVING count(*) > 1) AS doubled`;
    expect(await count(doubled)).toBe(0);
    const [shown, last] = await promisedOutput();
    const from = again.lines.findIndex((line) => line.startsWith("listening on"));
    expect(withoutValues(again.lines.slice(from, from + shown.length))).toEqual(shown);
    expect(withoutValues(again.lines.slice(from + shown.length))).toContain(last);
    expect(again.out()).not.toMatch(/outbound\.called|dead_letter\.archived|^\{/m);
    again.signal("SIGTERM");
    expect(await again.ended).toBe(0);
    await beside.drop();
  });

  test("without any settings: embedded database, sandbox, demo store; a webhook reaches every system", async () => {
    const dataDir = await mkdtemp(join(at.folder, "plain-"));
    await chmod(dataDir, 0o711);
    const server = await startServer({ DATA_DIR: dataDir, LOG_LEVEL: "info" }, 120_000);
    const [, key] = await server.line("the admin key", /ADMIN_KEY=(\S+)/);
    const [, consoleUrl] = await server.line(
      "the sandbox",
      /Console: +(http:\/\/127\.0\.0\.1:\d+)\/$/,
    );
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
    expect((await fetch(`${consoleUrl}/`)).status).toBe(200);
    const authorization = { Authorization: `Bearer ${key}` };
    const tenants = (await (
      await fetch(`${server.url}/admin/tenants`, { headers: authorization })
    ).json()) as { tenants: { shop: string; token: { state: string } }[] };
    expect(tenants.tenants).toMatchObject([
      { shop: "demo-store.myshopify.com", token: { state: "valid" } },
    ]);

    const made = await fetch(`${consoleUrl}/_control/customers`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        shop: "demo-store.myshopify.com",
        first_name: "Ann",
        email: "ann@example.com",
      }),
    });
    expect(await made.json()).toMatchObject({
      deliveries: [expect.objectContaining({ status: 200 })],
    });
    const log = () =>
      fetch(`${server.url}/admin/events/log?shop=demo-store.myshopify.com`, {
        headers: authorization,
      }).then(
        (answer) => answer.json() as Promise<{ entries: { channel: string; status: string }[] }>,
      );
    await eventually("deliveries on all channels", async () => {
      const { entries } = await log();
      return ["cms", "web_analytics", "profile_platform"].every((channel) =>
        entries.some((entry) => entry.channel === channel && entry.status === "delivered"),
      );
    });
    const order = {
      event_type: "order.created",
      entity_id: "gid://shopify/Order/1",
      payload: { name: "#1", line_items: [{ sku: "CAM-9", quantity: 1, price: "9.90" }] },
    };
    const accepted = await fetch(
      `${server.url}/events/ingest?shop=demo-store.myshopify.com&source=manual`,
      {
        method: "POST",
        headers: { ...authorization, "Content-Type": "application/json" },
        body: JSON.stringify({ ...order, destinations: ["erpsys", "erp_generic", "archive"] }),
      },
    );
    expect(accepted.status).toBe(202);
    await eventually("the order in the ERP", async () => {
      const { entries } = await log();
      return ["erpsys", "erp_generic", "archive"].every((channel) =>
        entries.some((entry) => entry.channel === channel && entry.status === "delivered"),
      );
    });
    const forged = await fetch(`${server.url}/webhooks/customer-update`, {
      method: "POST",
      headers: {
        "X-Shopify-Shop-Domain": "demo-store.myshopify.com",
        "X-Shopify-Hmac-SHA256": sign(CUSTOMER_2024_10, "a-secret-of-somebody-else"),
      },
      body: CUSTOMER_2024_10,
    });
    expect(forged.status).toBe(401);
    const before = await resetDemo(dataDir);
    expect(before.code).toBe(1);
    expect(before.text).toContain("is in use by another copy of this service");
    requireSentence(before.text);
    server.signal("SIGTERM");
    expect(await server.ended).toBe(0);

    expect((await resetDemo(dataDir)).code).toBe(0);
    expect(
      ["pg", "sandbox.json", "secrets.json"].filter((name) => existsSync(join(dataDir, name))),
    ).toEqual(["secrets.json"]);
  });
});

/** What the README shows of a start: up to the links, and the line of the demo store. */
async function promisedOutput(): Promise<[links: string[], demo: string]> {
  const readme = await readFile(join(import.meta.dirname, "../../README.md"), "utf8");
  const [, text = ""] = /```text\n(listening on [^]*?)\n```/.exec(readme) ?? [];
  const lines = withoutValues(text.split("\n"));
  return [lines.slice(0, -1), lines.at(-1) ?? ""];
}

/** Ports, keys and times differ from start to start. */
const withoutValues = (lines: readonly string[]): string[] =>
  lines.map((line) =>
    line
      .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1")
      .replace(/(apps\/|key=|ADMIN_KEY=)\S+$/, "$1")
      .replace(/\d\d:\d\d:\d\d/, "")
      .replace(/seconds=\d+/, ""),
  );

/** `npm run demo:reset` */
async function resetDemo(dataDir: string): Promise<{ code: number | null; text: string }> {
  const child = startChild("scripts/demo-reset.ts", { DATA_DIR: dataDir });
  return { code: await child.ended, text: child.err() };
}
