// Every mounted endpoint is in the contract's tables below, with its method and authentication: a route
// without an entry here, or with another guard, fails.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { flatRoutes } from "@remix-run/fs-routes";
import { beforeAll, describe, expect, test } from "vitest";
import { METHODS } from "../app/http/endpoint.ts";
import type { Auth } from "../app/http/auth/schemes.ts";
import {
  isApiPath,
  loadRoutes,
  loadRoutesAt,
  pathOfFile,
  type RouteTable,
} from "../app/http/route-table.ts";
import { WEBHOOK_TOPICS } from "../app/domain/tenants/storefront/webhook-topics.ts";

// SPEC "Endpoints" and DECISIONS 3, 10, 12. `admin`: the bearer admin key; `platform`: ADMIN_KEY only;
// `hmac`: the storefront's signature; `session`: a signed-in person; `person`: the same, or an
// agent with the person's consent; `person_or_admin`: one of these or the admin key;
// `event_source`, `backend`, `backend_key`: an event's source, the backend that calls back, a
// caller that enqueues for the backend; `staff`: a user of the store's admin; `none`: public.
const CONTRACT: [methodAndPath: string, auth: Auth][] = [
  ["GET /health", "none"],
  ["GET /health/live", "none"],
  ["GET /health/ready", "none"],
  ["GET /metrics", "platform"],
  ["GET /openapi.json", "none"],
  ["GET /auth/install", "none"],
  ["GET /admin/storefront-install", "none"],
  ["GET /auth/callback", "none"],
  ["GET /admin/storefront-callback", "none"],
  ["GET /config", "admin"],
  ["POST /config", "admin"],
  ["GET /platform/config", "platform"],
  ["POST /platform/config", "platform"],
  ["GET /admin/tenants", "admin"],
  ["POST /admin/provision-region", "admin"],
  ["POST /admin/move-tenant", "admin"],
  ["GET /admin/moves/:id", "platform"],
  ["DELETE /admin/moves/:id", "platform"],
  ["POST /admin/storefront-refresh", "admin"],
  ["GET /admin/storefront-test", "admin"],
  ["GET /admin/public-hosts", "admin"],
  ["POST /admin/public-hosts", "admin"],
  ["POST /events/ingest", "event_source"],
  ["POST /events/deliver", "backend"],
  ["PATCH /events/:id/status", "backend"],
  ["POST /integration-enqueue", "backend_key"],
  ["GET /admin/events/status", "event_admin"],
  ["GET /admin/events/log", "event_admin"],
  ["GET /admin/upc-mappings", "event_admin"],
  ["PUT /admin/upc-mappings", "event_admin"],
  ["GET /admin/firmware", "event_admin"],
  ["PUT /admin/firmware/:mpn", "event_admin"],
  ["GET /admin/mappings/:channel/:entity_type", "event_admin"],
  ["PUT /admin/mappings/:channel/:entity_type", "event_admin"],
  ["POST /admin/events/replay", "event_admin"],
  ["GET /admin/destinations", "event_admin"],
  ["PUT /admin/destinations", "event_admin"],
  ["POST /admin/destinations/:channel/probe", "event_admin"],
  ["POST /webhooks/:topic", "hmac"],
  ["POST /flow/actions/:action", "flow"],
  ["GET /extensions/admin/customer", "staff"],
  ["GET /extensions/admin/segment", "staff"],
  ["POST /extensions/admin/segment-runs", "staff"],
  ["GET /extensions/admin/segment-runs/:id", "staff"],
  ["GET /customer-account", "account_token"],
  ["DELETE /customer-account", "account_token"],
  ["POST /customer-account/consents", "account_token"],
  ["GET /customer-account/history", "account_token"],
  ["GET /customer-account/receipts/:consent_id", "account_token"],
  ["DELETE /customer-account/agents/:id", "account_token"],
  ["DELETE /customer-account/mandates/:id", "account_token"],
  ["POST /customer-account/export", "account_token"],
  ["GET /customer-account/export", "none"],
  ["POST /auth/signup", "none"],
  ["POST /auth/login", "none"],
  ["POST /auth/logout", "session"],
  ["GET /auth/me", "person"],
  ["DELETE /auth/me", "session"],
  ["GET /auth/me/export", "session"],
  ["GET /auth/profile", "person"],
  ["PATCH /auth/profile", "session"],
  ["POST /auth/password/forgot", "none"],
  ["GET /auth/password/reset", "none"],
  ["POST /auth/password/reset", "none"],
  ["GET /auth/verify-email", "none"],
  ["POST /auth/verify-email", "none"],
  ["POST /auth/session", "none"],
  ["GET /auth/federated/login", "none"],
  ["GET /auth/federated/callback", "none"],
  ["GET /auth/storefront/login", "none"],
  ["GET /auth/storefront/callback", "none"],
  ["POST /auth/consent-sync", "visitor"],
  ["GET /auth/consent-confirm", "none"],
  ["POST /auth/consent-confirm", "none"],
  ["GET /ucp/consent-history", "session"],
  ["GET /ucp/consent-receipt/:consent_id", "session"],
  ["GET /admin/consent/verify", "admin"],
  ["POST /admin/consent/policies", "admin"],
  ["POST /admin/init-tag-system", "admin"],
  ["POST /admin/tags/assign", "admin"],
  ["POST /ucp/tags", "shopper"],
  ["GET /tags/catalog", "session"],
  ["GET /tags/mine", "session"],
  ["GET /segment/current", "session"],
  ["POST /segment/assign", "session"],
  ["POST /sync/customers", "admin"],
  ["POST /sync/cms", "admin"],
  ["GET /admin/scheduled-run", "platform"],
  ["POST /admin/scheduled-run", "platform"],
  ["GET /privacy", "none"],
  ["POST /gdpr/data-request", "hmac"],
  ["POST /gdpr/customer-redact", "hmac"],
  ["POST /gdpr/shop-redact", "hmac"],
  ["GET /gdpr/export", "none"],
  ["POST /gdpr/export", "none"],
  ["GET /commerce/products", "none"],
  ["GET /commerce/identity", "person"],
  ["GET /commerce/orders", "person"],
  ["GET /commerce/orders/:id", "person"],
  ["GET /commerce/mandates", "person"],
  ["POST /commerce/mandates", "person"],
  ["GET /commerce/mandates/:id", "person_or_admin"],
  ["DELETE /commerce/mandates/:id", "person_or_admin"],
  ["GET /commerce/mandates/:id/proof", "person_or_admin"],
  ["GET /commerce/mandates/verify", "none"],
  ["POST /commerce/mandates/verify", "none"],
  ["POST /commerce/checkout", "person"],
  ["GET /commerce/checkout/:id", "person_or_admin"],
  ["POST /commerce/checkout/:id/update", "person"],
  ["POST /commerce/checkout/:id/complete", "person"],
  ["POST /commerce/checkout/:id/cancel", "person"],
  ["GET /commerce/returns/:rma", "person_or_admin"],
  ["GET /admin/access-log", "admin"],
  ["GET /admin/agent-activity", "admin"],
  ["GET /admin/privacy-requests", "admin"],
  ["GET /admin/privacy-export/:id", "admin"],
  ["GET /.well-known/ucp", "none"],
  ["GET /.well-known/ucp/:version", "none"],
  ["GET /.well-known/agent-card.json", "none"],
  ["GET /.well-known/gpc.json", "none"],
  ["GET /.well-known/oauth-authorization-server", "none"],
  ["GET /.well-known/oauth-authorization-server/:shop", "none"],
  ["GET /.well-known/oauth-protected-resource", "none"],
  ["GET /.well-known/oauth-protected-resource/:resource", "none"],
  ["POST /oauth/register", "none"],
  ["GET /oauth/authorize", "none"],
  ["GET /oauth/authorize/:shop", "none"],
  ["POST /oauth/authorize/:shop", "none"],
  ["POST /oauth/authorize", "none"],
  ["POST /oauth/token", "none"],
  ["POST /oauth/revoke", "none"],
  ["GET /embed/account", "none"],
  ["GET /embed/account.js", "none"],
  ["GET /embed/dashboard", "none"],
  ["GET /embed/dashboard.js", "none"],
  ["GET /oauth/activity", "session"],
  ["GET /oauth/grants", "session"],
  ["DELETE /oauth/grants/:id", "session"],
  ["POST /mcp", "none"],
  ["GET /embed/footer", "none"],
  ["POST /embed/banner-events", "visitor"],
  ["GET /embed/compliance", "none"],
  ["GET /embed/cookies", "none"],
  ["GET /embed/policy", "none"],
  ["GET /embed/stack-bridge.js", "none"],
  ["GET /embed/stack-loader.js", "none"],
  ["POST /a2a", "none"],
];

// Routes that the storefront's app proxy reaches below /proxy, with the query parameters of each
// beside the platform's own: the pages and scripts of a theme, and the calls they make.
const PROXIED: [methodAndPath: string, parameters: string[]][] = [
  ["GET /embed/account", ["locale", "return_to", "error"]],
  ["GET /embed/account.js", []],
  ["GET /embed/compliance", ["locale"]],
  ["GET /embed/cookies", ["locale"]],
  ["GET /embed/dashboard", ["locale", "return_to", "error"]],
  ["GET /embed/dashboard.js", []],
  ["GET /embed/footer", ["locale"]],
  ["GET /embed/stack-bridge.js", []],
  ["GET /embed/stack-loader.js", ["locale"]],
  ["POST /embed/banner-events", ["locale"]],
  ["POST /auth/consent-sync", ["locale"]],
  ["POST /auth/session", []],
  ["POST /ucp/tags", ["locale"]],
];

/**
 * Public POST endpoints: each is rate limited, needs a mailed or one-time secret, or asks for a
 * token before it acts.
 */
const OPEN_TO_ALL = [
  "POST /a2a",
  "POST /auth/consent-confirm",
  "POST /auth/login",
  "POST /auth/password/forgot",
  "POST /auth/password/reset",
  "POST /auth/session",
  "POST /auth/signup",
  "POST /auth/verify-email",
  "POST /commerce/mandates/verify",
  "POST /gdpr/export",
  "POST /mcp",
  "POST /oauth/register",
];

/** The app library's own pages: no endpoints, served by Remix. */
const PAGES_OF_THE_LIBRARY = ["auth.shopify.exit-iframe.ts", "auth.shopify.session-token.ts"];

type Entry = { path?: string; file: string; index?: boolean; children?: Entry[] };
let table: RouteTable;
let remixPaths: Map<string, string>;

beforeAll(async () => {
  table = await loadRoutes();
  // Remix stores it there while it reads routes.ts.
  Object.assign(globalThis, { __remixAppDirectory: resolve(import.meta.dirname, "../app") });
  remixPaths = new Map(flatten(await flatRoutes(), ""));
});

function flatten(entries: Entry[], parent: string): [file: string, path: string][] {
  return entries.flatMap((entry) => {
    const path = [parent, entry.path].filter(Boolean).join("/");
    return [
      [entry.file.replace(/^routes\//, ""), `/${path}`] as [string, string],
      ...flatten(entry.children ?? [], path),
    ];
  });
}

const mounted = () =>
  table.all.flatMap(({ path, endpoint }) =>
    METHODS.filter((method) => endpoint.specs[method]).map(
      (method) => `${method} ${path} ${endpoint.specs[method]?.auth}`,
    ),
  );

describe("the mounted endpoints", () => {
  test("are exactly those of the contract, each with its guard", () => {
    // A new route needs its line in CONTRACT, copied from the contract's tables.
    expect(mounted().sort()).toEqual(CONTRACT.map(([route, auth]) => `${route} ${auth}`).sort());
  });

  test("can be loaded by path, without the others: a worker serves health and metrics only", async () => {
    const few = await loadRoutesAt(new Set(["/health", "/metrics"]));
    expect(few.all.map(({ path }) => path)).toEqual(["/health", "/metrics"]);
    expect(few.match("/health")?.path).toBe("/health");
    expect(few.match("/auth/me")).toBeNull();
  });

  test("that require a tenant's key resolve the tenant", () => {
    const blind = table.all.flatMap(({ path, endpoint }) =>
      METHODS.filter(
        (method) =>
          endpoint.specs[method]?.auth === "admin" && endpoint.specs[method]?.tenant === "none",
      ).map((method) => `${method} ${path}`),
    );
    // The bearer admin key belongs to a tenant: without one only `platform` can be checked.
    expect(blind).toEqual([]);
  });

  test("that accept a body without a key or a signature are listed", () => {
    const open = table.all.flatMap(({ path, endpoint }) =>
      METHODS.filter(
        (method) => endpoint.specs[method]?.body && endpoint.specs[method]?.auth === "none",
      ).map((method) => `${method} ${path}`),
    );
    expect(open.sort()).toEqual(OPEN_TO_ALL);
  });

  test("that the app proxy reaches are those of a theme's pages", () => {
    const reached = table.all.flatMap(({ path, endpoint }) =>
      METHODS.filter((method) => endpoint.specs[method]?.proxied).map((method) => [
        `${method} ${path}`,
        Object.keys(endpoint.specs[method]?.proxied ?? {}),
      ]),
    );
    expect(new Map(reached as typeof PROXIED)).toEqual(new Map(PROXIED));
    for (const { path, endpoint } of table.all) {
      const match = table.match(`/proxy${path}`);
      expect([path, match?.isProxied ?? false]).toEqual([path, endpoint.proxied !== null]);
      expect(Object.keys(endpoint.proxied?.specs ?? {})).toEqual(
        METHODS.filter((method) => endpoint.specs[method]?.proxied),
      );
    }
  });

  test("have distinct paths", () => {
    expect(new Set(table.all.map(({ path }) => path)).size).toBe(table.all.length);
  });

  test("have a summary sentence", () => {
    for (const { endpoint } of table.all)
      for (const method of METHODS)
        if (endpoint.specs[method])
          expect(endpoint.specs[method]?.summary).toMatch(/^[A-Z`].*\.$/s);
  });

  test("are below paths whose unknown neighbours answer a JSON 404", () => {
    expect(table.all.filter(({ path }) => !isApiPath(path)).map(({ path }) => path)).toEqual([]);
  });

  test("include a path for every topic of the storefront", () => {
    for (const { slug } of WEBHOOK_TOPICS)
      expect(table.match(`/webhooks/${slug}`)?.params).toEqual({ topic: slug });
    expect(WEBHOOK_TOPICS.map(({ slug }) => slug)).toEqual(
      expect.arrayContaining([
        "customer-create",
        "customer-update",
        "orders-create",
        "app-uninstalled",
      ]),
    );
  });
});

describe("a route file", () => {
  test("has the path that Remix assigns to it, for every endpoint", () => {
    for (const { file, path } of table.all)
      expect([file, remixPaths.get(file)]).toEqual([file, path]);
  });

  test("without an endpoint is a page of the app library, or does not belong among the .ts files", () => {
    const endpoints = new Set(table.all.map(({ file }) => file));
    const others = [...remixPaths.keys()].filter(
      (file) => file.endsWith(".ts") && !endpoints.has(file) && !file.startsWith("app."),
    );
    // Anything else must export `route` from endpoint(), or Remix serves it without a guard.
    expect(others.sort()).toEqual(PAGES_OF_THE_LIBRARY);
  });

  test("below /app authenticates by the admin's session token in every loader and action", () => {
    const screens = [...remixPaths.keys()].filter(
      (file) => /^app[._]/.test(file) || file === "app.tsx",
    );
    const proofs =
      /authenticate\.(?:admin|shop)\(|read(?:Keyed)?ScreenPage\(|= define(?:Shop|Json)?Actions\(/;
    const bare = screens.flatMap((file) => {
      const text = readFileSync(join(resolve(import.meta.dirname, "../app/routes"), file), "utf8");
      const doors = text
        .split(/^export (?=(?:async function|const) (?:loader|action)\b)/m)
        .slice(1);
      return doors
        .filter((door) => !proofs.test(door) && !door.startsWith("const action = loader"))
        .map((door) => `${file}: ${door.slice(0, 40)}`);
    });
    expect(screens.length).toBeGreaterThan(10);
    // The store comes from that token only: a loader or action without it is public.
    expect(bare).toEqual([]);
  });

  test.each([
    ["events.$id.status.ts", "/events/:id/status"],
    ["[.]well-known.ucp.ts", "/.well-known/ucp"],
    ["embed.stack-loader[.]js.ts", "/embed/stack-loader.js"],
    ["health.ts", "/health"],
  ])("%s is %s", (file, path) => {
    expect(pathOfFile(file)).toBe(path);
  });
});

describe("matching a path", () => {
  test.each(["/health", "/health/", "/config", "/webhooks/customer-update"])(
    "finds its endpoint: %s",
    (path) => {
      expect(table.match(path)).not.toBeNull();
    },
  );

  test.each([
    "/",
    "",
    "//health",
    "/health//",
    "/HEALTH",
    "/webhooks",
    "/webhooks/",
    "/webhooks//",
    "/webhooks/a/b",
    "/config.json",
    "/constructor",
    "/__proto__",
    "/webhooks/%E0%A4%A",
  ])("finds nothing else: %s", (path) => {
    expect(table.match(path)).toBeNull();
  });
});
