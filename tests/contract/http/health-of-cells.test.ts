// /health and /health/ready of processes that serve other cells than home, or several.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createCtx, type Ctx } from "../../../app/context.server.ts";
import { channels } from "../../../app/domain/channels/index.ts";
import { renderThemeFooters } from "../../../app/embeds/theme-footers.ts";
import { loadRoutes } from "../../../app/http/route-table.ts";
import { createListener } from "../../../app/http/serve.ts";
import { freshDatabase, type TestDatabase } from "../../support/database.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../../support/processes/database-proxy.ts";
import { createCall, eventually, startService, type Service } from "../../support/service.ts";

type Process = { ctx: Ctx; call: Service["call"]; stop(): Promise<void> };

let service: Service;
let eu: TestDatabase;
let toHome: DatabaseProxy;
let toEu: DatabaseProxy;
let ofEu: Process;
let ofBoth: Process;

beforeAll(async () => {
  service = await startService();
  eu = await freshDatabase();
  toHome = await startDatabaseProxy(service.database.directServiceUrl);
  toEu = await startDatabaseProxy(eu.directServiceUrl);
  [ofEu, ofBoth] = await Promise.all([startProcess(["eu"]), startProcess(["default", "eu"])]);
});
afterEach(async () => {
  for (const proxy of [toHome, toEu]) await proxy.restore();
  for (const { call } of [ofEu, ofBoth])
    await eventually("the recovery", async () => (await call("GET", "/health")).status === 200);
});
afterAll(async () => {
  for (const process of [ofEu, ofBoth]) await process.stop();
  for (const proxy of [toHome, toEu]) await proxy.stop();
  await service.stop();
  await eu.drop();
});

async function startProcess(cells: string[]): Promise<Process> {
  const ctx = createCtx({
    channels,
    renderThemeFooters,
    config: {
      ...service.ctx.config,
      regionDatabaseUrls: { eu: toEu.url },
      servedCells: new Set(cells),
    },
    databaseUrl: toHome.url,
    baseUrl: service.url,
    log: service.ctx.log,
  });
  const screens = {
    handle: (_: unknown, response: { writeHead(status: number): { end(): void } }) =>
      response.writeHead(404).end(),
  };
  const server = createServer(createListener({ ctx, routes: await loadRoutes(), screens }));
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    ctx,
    call: createCall(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    async stop() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await ctx.close();
    },
  };
}

const ask = async ({ call }: Process, path: string) => {
  const { status, json } = await call("GET", path, { key: null });
  return [status, json.status, json.checks];
};
const OK = { database: "ok", migrations: "ok" };
const AWAY = { database: "unreachable", migrations: "unknown" };

describe("a process that serves another cell only", () => {
  test.each(["refuse", "silence"] as const)(
    "stays ready while home is away (%s), which /health shows as degraded",
    async (how) => {
      await toHome[how]();
      expect(await ask(ofEu, "/health/ready")).toEqual([
        200,
        "ready",
        { ...OK, process: "ok", cells: { eu: OK }, home: AWAY },
      ]);
      expect(await ask(ofEu, "/health")).toEqual([
        503,
        "degraded",
        { database: "unreachable", cells: { eu: "ok" }, home: "unreachable" },
      ]);
    },
  );

  test.each(["refuse", "silence"] as const)(
    "is neither ready nor healthy while its own cell is away (%s)",
    async (how) => {
      await toEu[how]();
      expect(await ask(ofEu, "/health/ready")).toEqual([
        503,
        "not_ready",
        { ...AWAY, process: "ok", cells: { eu: AWAY }, home: OK },
      ]);
      expect(await ask(ofEu, "/health")).toEqual([
        503,
        "degraded",
        { database: "unreachable", cells: { eu: "unreachable" }, home: "ok" },
      ]);
    },
  );
});

describe("a process that serves several cells", () => {
  test.each([
    ["home", () => toHome, { default: 0, eu: 1 }],
    ["the other one", () => toEu, { default: 1, eu: 0 }],
  ] as const)(
    "gives its metrics before the database's own time limit while %s is silent, and says which is down",
    async (_, proxy, up) => {
      // A connection that is open by then would wait for ten seconds.
      await ofBoth.call("GET", "/metrics");
      proxy().silence();
      const waiting = ofBoth.ctx.regions
        .get(up.eu === 0 ? "eu" : "default")
        .acrossTenants("SELECT 1")
        .then(
          () => "answered",
          () => "given up",
        );
      const metrics = ofBoth.call("GET", "/metrics");
      const first = await Promise.race([metrics, waiting]);
      expect(first).toMatchObject({ status: 200 });
      const { text } = await metrics;
      for (const [region, value] of Object.entries(up))
        expect(text).toContain(`database_up{region="${region}"} ${value}`);
      expect(await waiting).toBe("given up");
    },
  );

  test("names them when all are well", async () => {
    expect(await ask(ofBoth, "/health")).toEqual([
      200,
      "ok",
      { database: "ok", cells: { default: "ok", eu: "ok" } },
    ]);
  });

  test("stays ready while one of them is usable, whichever it is, and is degraded meanwhile", async () => {
    await toEu.refuse();
    expect(await ask(ofBoth, "/health/ready")).toEqual([
      200,
      "ready",
      { ...OK, process: "ok", cells: { default: OK, eu: AWAY } },
    ]);
    expect(await ask(ofBoth, "/health")).toEqual([
      503,
      "degraded",
      { database: "unreachable", cells: { default: "ok", eu: "unreachable" } },
    ]);
    await toEu.restore();
    await toHome.refuse();
    await eventually(
      "the other one",
      async () => (await ask(ofBoth, "/health/ready"))[2].cells.eu.database === "ok",
    );
    expect(await ask(ofBoth, "/health/ready")).toEqual([
      200,
      "ready",
      { ...OK, process: "ok", cells: { default: AWAY, eu: OK } },
    ]);
  });

  test("is not ready while none is usable", async () => {
    await toHome.refuse();
    await toEu.refuse();
    expect((await ask(ofBoth, "/health/ready")).slice(0, 2)).toEqual([503, "not_ready"]);
  });
});
