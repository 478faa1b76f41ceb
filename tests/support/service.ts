// The real service over real HTTP in this process: its own database, the sandbox as every outside
// system, the endpoints on node:http and, on request, the background work. Screens need a build and
// are tested in tests/browser.
import { channels } from "../../app/domain/channels/index.ts";
import { renderThemeFooters } from "../../app/embeds/theme-footers.ts";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startBackground } from "../../app/boot.server.ts";
import { createCtx, type Ctx } from "../../app/context.server.ts";
import { createScreens } from "../../app/http/screens/screens.ts";
import { createListener } from "../../app/http/serve.ts";
import { loadRoutes } from "../../app/http/route-table.ts";
import type { ObjectStore } from "../../app/integrations/archive/object-store.ts";
import { openObjectStore } from "../../app/integrations/archive/own-archive.ts";
import type { Clock } from "../../app/runtime/clock.ts";
import { shapeConfig } from "../../app/runtime/config.ts";
import { changeTenantRecord } from "../../app/domain/tenants/tenant-record.ts";
import { createLog, type Log } from "../../app/runtime/log.ts";
import { startSandbox, type Sandbox } from "../../app/sandbox/server.ts";
import { freshDatabase, type TestDatabase } from "./database.ts";
import { checkResponses } from "./declared-responses.ts";

export const SHOP = "test-store.myshopify.com";
export const OTHER_SHOP = "other-store.myshopify.com";
/**
 * The return origin of sign-ins: besides the store's own, the only origin that may use the cookie.
 */
export const RETURN_ORIGIN = "https://shop.example";
export const ADMIN_KEY = "test-admin-key-0123456789";
export const APP_SECRET = "test-app-secret-0123456789";
export const CLIENT_ID = "test-client-id";
const WORKER_WEBHOOK_SECRET = "test-worker-secret-0123456789";

export type Answer = { status: number; headers: Headers; text: string; json: any };

export type Service = {
  url: string;
  ctx: Ctx;
  sandbox: Sandbox;
  database: TestDatabase;
  /** Every object of the archive, by its full path. */
  objects: ObjectStore;
  /** Lines that the service logged, parsed. */
  logged: Record<string, unknown>[];
  call(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string>; key?: string | null },
  ): Promise<Answer>;
  /**
   * Registers a store with its systems in the sandbox, and its primary domain, as if it was connected;
   * `fields` extend or replace the defaults.
   */
  addTenant(shop: string, fields?: Record<string, unknown>): Promise<void>;
  /** Posts raw bytes to a webhook path, signed over exactly them. */
  webhook(
    slug: string,
    raw: string | Buffer,
    options?: { shop?: string; secret?: string; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Whether it runs the workers. */
  hasWorkers: boolean;
  /** Throws when a response was not as its route declares it. */
  stop(): Promise<void>;
};

/** Below what a store may choose: thousands of sign-ups take minutes of processor time otherwise. */
const QUICK_ITERATIONS = 1_000;

export type ServiceOptions = {
  background?: boolean;
  /** The built screens beside the endpoints. */
  withScreens?: boolean;
  /** The sandbox's own admin frames the app. */
  isFramed?: boolean;
  env?: Record<string, string>;
  /** Settings derived from the sandbox's addresses. */
  envFrom?: (sandbox: Sandbox, database: TestDatabase) => Record<string, string>;
  clock?: Clock;
  /** Puts a proxy between the service and its database; returns the address the service uses. */
  databaseThrough?: (directUrl: string) => Promise<string>;
};

export function testEnvironment(sandbox: Sandbox, databaseUrl: string): Record<string, string> {
  const { addresses } = sandbox;
  return {
    SANDBOX: "off",
    DATABASE_URL: databaseUrl,
    PLATFORM_CLIENT_ID: CLIENT_ID,
    PLATFORM_APP_SECRET: APP_SECRET,
    JWT_SECRET: "test-jwt-secret-0123456789",
    ADMIN_KEY,
    SECRETS_KEY: Buffer.alloc(32, 7).toString("base64"),
    WORKER_WEBHOOK_SECRET,
    STOREFRONT_URL_TEMPLATE: addresses.storefrontUrlTemplate,
    CMS_API_URL: addresses.cmsApiUrl,
    ANALYTICS_API_URL: addresses.analyticsApiUrl,
    EMAIL_API_URL: addresses.emailApiUrl,
    FEDERATED_ISSUER: addresses.federatedIssuer,
    EMAIL_API_KEY: "test-email-key",
    EMAIL_FROM: "Test Store <hello@test-store.example>",
    OUTBOUND_ALLOW: "127.0.0.1",
    RATE_LIMIT_SCALE: "0",
    DATABASE_POOL: "8",
    WORKER_POLL_MS: "1000",
    STOP_GRACE_SECONDS: "0",
    // Without the scheduled run: its leases and counts would appear in every test's tables.
    ROLES: "web,worker",
  };
}

export function sign(raw: string | Buffer, secret = APP_SECRET): string {
  return createHmac("sha256", secret).update(raw).digest("base64");
}

/** Calls a service as a client does, with the operator's key by default. */
export const createCall =
  (url: string): Service["call"] =>
  async (method, path, { body, headers = {}, key = ADMIN_KEY } = {}) => {
    const isRaw = typeof body === "string" || body instanceof Buffer;
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: {
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...(key && { Authorization: `Bearer ${key}` }),
        ...headers,
      },
      ...(body !== undefined && { body: (isRaw ? body : JSON.stringify(body)) as BodyInit }),
    });
    const text = await response.text();
    let json: any;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return { status: response.status, headers: response.headers, text, json };
  };

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const database = await freshDatabase();
  // As in server.ts. With Node's 5 s a client that was busy for longer writes to a closed connection.
  const server = createServer({ keepAliveTimeout: 65_000 });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sandbox = await startSandbox({
    app: {
      url,
      clientId: CLIENT_ID,
      clientSecret: APP_SECRET,
      webhookSecret: WORKER_WEBHOOK_SECRET,
    },
    console: { adminKey: ADMIN_KEY },
  });
  const logged: Record<string, unknown>[] = [];
  const log: Log = createLog("info", {
    write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>),
  });
  const databaseUrl = (await options.databaseThrough?.(database.serviceUrl)) ?? database.serviceUrl;
  // A separate archive: checkpoints of another test's chain do not match this one's.
  const archive = mkdtempSync(join(tmpdir(), "customer-identity-archive-"));
  const config = shapeConfig(
    {
      NODE_ENV: "test",
      ARCHIVE_URL: `file:${archive}`,
      ...testEnvironment(sandbox, databaseUrl),
      BASE_URL: url,
      ...options.env,
      ...options.envFrom?.(sandbox, database),
    },
    () => ({}),
  );
  const ctx = createCtx({
    channels,
    renderThemeFooters,
    config,
    databaseUrl,
    baseUrl: url,
    log,
    ...(options.clock && { clock: options.clock }),
  });
  const built = options.withScreens
    ? await createScreens({
        ctx,
        root: resolve(import.meta.dirname, "../.."),
        admin: {
          appBridgeUrl: sandbox.addresses.appBridgeUrl,
          ...(options.isFramed && { adminOrigin: sandbox.url }),
        },
      })
    : null;
  const screens = built ?? {
    handle: (_: unknown, response: { writeHead(status: number): { end(): void } }) =>
      response.writeHead(404).end(),
  };
  const { routes, violations } = checkResponses(await loadRoutes());
  server.on("request", createListener({ ctx, routes, screens }));
  const background = options.background ? await startBackground(ctx) : null;

  const call = createCall(url);

  return {
    url,
    ctx,
    sandbox,
    database,
    objects: openObjectStore(config.ARCHIVE_URL, "/"),
    logged,
    hasWorkers: background !== null,
    call,
    async addTenant(shop, fields = {}) {
      const answer = await call("POST", `/config?shop=${shop}`, {
        body: {
          cms_api_token: "cms-token-0123456789",
          cms_customers_collection_id: sandbox.cms.customersCollectionId,
          analytics_measurement_id: "G-TEST1",
          analytics_api_secret: "analytics-secret-012345",
          auth_redirect_origin: RETURN_ORIGIN,
          federated_client_id: sandbox.federated.clientId,
          federated_client_secret: sandbox.federated.clientSecret,
          profile_platform_enabled: true,
          profile_platform_url: sandbox.addresses.profilePlatformUrl,
          profile_platform_token: "profile-token-0123456789",
          ...fields,
        },
      });
      if (answer.status !== 200) throw new Error(`${shop} could not be configured: ${answer.text}`);
      await changeTenantRecord(ctx, shop, {
        set: { password_iterations: fields.password_iterations ?? QUICK_ITERATIONS },
        connection: { primary_host: sandbox.storefront.primaryHost(shop) },
      });
    },
    webhook: (slug, raw, { shop = SHOP, secret = APP_SECRET, headers = {} } = {}) =>
      call("POST", `/webhooks/${slug}`, {
        body: raw,
        key: null,
        headers: {
          "X-Storefront-Hmac-SHA256": sign(raw, secret),
          "X-Storefront-Shop-Domain": shop,
          ...headers,
        },
      }),
    async stop() {
      await background?.stop();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await built?.close();
      await sandbox.stop();
      await ctx.close();
      await database.drop();
      rmSync(archive, { recursive: true, force: true });
      if (violations.size > 0)
        throw new Error(
          `Responses that their routes do not declare (result, answers):\n${[...violations].join("\n")}`,
        );
    },
  };
}

/** How long `eventually` waits between two checks. */
const CHECK_EVERY_MS = { first: 10, last: 50 };

/**
 * Repeats `check` until it returns a value; throws with `what` on timeout. What takes long is checked less
 * often, because the checks take the processor from what they wait for.
 */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  withinMs = 30_000,
): Promise<T> {
  const { first, last } = CHECK_EVERY_MS;
  const begunAt = Date.now();
  for (;;) {
    const found = await check();
    if (found) return found;
    const waitedMs = Date.now() - begunAt;
    if (waitedMs > withinMs) throw new Error(`waited ${withinMs} ms for: ${what}`);
    const pauseMs = Math.min(last, Math.max(first, waitedMs / 20));
    await new Promise((again) => setTimeout(again, pauseMs));
  }
}
