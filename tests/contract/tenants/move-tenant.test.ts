// POST /admin/move-tenant and /admin/moves/:id: who may ask, and what is refused. No worker runs here: the moves
// themselves are in tests/domain/moves.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CUSTOMER_2024_10 } from "../../support/storefront/payloads.ts";
import { moveStore, rowsOfStore, startCells, type Cells } from "../../support/moves.ts";
import { ADMIN_KEY, APP_SECRET, OTHER_SHOP, SHOP } from "../../support/service.ts";

const TENANT_KEY = "tenant-key-of-the-test-store";
let cells: Cells;

beforeAll(async () => {
  cells = await startCells({
    env: {
      DATABASE_URL_AWAY: "postgresql://127.0.0.1:1/away",
    },
    envFrom: (_sandbox, database) => ({
      DATABASE_URL_TWIN: database.serviceUrl.replace("127.0.0.1", "localhost"),
      DIRECT_DATABASE_URL_TWIN: database.url.replace("127.0.0.1", "localhost"),
    }),
  });
  await cells.service.addTenant(SHOP, { admin_key: TENANT_KEY });
  await cells.service.addTenant(OTHER_SHOP);
});
afterAll(() => cells.stop());

const call = (method: string, path: string, body?: unknown, key: string | null = ADMIN_KEY) =>
  cells.service.call(method, path, { ...(body !== undefined && { body }), key });
const movePath = (shop = SHOP) => `/admin/move-tenant?shop=${shop}`;
const codeOf = async (answer: ReturnType<typeof call>) => {
  const { status, json } = await answer;
  return [status, json?.code];
};

describe("a move is refused", () => {
  test("to any key but the operator's", async () => {
    for (const [key, status] of [
      [null, 401],
      ["wrong-key-0123456789", 401],
      [TENANT_KEY, 403],
      [APP_SECRET, 403],
    ] as const)
      expect((await call("POST", movePath(), { to: "eu" }, key)).status).toBe(status);
    const path = "/admin/moves/00000000-0000-4000-8000-000000000000";
    for (const method of ["GET", "DELETE"])
      for (const key of [null, TENANT_KEY])
        expect((await call(method, path, undefined, key)).status).toBe(401);
  });

  test.each([
    [{ to: "mars" }, 400, "unknown_region"],
    [{ to: "EU" }, 400, "invalid_request"],
    [{ to: "eu'; DROP TABLE kv; --" }, 400, "invalid_request"],
    [{}, 400, "invalid_request"],
    [{ to: "default" }, 409, "move_not_possible"],
    [{ to: "away" }, 503, "database_unavailable"],
  ])("for %j", async (body, status, code) => {
    expect(await codeOf(call("POST", movePath(), body))).toEqual([status, code]);
  });

  test("for an unknown store, and by another method", async () => {
    expect(
      await codeOf(call("POST", movePath("unknown-store.myshopify.com"), { to: "eu" })),
    ).toEqual([404, "unknown_tenant"]);
    expect((await call("GET", movePath())).status).toBe(405);
  });

  test("when a role may not do it, with what to set and no address", async () => {
    const { directDatabaseUrls } = cells.service.ctx.config as {
      directDatabaseUrls: Record<string, string>;
    };
    const owner = directDatabaseUrls.default as string;
    directDatabaseUrls.default = cells.service.database.directServiceUrl;
    const answer = await moveStore(cells.service, "eu");
    directDatabaseUrls.default = owner;
    expect([answer.status, answer.json.code]).toEqual([409, "move_not_possible"]);
    expect(answer.json.missing).toEqual([
      expect.stringContaining("set DIRECT_DATABASE_URL to the role that does"),
      expect.stringMatching(/ALTER ROLE "\w+" REPLICATION/),
      expect.stringContaining("may not create publications and subscriptions in the cell default"),
    ]);
    expect(answer.text).not.toContain("postgres://");
  });
});

describe("between two names of one database", () => {
  const NAMES = /cells default and twin are one database: DATABASE_URL and DATABASE_URL_TWIN/;
  const rowsHere = () => rowsOfStore(cells.service.database);

  test("a move is refused, with both settings and no address, and no row is touched", async () => {
    await cells.service.webhook("customer-update", CUSTOMER_2024_10);
    const before = await rowsHere();
    const answer = await moveStore(cells.service, "twin");
    expect([answer.status, answer.json.code]).toEqual([409, "move_not_possible"]);
    expect(answer.json.missing).toEqual([expect.stringMatching(NAMES)]);
    expect(answer.text).not.toContain("postgresql://");
    expect(await rowsHere()).toEqual(before);
  });

  test.each([
    ["with rows", SHOP],
    ["without rows", OTHER_SHOP],
  ])("a store %s is not assigned, and is written on", async (_, shop) => {
    const answer = await cells.service.call("POST", `/admin/provision-region?shop=${shop}`, {
      body: { region: "twin" },
    });
    expect([answer.status, answer.json.code]).toEqual([409, "move_not_possible"]);
    expect(answer.json.missing).toEqual([expect.stringMatching(NAMES)]);
    expect((await call("GET", `/config?shop=${shop}`)).json.config.region).toBe("default");
    expect(await cells.service.database.query("SELECT 1 FROM held_stores")).toEqual([]);
    const written = await cells.service.webhook("customer-update", CUSTOMER_2024_10, { shop });
    expect(written.status).toBe(200);
  });
});

describe("a move that was asked for", () => {
  test("shows its progress, excludes a second one, and can be cancelled", async () => {
    const begun = await moveStore(cells.service, "eu");
    expect(begun.status).toBe(202);
    const { id, move } = begun.json;
    expect(move).toMatchObject({
      id,
      shop: SHOP,
      from: "default",
      to: "eu",
      state: "waiting",
      step: "prepare",
      error: null,
    });
    const shown = await call("GET", `/admin/moves/${id}`);
    expect([shown.status, shown.json]).toEqual([200, move]);

    await cells.service.database.query(
      `UPDATE store_moves SET progress = '{"lag_bytes": 12345}' WHERE id = $1`,
      [id],
    );
    const { text: metrics } = await call("GET", "/metrics");
    expect(metrics).toMatch(/^store_moves\{step="prepare"\} 1$/m);
    expect(metrics).toMatch(/^store_move_lag_bytes\{step="prepare"\} 12345$/m);
    expect(metrics).toMatch(/^store_move_age_seconds\{step="prepare"\} \d+$/m);
    expect(metrics).not.toContain(SHOP);

    const second = await moveStore(cells.service, "eu");
    expect([second.status, second.json.code, second.json.move_id]).toEqual([
      409,
      "move_in_progress",
      id,
    ]);
    expect(
      await codeOf(call("POST", `/admin/provision-region?shop=${SHOP}`, { region: "eu" })),
    ).toEqual([409, "move_in_progress"]);
    const atOnce = await Promise.all(
      Array.from({ length: 4 }, () => moveStore(cells.service, "eu", OTHER_SHOP)),
    );
    expect(atOnce.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(atOnce.filter(({ status }) => status === 409)).toHaveLength(3);

    expect((await call("DELETE", `/admin/moves/${id}`)).status).toBe(202);
    expect((await call("GET", `/config?shop=${SHOP}`)).json.config.region).toBe("default");
  });

  test("is not found under another id", async () => {
    for (const id of ["00000000-0000-4000-8000-000000000000", "1", "..%2f"])
      for (const method of ["GET", "DELETE"])
        expect((await call(method, `/admin/moves/${id}`)).status).toBe(404);
  });
});
