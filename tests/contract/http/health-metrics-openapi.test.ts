// /health, /metrics and /openapi.json.
import { channels } from "../../../app/domain/channels/index.ts";
import { renderThemeFooters } from "../../../app/embeds/theme-footers.ts";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { Gauge } from "prom-client";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { startBackground, type Background } from "../../../app/boot.server.ts";
import { createCtx, type Ctx } from "../../../app/context.server.ts";
import { METHODS } from "../../../app/http/endpoint.ts";
import { AUTH_SCHEMES, type Auth } from "../../../app/http/auth/schemes.ts";
import { serviceDocument } from "../../../app/http/openapi/service-document.ts";
import { loadRoutes } from "../../../app/http/route-table.ts";
import { createListener } from "../../../app/http/serve.ts";
import { registry } from "../../../app/runtime/telemetry/metrics.ts";
import {
  ADMIN_KEY,
  APP_SECRET,
  eventually,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../../support/processes/database-proxy.ts";
import { WORK_QUEUES } from "../../support/work-queues.ts";
import { CUSTOMER_2024_10 } from "../../support/storefront/payloads.ts";

const TENANT_KEY = "tenant-key-of-the-test-store";
let service: Service;

beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP, { admin_key: TENANT_KEY });
});
afterAll(() => service.stop());

test("a healthy service answers with its name and version, without a key", async () => {
  const answer = await service.call("GET", "/health", { key: null });
  expect([answer.status, answer.json]).toEqual([
    200,
    {
      status: "ok",
      service: "customer-identity-service",
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      checks: { database: "ok" },
    },
  ]);
});

test("a process is live, and ready until a migration is missing or it is stopping", async () => {
  const ask = async (path: string) => {
    const { status, json } = await service.call("GET", path, { key: null });
    return { status, checks: json.checks };
  };
  const ok = { database: "ok", migrations: "ok", process: "ok" };
  expect(await ask("/health/ready")).toEqual({ status: 200, checks: ok });

  const [newest] = await service.database.query(
    "UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = (SELECT id FROM _prisma_migrations ORDER BY migration_name DESC LIMIT 1) RETURNING id",
  );
  expect(await ask("/health/ready")).toEqual({
    status: 503,
    checks: { ...ok, migrations: "pending" },
  });
  await service.database.query(
    "UPDATE _prisma_migrations SET rolled_back_at = NULL WHERE id = $1",
    [newest.id],
  );

  // The last look of this file at its own service: stopping cannot be undone.
  service.ctx.startDraining();
  const about = { service: "customer-identity-service", version: expect.any(String) };
  const answer = await service.call("GET", "/health/ready", { key: null });
  expect([answer.status, answer.json]).toEqual([
    503,
    { status: "not_ready", ...about, checks: { ...ok, process: "draining" } },
  ]);
  expect((await service.call("GET", "/health/live", { key: null })).json).toEqual({
    status: "ok",
    ...about,
  });
});

describe("a service without its database", () => {
  let proxy: DatabaseProxy;
  let ctx: Ctx;
  let server: Server;
  let background: Background;
  let url: string;

  // The same database through a connection that the test can cut.
  beforeAll(async () => {
    proxy = await startDatabaseProxy(service.ctx.config.DATABASE_URL as string);
    ctx = createCtx({
      channels,
      renderThemeFooters,
      config: service.ctx.config,
      databaseUrl: proxy.url,
      baseUrl: service.url,
      log: service.ctx.log,
    });
    server = createServer(
      createListener({
        ctx,
        routes: await loadRoutes(),
        screens: { handle: (_, response) => void response.writeHead(404).end() },
      }),
    );
    await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    background = await startBackground(ctx);
  });
  afterAll(async () => {
    await proxy.restore();
    await background.stop();
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    await ctx.close();
    await proxy.stop();
  });

  const get = async (path: string) => {
    const response = await fetch(url + path, { headers: { Authorization: `Bearer ${ADMIN_KEY}` } });
    return { status: response.status, headers: response.headers, json: await response.json() };
  };
  const isHealthy = async () => (await get("/health")).status === 200;

  test.each([
    ["refused", "refuse"],
    ["silent", "silence"],
  ] as const)(
    "is degraded while the connection is %s, answers 503 and not 500, and recovers by itself",
    async (_, how) => {
      await eventually("the healthy start", isHealthy);
      await proxy[how]();
      const [health, refused] = await Promise.all([get("/health"), get(`/config?shop=${SHOP}`)]);
      expect([health.status, health.json]).toEqual([
        503,
        {
          status: "degraded",
          service: "customer-identity-service",
          version: expect.any(String),
          checks: { database: "unreachable" },
        },
      ]);
      const [live, ready] = await Promise.all([get("/health/live"), get("/health/ready")]);
      expect([live.status, ready.status, ready.json.checks.database]).toEqual([
        200,
        503,
        "unreachable",
      ]);
      expect([
        refused.status,
        refused.json.error,
        refused.json.code,
        refused.headers.get("retry-after"),
      ]).toEqual([503, "ServiceUnavailable", "database_unavailable", "2"]);
      await proxy.restore();
      await eventually("the recovery", isHealthy);
      expect((await get(`/config?shop=${SHOP}`)).status).toBe(200);
    },
  );

  test("processes the work that arrived elsewhere, once it is back", async () => {
    await proxy.refuse();
    const id = "arrived-while-away";
    expect(
      (
        await service.webhook("customer-update", CUSTOMER_2024_10, {
          headers: { "X-Shopify-Webhook-Id": id },
        })
      ).status,
    ).toBe(200);
    expect(
      await service.database.query("SELECT status FROM webhook_inbox WHERE delivery_id = $1", [id]),
    ).toEqual([{ status: "pending" }]);
    await proxy.restore();
    await eventually(
      "the webhook to be handled",
      async () =>
        (
          await service.database.query(
            "SELECT 1 FROM webhook_inbox WHERE delivery_id = $1 AND status = 'done'",
            [id],
          )
        ).length === 1,
    );
  });

  test("is also degraded when the database accepts no more connections", async () => {
    const name = new URL(service.ctx.config.DATABASE_URL as string).pathname.slice(1);
    const beside = new pg.Client({ connectionString: inject("databaseServer").url });
    await beside.connect();
    await beside.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await beside.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
      [name],
    );
    try {
      expect((await get("/health")).status).toBe(503);
      expect((await get(`/config?shop=${SHOP}`)).status).toBe(503);
    } finally {
      await beside.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
      await beside.end();
    }
    await eventually("the recovery", isHealthy);
  });
});

describe("the metrics", () => {
  test.each(WORK_QUEUES)(
    "say how many rows of $name lost three leases in a row",
    async ({ name, stateColumn, running, seed }) => {
      const shown = async () => {
        const { text } = await service.call("GET", "/metrics");
        const line = new RegExp(`^queue_rows_losing_leases\\{.*queue="${name}"\\} (\\d+)$`, "m");
        return Number(line.exec(text)?.[1]);
      };
      expect(await shown()).toBe(0);
      const ids = await seed(service.database, 3);
      const lose = (id: string | undefined, times: number) =>
        service.database.query(
          `UPDATE ${name} SET ${stateColumn} = '${running}', attempt_token = gen_random_uuid(),
            locked_until = now() + interval '1 hour', lease_lost = $2 WHERE id::text = $1`,
          [id, times],
        );
      await lose(ids[0], 3);
      await lose(ids[1], 2);
      expect(await shown()).toBe(1);
      await service.database.query(`DELETE FROM ${name} WHERE id::text = ANY($1)`, [ids]);
    },
  );

  test("are Prometheus text for the operator, with requests and queues", async () => {
    await service.call("GET", `/config?shop=${SHOP}`);
    const answer = await service.call("GET", "/metrics");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toMatch(/^text\/plain; version=/);
    expect(answer.text).toMatch(
      /^http_request_duration_seconds_count\{method="GET",route="\/config",status="200"\} [1-9]/m,
    );
    expect(answer.text).toMatch(/^# TYPE queue_depth gauge$/m);
  });

  test("have a value that is not known yet as NaN, in the spelling of the format", async () => {
    const gauge = new Gauge({ name: "not_known_yet", help: "A test's.", registers: [registry] });
    gauge.set(Number.NaN);
    const { text } = await service.call("GET", "/metrics");
    registry.removeSingleMetric("not_known_yet");
    expect(text).toMatch(/^not_known_yet NaN$/m);
  });

  test("name routes and never what a caller typed", async () => {
    await service.call("GET", "/admin/typed-by-a-caller");
    await service.call("POST", "/webhooks/typed-by-a-caller", { body: "{}" });
    const { text } = await service.call("GET", "/metrics");
    expect(text).not.toContain("typed-by-a-caller");
    expect(text).toContain('route="/webhooks/:topic"');
  });

  test.each([
    ["nobody", null],
    ["a store", TENANT_KEY],
    ["the app", APP_SECRET],
  ])("reject %s", async (_, key) => {
    expect((await service.call("GET", "/metrics", { key })).status).toBe(401);
    expect((await service.call("GET", `/metrics?shop=${SHOP}`, { key })).status).toBe(401);
  });
});

describe("the OpenAPI document", () => {
  /** The alternatives: a session is a token or a cookie; a visitor may have no credential. */
  const NOTHING = "";
  const WAYS_IN: Record<Auth, string[]> = {
    none: [],
    visitor: ["sessionToken", "sessionCookie", NOTHING],
    admin: ["adminKey"],
    event_admin: ["adminKey"],
    platform: ["platformKey"],
    hmac: ["storefrontSignature"],
    flow: ["storefrontSignature"],
    staff: ["adminSessionToken"],
    session: ["sessionToken", "sessionCookie"],
    shopper: ["sessionToken", "sessionCookie"],
    account_token: ["accountToken"],
    person: ["sessionToken", "sessionCookie", "agentToken"],
    person_or_admin: ["sessionToken", "sessionCookie", "agentToken", "adminKey"],
    event_source: ["storefrontSignature", "erpToken", "backendSecret", "pixelKey", "adminKey"],
    backend: ["backendSecret", "backendBearer"],
    backend_key: ["backendKey"],
  };
  type Operation = {
    operationId: string;
    tags: string[];
    security: Record<string, []>[];
    responses: Record<string, unknown>;
    parameters: { name: string; in: string }[];
    requestBody?: object;
  };
  const read = async () =>
    (await service.call("GET", "/openapi.json", { key: null })).json as {
      openapi: string;
      tags: { name: string }[];
      paths: Record<string, Record<string, Operation>>;
      components: { securitySchemes: object; schemas: object; responses: object };
    };

  test("is of version 3.1 and lists exactly the mounted routes and their methods", async () => {
    const { openapi, paths } = await read();
    expect(openapi).toMatch(/^3\.1\./);
    const listed = Object.entries(paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const mounted = (await loadRoutes()).all.flatMap(({ path, endpoint }) =>
      METHODS.filter((method) => endpoint.specs[method]).map(
        (method) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`,
      ),
    );
    expect(listed.sort()).toEqual(mounted.sort());
  });

  test("is built once per process and kept by caches, because anybody may ask for it", async () => {
    const first = await serviceDocument(service.ctx);
    const { headers } = await service.call("GET", "/openapi.json", { key: null });
    expect(headers.get("cache-control")).toMatch(/^public, max-age=[1-9]/);
    const again = await service.call("GET", "/openapi.json", {
      key: null,
      headers: { "If-None-Match": headers.get("etag") as string },
    });
    expect([again.status, again.text]).toEqual([304, ""]);
    expect(await serviceDocument(service.ctx)).toBe(first);
  });

  test("states for every operation each declared response, the error shape, the authentication and the path parameters", async () => {
    const { paths, components } = await read();
    for (const { path, endpoint } of (await loadRoutes()).all)
      for (const method of METHODS) {
        const spec = endpoint.specs[method];
        if (!spec) continue;
        const operation = paths[path.replace(/:(\w+)/g, "{$1}")]?.[
          method.toLowerCase()
        ] as Operation;
        const declared = Object.keys(spec.answers ?? { 200: "" });
        const errors = [
          ...(spec.body || spec.accepts ? ["400", "413", "415"] : []),
          ...(AUTH_SCHEMES[spec.auth].phase === "before_shop" ? ["401"] : []),
          ...(spec.tenant === "registered" ? ["404"] : []),
          ...(spec.rateLimit ? ["429"] : []),
          "default",
        ];
        expect(Object.keys(operation.responses)).toEqual(
          expect.arrayContaining([...declared, ...errors]),
        );
        expect([path, operation.security]).toEqual([
          path,
          WAYS_IN[spec.auth].map((scheme) => (scheme === NOTHING ? {} : { [scheme]: [] })),
        ]);
        for (const scheme of WAYS_IN[spec.auth].filter(Boolean))
          expect(components.securitySchemes).toHaveProperty(scheme);
        expect(
          operation.parameters
            .filter((parameter) => parameter.in === "path")
            .map(({ name }) => name),
        ).toEqual([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
        expect([path, Boolean(operation.requestBody)]).toEqual([
          path,
          Boolean(spec.body ?? spec.accepts ?? spec.form),
        ]);
      }
    expect(components.schemas).toHaveProperty("Error");
  });

  test("gives every operation a name of its own and one of the listed groups", async () => {
    const { paths, tags } = await read();
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain("getCommerceOrdersById");
    const used = new Set(operations.flatMap((operation) => operation.tags));
    expect([...used].sort()).toEqual(tags.map(({ name }) => name).sort());
  });

  test("has no dangling reference and no secret", async () => {
    const document = await read();
    const text = JSON.stringify(document);
    for (const [, kind, name] of text.matchAll(/"#\/components\/(schemas|responses)\/(\w+)"/g))
      expect(document.components[kind as "schemas"]).toHaveProperty(name as string);
    for (const secret of [ADMIN_KEY, APP_SECRET, "postgres://"]) expect(text).not.toContain(secret);
  });
});
