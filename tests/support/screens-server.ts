// The screens on a port of their own, with a database and a sandbox of their own.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { resolve } from "node:path";
import { createCtx, type Ctx } from "../../app/context.server.ts";
import { loadRoutes } from "../../app/http/route-table.ts";
import { createScreens } from "../../app/http/screens.ts";
import { createListener } from "../../app/http/serve.ts";
import type { Clock } from "../../app/runtime/clock.ts";
import { shapeConfig } from "../../app/runtime/config.ts";
import { startSandbox, type Sandbox } from "../../app/sandbox/server.ts";
import { freshDatabase, type TestDatabase } from "./database.ts";

export const ADMIN_KEY = "test-admin-key-0123456789";
export const APP = { clientId: "test-client-id", clientSecret: "test-app-secret-0123456789" };
const SCOPES = "read_customers,write_customers,read_products,read_orders";

export type World = {
  ctx: Ctx;
  sandbox: Sandbox;
  database: TestDatabase;
  url: string;
  stop(): Promise<void>;
};

/** Without `withScreens` only the parts around them, for tests of the domain. */
export async function startWorld(
  options: {
    withScreens?: boolean;
    clock?: Clock;
    appSecrets?: string[];
    env?: Record<string, string> | ((sandbox: Sandbox) => Record<string, string>);
  } = {},
): Promise<World> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const database = await freshDatabase();
  const sandbox = await startSandbox({ app: { url, ...APP } });
  const environment = {
    NODE_ENV: "test",
    SANDBOX: "off",
    BASE_URL: url,
    DATABASE_URL: database.serviceUrl,
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "silent",
    PLATFORM_CLIENT_ID: APP.clientId,
    PLATFORM_APP_SECRET: (options.appSecrets ?? [APP.clientSecret]).join(","),
    SCOPES,
    OUTBOUND_ALLOW: "127.0.0.1",
    JWT_SECRET: "test-jwt-secret-0123456789",
    ADMIN_KEY,
    WORKER_WEBHOOK_SECRET: "test-worker-secret-0123456789",
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    STOREFRONT_URL_TEMPLATE: sandbox.addresses.storefrontUrlTemplate,
    ...(typeof options.env === "function" ? options.env(sandbox) : options.env),
  };
  const ctx = createCtx({
    config: shapeConfig(environment, () => ({})),
    databaseUrl: database.serviceUrl,
    baseUrl: url,
    ...(options.clock && { clock: options.clock }),
  });
  const screens = options.withScreens
    ? await createScreens({
        ctx,
        root: resolve(import.meta.dirname, "../.."),
        appBridgeUrl: sandbox.addresses.appBridgeUrl,
      })
    : null;
  // Endpoints before screens, as in the process itself.
  server.on(
    "request",
    screens
      ? createListener({ ctx, routes: await loadRoutes(), screens })
      : (_request, response) => response.writeHead(404).end(),
  );
  return {
    ctx,
    sandbox,
    database,
    url,
    async stop() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
      await screens?.close();
      await ctx.close();
      await sandbox.stop();
      await database.drop();
    },
  };
}

/** The address at which the admin opens the app. */
export async function embeddedUrl(
  world: World,
  shop: string,
  options: { path?: string; token?: string } = {},
): Promise<string> {
  const query = new URLSearchParams({
    embedded: "1",
    shop,
    host: Buffer.from(`admin.shopify.com/store/${shop.replace(".myshopify.com", "")}`).toString(
      "base64url",
    ),
    id_token: options.token ?? (await world.sandbox.storefront.sessionToken(shop)),
  });
  return `${world.url}${options.path ?? "/app"}?${query}`;
}

/** How often the platform was asked for a token in this way. */
export function countGrants(
  world: World,
  shop: string,
  grantType: "token-exchange" | "refresh_token",
): number {
  return world.sandbox
    .requests("storefront")
    .filter(
      ({ path, body }) =>
        path === `/${shop}/admin/oauth/access_token` &&
        String((body as { grant_type?: string }).grant_type).endsWith(grantType),
    ).length;
}
