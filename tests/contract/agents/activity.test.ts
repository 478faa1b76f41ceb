// The record of what agents ask: each call with its agent, customer, outcome and amount; floods as
// numbers; nothing of an erased customer; nothing of another store.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ActivityFilters } from "../../../app/domain/agent-activity/activity-filters.ts";
import {
  listActivity,
  readActivityMark,
} from "../../../app/domain/agent-activity/activity-list.ts";
import { readActivityTotals } from "../../../app/domain/agent-activity/activity-totals.ts";
import {
  flushAgentCalls,
  recordAgentCall,
} from "../../../app/domain/agent-activity/record-agent-call.ts";
import { DONE, type AgentCall } from "../../../app/domain/agent-activity/agent-call.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { PASSWORD } from "../identity/people.ts";
import { newClient, newTokens, toolCall } from "../../support/agents/agent.ts";
import {
  completed,
  itemsOf,
  newPayer,
  seedProducts,
  type Shelf,
} from "../../support/agents/checkout.ts";
import { asShopper, consent, newShopper, type Shopper } from "../../support/agents/commerce.ts";
import {
  OTHER_SHOP,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../../support/service.ts";

const ALL =
  "identity:read dev.ucp.shopping.order:read dev.ucp.shopping.checkout:manage commerce.mandates:create";

let service: Service;
let shelf: Shelf;
let payer: Shopper;
let client: string;
let token: string;
beforeAll(async () => {
  service = await startService({ background: true });
  shelf = await seedProducts(service);
  payer = await newPayer(service);
  client = await newClient(service, { client_name: "Trail Planner" });
  token = (await newTokens(service, client, payer.token, { scope: ALL })).access_token;
});
afterAll(() => service.stop());

const rest = (
  method: string,
  path: string,
  key: string | null,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  service.call(method, `${path}${path.includes("?") ? "&" : "?"}shop=${SHOP}`, {
    key,
    body,
    headers,
  });
const tool = (
  name: string,
  args: object,
  key: string | null,
  { shop = SHOP, path = "/mcp" } = {},
): Promise<Answer> =>
  service.call("POST", `${path}?shop=${shop}`, {
    key,
    body: toolCall(name, args),
  });

type Row = Record<string, any>;
const rowsOf = async (where: string, values: unknown[] = [], shop = SHOP): Promise<Row[]> => {
  await flushAgentCalls(service.ctx);
  return service.database.query<Row>(
    `SELECT client_id, user_id, operation, outcome, code, amount::text, currency, mandate_id, calls
     FROM agent_activity WHERE shop = $1 AND ${where} ORDER BY last_at, id`,
    [shop, ...values],
  );
};
const ofPayer = (operation: string) =>
  rowsOf("user_id = $2 AND operation = $3 AND client_id = $4", [payer.id, operation, client]);
const known = () => ({ client_id: client, user_id: payer.id });

describe("a call of a linked agent", () => {
  it("is recorded with agent and customer over MCP, A2A and REST alike", async () => {
    await tool("get_identity", {}, token);
    await rest("GET", "/commerce/identity", token);
    await service.call("POST", `/a2a?shop=${SHOP}`, {
      key: token,
      headers: { "A2A-Version": "1.0" },
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "SendMessage",
        params: {
          message: {
            messageId: "m-1",
            role: "ROLE_USER",
            parts: [{ data: { tool: "get_identity" } }],
          },
        },
      },
    });
    const rows = await ofPayer("get_identity");
    expect(rows.reduce((sum, row) => sum + row.calls, 0)).toBe(3);
    for (const row of rows)
      expect(row).toMatchObject({ ...known(), outcome: "done", code: null, amount: null });
    expect(await ofPayer("link_agent")).toMatchObject([{ ...known(), outcome: "done" }]);
  });

  it("of a public tool is recorded for the agent, and the words of its search nowhere", async () => {
    await tool("search_catalog", { catalog: { query: "camera for aunt Zelda" } }, token);
    await service.call("GET", `/commerce/products?shop=${SHOP}&query=Zelda`, { key: token });
    const rows = await ofPayer("search_catalog");
    expect(rows.reduce((sum, row) => sum + row.calls, 0)).toBe(2);
    const stored = await service.database.query(
      "SELECT 1 FROM agent_activity a WHERE to_jsonb(a)::text ILIKE '%zelda%'",
    );
    expect(stored).toEqual([]);
  });

  it("shows the limit of a mandate, what a checkout reserves, what is refused, and what an order takes", async () => {
    const mandate = (
      await rest("POST", "/commerce/mandates", token, {
        max_amount: "50.00",
        currency: "EUR",
        scope: "all",
      })
    ).json.mandate_id;
    const body = { line_items: itemsOf(shelf.camera), mandate_id: mandate };
    const once = { "Idempotency-Key": randomUUID() };
    const made = await rest("POST", "/commerce/checkout", token, body, once);
    expect(made.status).toBe(201);
    expect((await rest("POST", "/commerce/checkout", token, body, once)).status).toBe(201);
    expect((await rest("POST", "/commerce/checkout", token, body)).json.reason).toBe("used");
    const tooMuch = { line_items: itemsOf(shelf.lamp), mandate_id: randomUUID() };
    expect((await rest("POST", "/commerce/checkout", token, tooMuch)).status).toBe(404);
    await service.sandbox.storefront.pay(SHOP, made.json.checkout_url);
    await completed(service, made.json.id);

    const money = { ...known(), mandate_id: mandate, currency: "EUR", calls: 1 };
    expect(await ofPayer("create_mandate")).toMatchObject([{ ...money, amount: "50.00" }]);
    const checkouts = await ofPayer("create_checkout");
    expect(checkouts.filter((row) => row.amount !== null)).toMatchObject([
      { ...money, amount: "40.00", outcome: "done" },
    ]);
    expect(checkouts.map((row) => row.code)).toEqual(
      expect.arrayContaining(["mandate_used", "not_found"]),
    );
    expect(await ofPayer("pay_checkout")).toMatchObject([{ ...money, amount: "40.00" }]);
    const { days, spenders } = await readActivityTotals(
      service.ctx,
      await getTenant(service.ctx, SHOP),
    );
    expect(spenders.filter((spender) => spender.client_id === client)).toMatchObject([
      { client_id: client, name: "Trail Planner", currency: "EUR", amount: "40.00", orders: 1 },
    ]);
    expect(days).toHaveLength(30);
    expect(days.at(-1)?.refused).toBeGreaterThan(0);
  });

  it("that is refused names the agent and the customer, also after the access has ended", async () => {
    const agent = await newClient(service, { client_name: "Nosy" });
    const { access_token: key } = await newTokens(service, agent, payer.token, {
      scope: "identity:read",
    });
    const refusals = () =>
      rowsOf("client_id = $2 AND outcome = 'refused'", [agent]).then((rows) =>
        rows.map((row) => [row.user_id, row.operation, row.code]),
      );
    expect((await tool("list_orders", {}, key)).status).toBe(403);
    expect(await refusals()).toEqual([[payer.id, "list_orders", "insufficient_scope"]]);
    const { grants } = (await asShopper(service, payer, "GET", "/oauth/grants")).json;
    const grant = grants.find((one: Row) => one.client_id === agent);
    await asShopper(service, payer, "DELETE", `/oauth/grants/${grant.id}`, { body: {} });
    expect((await rest("GET", "/commerce/identity", key)).status).toBe(401);
    expect(await refusals()).toContainEqual([payer.id, "get_identity", "invalid_token"]);
    expect(await rowsOf("client_id = $2 AND operation = 'unlink_agent'", [agent])).toHaveLength(1);
  });
});

describe("an unknown caller", () => {
  it("fills no table: a flood of refused calls with tokens of its own is a number per hour", async () => {
    const before = (await rowsOf("user_id IS NULL AND client_id IS NULL")).length;
    await Promise.all(
      Array.from({ length: 120 }, (_, at) =>
        at % 2 === 0
          ? tool(
              "get_identity",
              {},
              `agt_${Buffer.from(SHOP).toString("base64url")}.${randomUUID()}`,
            )
          : rest("GET", "/commerce/orders", `agt_none.${randomUUID()}`),
      ),
    );
    const rows = await rowsOf("user_id IS NULL AND client_id IS NULL");
    // The hour may change between the calls.
    expect(rows.length - before).toBeLessThanOrEqual(4);
    expect(rows.reduce((sum, row) => sum + row.calls, 0)).toBeGreaterThanOrEqual(120);
    expect(new Set(rows.map((row) => row.outcome))).toContain("refused");
  });

  it("cannot put a name of its own into the record", async () => {
    await tool("drop_tables", {}, null);
    expect(await rowsOf("operation = 'drop_tables'")).toEqual([]);
  });
});

it("a shopper's own page is no agent", async () => {
  const shopper = await newShopper(service);
  for (const path of ["/commerce/orders", "/commerce/identity", "/auth/profile"])
    expect((await asShopper(service, shopper, "GET", path)).status).toBe(200);
  expect(await rowsOf("user_id = $2", [shopper.id])).toEqual([]);
});

it("a store sees no other store's calls; a token is unknown where it was not given", async () => {
  await tool("get_identity", {}, token, { shop: OTHER_SHOP });
  const rows = await rowsOf("true", [], OTHER_SHOP);
  expect(rows).toMatchObject([{ client_id: null, user_id: null, outcome: "refused" }]);
  const other = await getTenant(service.ctx, OTHER_SHOP);
  const { activity } = await listActivity(service.ctx, other, ActivityFilters.parse({}), {
    limit: 100,
    after: null,
    customers: [payer.id],
  });
  expect(activity).toEqual([]);
});

it("the operator's list holds ids only, and no other store's calls", async () => {
  const person = await newPayer(service);
  const { access_token: key } = await newTokens(service, client, person.token, { scope: ALL });
  const mandate = { max_amount: "50.00", currency: "EUR", scope: "all" };
  expect((await rest("POST", "/commerce/mandates", key, mandate)).status).toBe(201);
  await flushAgentCalls(service.ctx);
  const list = (shop: string) =>
    service.call("GET", `/admin/agent-activity?shop=${shop}&limit=100&kind=mandate`);
  const { activity } = (await list(SHOP)).json;
  expect(activity.filter((call: Row) => call.customer_id === person.id)).toMatchObject([
    { agent: "Trail Planner", operation: "create_mandate" },
  ]);
  expect(JSON.stringify(activity)).not.toContain(person.email);
  expect((await list(OTHER_SHOP)).json.activity).toEqual([]);
  expect((await rest("GET", "/admin/agent-activity", payer.token)).status).toBe(401);
});

it("pages by key without a gap or a repetition, under filters", async () => {
  const tenant = await getTenant(service.ctx, SHOP);
  const mark = await readActivityMark(service.ctx, tenant);
  const shopper = await newShopper(service);
  const names = ["get_order", "get_cart", "list_orders", "get_consent", "get_tags"] as const;
  for (const operation of names)
    recordAgentCall(service.ctx, tenant, {
      ...DONE,
      operation,
      caller: { clientId: client, userId: shopper.id },
    });
  await flushAgentCalls(service.ctx);
  expect(await readActivityMark(service.ctx, tenant)).not.toBe(mark);
  const read = async (filters: object) => {
    const seen: string[] = [];
    for (let after: string | null = null; ;) {
      const page: Awaited<ReturnType<typeof listActivity>> = await listActivity(
        service.ctx,
        tenant,
        ActivityFilters.parse(filters),
        { limit: 2, after, customers: [shopper.id] },
      );
      seen.push(...page.activity.map(({ operation }) => operation));
      if (page.next === null) return seen;
      after = page.next;
    }
  };
  expect((await read({})).toSorted()).toEqual(names.toSorted());
  expect((await read({ kind: "order" })).toSorted()).toEqual(["get_order", "list_orders"]);
  expect(await read({ agent: "unknown" })).toEqual([]);
  expect(await read({ outcome: "refused" })).toEqual([]);
  expect(await read({ from: "2020-01-01", to: "2020-12-31" })).toEqual([]);
});

describe("a recorded call", () => {
  let shopper: Shopper;
  let now: Date;
  beforeAll(async () => {
    shopper = await newShopper(service);
    now = new Date(Date.now() - (Date.now() % 60_000));
  });
  const put = async (call: Partial<AgentCall>, seconds = 0) => {
    // One minute for all calls.
    const ctx = { ...service.ctx, clock: { now: () => new Date(now.getTime() + seconds * 1_000) } };
    recordAgentCall(ctx, await getTenant(service.ctx, SHOP), {
      ...DONE,
      operation: "pay_checkout",
      caller: { clientId: "agent-1", userId: shopper.id },
      ...call,
    });
  };
  const money = (amount: string) => ({ money: { amount, currency: "EUR", mandateId: null } });
  const own = (clientId: string) =>
    rowsOf("user_id = $2 AND client_id = $3", [shopper.id, clientId]);

  it("that comes later adds to the calls and amounts of its minute, and the newest time stays", async () => {
    await put(money("2.00"), 9);
    expect(await own("agent-1")).toMatchObject([{ calls: 1, amount: "2.00" }]);
    await put(money("3.00"), 5);
    expect(await own("agent-1")).toMatchObject([{ calls: 2, amount: "5.00" }]);
    const [row] = await service.database.query<{ at: Date }>(
      "SELECT last_at AS at FROM agent_activity WHERE user_id = $1 AND client_id = 'agent-1'",
      [shopper.id],
    );
    expect(row?.at).toEqual(new Date(now.getTime() + 9_000));
  });

  it("is stored with a long client id cut and with the largest amount", async () => {
    const caller = { clientId: `https://${"a".repeat(600)}.example/`, userId: shopper.id };
    const amount = "999999999999.99";
    for (const calls of [1, 2]) {
      await put({ caller, ...money(amount) });
      expect(await own(caller.clientId.slice(0, 500))).toMatchObject([{ amount, calls }]);
    }
  });

  it("that the database rejects keeps no other from being stored", async () => {
    const caller = { clientId: "agent-2", userId: shopper.id };
    const rejected = { amount: "1.00", currency: "EUR", mandateId: "none" };
    await put({ caller, code: "first" });
    await put({ caller, money: rejected });
    await put({ caller, code: "last" });
    const codes = new Set((await own("agent-2")).map(({ code }) => code));
    expect(codes).toEqual(new Set(["first", "last"]));
  });

  it("is found behind thousands of others that a filter leaves out, on a later page", async () => {
    const tenant = await getTenant(service.ctx, SHOP);
    const person = await newShopper(service);
    // Before the others, which are a minute apart and end now.
    await put({ caller: { clientId: "agent-4", userId: person.id } }, -5_001 * 60);
    await flushAgentCalls(service.ctx);
    await service.database.query(
      `INSERT INTO agent_activity (shop, started_at, client_id, user_id, operation, outcome, last_at)
        SELECT $1, $3::timestamptz - n * interval '1 minute', 'agent-3', $2, 'get_cart', 'done',
          $3::timestamptz - n * interval '1 minute' FROM generate_series(1, 5000) AS n`,
      [SHOP, person.id, now],
    );
    const page = (after: string | null) =>
      listActivity(service.ctx, tenant, ActivityFilters.parse({ kind: "checkout" }), {
        limit: 10,
        after,
        customers: [person.id],
      });
    const first = await page(null);
    expect(first).toMatchObject({ activity: [], next: expect.any(String), isCut: true });
    await service.database.query(
      `INSERT INTO oauth_grants (shop, id, user_id, client_id, client_name, scopes)
        VALUES ($1, gen_random_uuid(), $2, 'agent-4', 'Of The Grant', '{}')`,
      [SHOP, person.id],
    );
    const { activity } = await page(first.next);
    expect(activity.find((call) => call.client_id === "agent-4")?.agent).toBe("Of The Grant");
  });

  it("with a shopper's own session is not an unknown caller's", async () => {
    await put({ caller: { clientId: null, userId: shopper.id } });
    await put({ caller: null });
    await flushAgentCalls(service.ctx);
    const tenant = await getTenant(service.ctx, SHOP);
    const customersOf = async (agent: string) =>
      new Set(
        (
          await listActivity(service.ctx, tenant, ActivityFilters.parse({ agent }), {
            limit: 100,
            after: null,
          })
        ).activity.map((call) => call.customer_id),
      );
    expect(await customersOf("session")).toEqual(new Set([shopper.id]));
    expect(await customersOf("unknown")).toEqual(new Set([null]));
  });
});

describe("the shopper", () => {
  const mine = (person: Shopper, query = "") =>
    asShopper(service, person, "GET", `/oauth/activity${query}`);

  it("reads the calls of the own agents only, by pages, and gets them in the export", async () => {
    const person = await newShopper(service);
    const tenant = await getTenant(service.ctx, SHOP);
    for (const operation of ["get_identity", "get_cart", "list_orders"] as const)
      recordAgentCall(service.ctx, tenant, {
        ...DONE,
        operation,
        caller: { clientId: client, userId: person.id },
      });
    await flushAgentCalls(service.ctx);
    const first = (await mine(person, "?limit=2")).json;
    expect(first.activity).toHaveLength(2);
    const second = (await mine(person, `?limit=2&cursor=${first.next_cursor}`)).json;
    expect(second.activity.map((call: Row) => call.id)).not.toContain(first.activity[0].id);
    const stranger = await newShopper(service);
    expect((await mine(stranger)).json).toEqual({ activity: [], next_cursor: null });
    expect((await mine(stranger, `?cursor=${first.next_cursor}`)).status).toBe(400);
    expect((await rest("GET", "/oauth/activity", null)).status).toBe(401);
    expect((await rest("GET", "/oauth/activity", token)).status).toBe(401);
    const exported = (await asShopper(service, person, "GET", "/auth/me/export")).json;
    expect(exported.agent_calls.map((call: Row) => call.user_id)).toEqual(
      Array.from({ length: 3 }, () => person.id),
    );
  });

  it("who deletes the account leaves none, and a call that is recorded late adds none", async () => {
    const shopper = await newShopper(service);
    await consent(service, shopper, { consent_a2a: true });
    const key = (await newTokens(service, client, shopper.token)).access_token;
    await tool("get_identity", {}, key);
    expect(await rowsOf("user_id = $2", [shopper.id])).not.toEqual([]);
    await tool("get_identity", {}, key);
    const gone = await asShopper(service, shopper, "DELETE", "/auth/me", {
      body: { password: PASSWORD },
    });
    expect(gone.status).toBe(200);
    expect(await rowsOf("user_id = $2", [shopper.id])).toEqual([]);
  });
});
