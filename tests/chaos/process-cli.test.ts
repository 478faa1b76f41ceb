// The process as `shopify app dev` starts it: the CLI's literal environment, and nothing else.
import { mkdtemp, readFile, stat } from "node:fs/promises";
import { chmod } from "node:fs/promises";
import { createHmac } from "node:crypto";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endChildren, startChild, type Child } from "../support/processes/child.ts";
import { removeFolder } from "../support/processes/embedded-postgres.ts";
import { freePort } from "../support/processes/free-port.ts";

const SECRET = "client-secret-0123456789";
const TUNNEL = "https://tunnel.example";
let folder: string;
let port: number;
let child: Child;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "customer-identity-pg-"));
  await chmod(folder, 0o711);
  port = await freePort();
  child = startChild("scripts/start.mjs", ["development"], {
    SHOPIFY_API_KEY: "client-id-of-the-app",
    SHOPIFY_API_SECRET: SECRET,
    HOST: TUNNEL,
    APP_URL: TUNNEL,
    SCOPES: "read_customers,write_customers",
    NODE_ENV: "development",
    APP_ENV: "development",
    BACKEND_PORT: String(port),
    FRONTEND_PORT: String(port),
    REMIX_DEV_ORIGIN: TUNNEL,
    PORT: String(port),
    SERVER_PORT: String(port),
    // The test's own setting, unknown to the CLI: where the data goes.
    DATA_DIR: join(folder, "data"),
  });
  await child.line("`listening on`", /^listening on http/);
});
afterAll(async () => {
  await endChildren();
  await removeFolder(folder);
});

const url = (path: string) => `http://127.0.0.1:${port}${path}`;

test("the CLI's process starts with an embedded database and secrets of its own, and without the sandbox", async () => {
  const secrets = JSON.parse(await readFile(join(folder, "data/secrets.json"), "utf8")) as object;
  expect(Object.keys(secrets).sort((a, b) => a.localeCompare(b))).toEqual([
    "ADMIN_KEY",
    "JWT_SECRET",
    "SECRETS_KEY",
    "WORKER_WEBHOOK_SECRET",
  ]);
  expect((await stat(join(folder, "data/secrets.json"))).mode & 0o077).toBe(0);
  expect(child.out()).not.toMatch(/admin key|sandbox/i);
  expect(await (await fetch(url("/health"))).json()).toMatchObject({ status: "ok" });
});

test("the install redirect leads to the tunnel, with the CLI's scopes", async () => {
  const answer = await fetch(url("/auth/install?shop=dev-store.myshopify.com"), {
    redirect: "manual",
  });
  expect(answer.status).toBe(302);
  const location = new URL(answer.headers.get("location") as string);
  expect(location.searchParams.get("redirect_uri")).toBe(`${TUNNEL}/auth/callback`);
  expect(location.searchParams.get("scope")).toBe("read_customers,write_customers");
  expect(location.searchParams.get("client_id")).toBe("client-id-of-the-app");
});

test("a compliance webhook is verified with the CLI's secret: 401 without a signature", async () => {
  const body = JSON.stringify({ shop_domain: "dev-store.myshopify.com", customer: { id: 1 } });
  const send = (headers: Record<string, string>) =>
    fetch(url("/gdpr/customer-redact"), {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "X-Shopify-Shop-Domain": "dev-store.myshopify.com",
        ...headers,
      },
      body,
    });
  expect((await send({})).status).toBe(401);
  const signature = createHmac("sha256", SECRET).update(body).digest("base64");
  expect((await send({ "X-Shopify-Hmac-Sha256": signature })).status).toBe(200);
});

test("the root forwards a launch into the app, and pages come with the tunnel's reload client", async () => {
  const launch = await fetch(url("/?shop=dev-store.myshopify.com&host=abc"), {
    redirect: "manual",
  });
  expect(launch.status).toBe(302);
  expect(launch.headers.get("location")).toBe("/app?shop=dev-store.myshopify.com&host=abc");
  const page = await fetch(url("/"), { headers: { Accept: "text/html" } });
  expect(page.status).toBe(200);
  expect(await page.text()).toContain("Customer identity");
});

test("reload messages travel over the service's own port, so that one tunnel is enough", async () => {
  const client = await (await fetch(url("/@vite/client"))).text();
  const token = /wsToken = "([\w-]+)"/.exec(client)?.[1];
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const upgrade = request({
      host: "127.0.0.1",
      port,
      path: `/?token=${token}`,
      headers: {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": Buffer.alloc(16, 1).toString("base64"),
        "Sec-WebSocket-Protocol": "vite-hmr",
      },
    });
    upgrade.once("upgrade", (response, socket) => {
      socket.destroy();
      resolve(response.statusCode);
    });
    upgrade.once("response", (response) => resolve(response.statusCode));
    upgrade.once("error", reject);
    upgrade.end();
  });
  expect(status).toBe(101);
});
