// The access log: what each kind of caller leaves in it, and GET /admin/access-log.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { exportAccessLog } from "../../app/domain/compliance/access-log/read-access-log.ts";
import { recordAccess } from "../../app/domain/compliance/access-log/record-access.ts";
import { readFilter } from "../../app/domain/customers/list/customer-filter.ts";
import { exportCustomers } from "../../app/domain/customers/list/export-customers.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { newClient, newTokens, toolCall } from "../support/agents/agent.ts";
import { OTHER_SHOP, RETURN_ORIGIN, SHOP, startService, type Service } from "../support/service.ts";
import { installStore, putCustomers, secondsAgo } from "../support/storefront/synced-store.ts";
import { PASSWORD, signUp, type Person } from "./identity/people.ts";

const TENANT_KEY = "tenant-key-of-the-test-store";
const OTHER_KEY = "tenant-key-of-the-other-store";
let service: Service;
let person: Person;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  service.logged.length = 0;
  await service.addTenant(SHOP, { admin_key: TENANT_KEY });
  await service.addTenant(OTHER_SHOP, { admin_key: OTHER_KEY });
  person = await signUp(service);
  await service.call("POST", "/auth/consent-sync", {
    key: person.token,
    body: { consent_a2a: true, method: "compliance-page" },
  });
  await service.database.query("DELETE FROM access_log");
});

const rows = () =>
  service.database.query(
    `SELECT actor_kind, actor_id, action, user_id, count, place FROM access_log WHERE shop = $1
      ORDER BY id`,
    [SHOP],
  );
const put = async (count: number, userId: number | null, shop = SHOP) => {
  await service.database.query(
    `INSERT INTO access_log (shop, actor_kind, actor_id, action, user_id, place, request_id)
      SELECT $1, 'staff', '7', 'viewed', $2, '/app/customers/:id', 'request-' || n
      FROM generate_series(1, $3::int) n`,
    [shop, userId, count],
  );
};
const assign = (key: string) =>
  service.call("POST", `/admin/tags/assign?shop=${SHOP}`, {
    key,
    body: { user_id: person.id, add: ["vip"], remove: [] },
  });
const OWN_PAGE = { Origin: RETURN_ORIGIN };

describe("an operator's change", () => {
  it("is recorded with the kind of the key, the customer, the route and the request's id", async () => {
    const byStore = await assign(TENANT_KEY);
    await assign(service.ctx.config.ADMIN_KEY);
    expect(byStore.status).toBe(200);
    const place = "POST /admin/tags/assign";
    const change = { actor_kind: "operator", action: "changed", user_id: person.id, count: null };
    expect(await rows()).toEqual([
      { ...change, actor_id: "tenant_key", place },
      { ...change, actor_id: "platform_key", place },
    ]);
    expect(
      await service.database.query("SELECT request_id FROM access_log ORDER BY id LIMIT 1"),
    ).toEqual([{ request_id: byStore.headers.get("x-request-id") }]);
  });

  it("that is rejected leaves nothing", async () => {
    expect((await assign("wrong-key")).status).toBe(401);
    expect((await assign(OTHER_KEY)).status).toBe(401);
    const unknown = await service.call("POST", `/admin/tags/assign?shop=${SHOP}`, {
      body: { user_id: 999_999, add: ["vip"] },
    });
    expect(unknown.status).toBe(404);
    expect(await rows()).toEqual([]);
  });

  it("of many customers is one row with their number", async () => {
    await installStore(service);
    putCustomers(service, 3, () => secondsAgo(120));
    const answer = await service.call("POST", `/sync/customers?shop=${SHOP}`);
    expect(answer.json).toMatchObject({ created: 3, updated: 0 });
    expect(await rows()).toEqual([
      {
        actor_kind: "operator",
        actor_id: "platform_key",
        action: "changed",
        user_id: null,
        count: 3,
        place: "POST /sync/customers",
      },
    ]);
  });
});

it("an operator who reads a checkout leaves its customer, and nobody else's", async () => {
  const other = await signUp(service);
  const checkouts = [person, other].map(({ id }) => ({ id: randomUUID(), owner: id }));
  for (const { id, owner } of checkouts)
    await service.database.query(
      `INSERT INTO checkout_sessions (shop, id, customer_id, status, source, line_items, subtotal, total,
        currency, expires_at) VALUES ($1, $2, $3, 'requires_escalation', 'cart', '[]', 1, 1, 'EUR',
        now() + interval '1 hour')`,
      [SHOP, id, owner],
    );
  const path = `/commerce/checkout/${checkouts[0]?.id}?shop=${SHOP}`;
  expect((await service.call("GET", path)).status).toBe(200);
  expect(await rows()).toMatchObject([
    { actor_kind: "operator", user_id: person.id, place: "GET /commerce/checkout/:id" },
  ]);
});

describe("an agent", () => {
  it("that reads the shopper is recorded with its client id, over HTTP, MCP and A2A, also when it reads a result again", async () => {
    const client = await newClient(service);
    const { access_token: key } = await newTokens(service, client, person.token);
    await service.database.query("DELETE FROM access_log");
    expect((await service.call("HEAD", "/commerce/identity", { key })).status).toBe(200);
    const call = { name: "get_identity", arguments: {} };
    const mcp = await service.call("POST", `/mcp?shop=${SHOP}`, {
      key,
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: call },
    });
    expect(mcp.json.result.structuredContent.user.id).toBe(person.id);
    const message = {
      kind: "message",
      role: "user",
      messageId: "m-1",
      parts: [{ kind: "data", data: { tool: "get_identity", arguments: {} } }],
    };
    const a2a = await service.call("POST", `/a2a?shop=${SHOP}`, {
      key,
      body: { jsonrpc: "2.0", id: 1, method: "message/send", params: { message } },
    });
    const task = await service.call("POST", `/a2a?shop=${SHOP}`, {
      key,
      body: { jsonrpc: "2.0", id: 2, method: "tasks/get", params: { id: a2a.json.result.id } },
    });
    expect(task.json.result.id).toBe(a2a.json.result.id);
    const view = { actor_kind: "agent", actor_id: client, action: "viewed", count: null };
    expect(await rows()).toEqual([
      { ...view, user_id: person.id, place: "GET /commerce/identity" },
      { ...view, user_id: person.id, place: "POST /mcp get_identity" },
      { ...view, user_id: person.id, place: "POST /a2a get_identity" },
      { ...view, user_id: person.id, place: "POST /a2a task" },
    ]);
  });

  it("with the shopper's own session is recorded without an id", async () => {
    expect((await service.call("GET", "/commerce/identity", { key: person.token })).status).toBe(
      200,
    );
    expect(await rows()).toMatchObject([{ actor_kind: "agent", actor_id: null }]);
  });

  it("that is rejected leaves nothing, and neither does a public tool", async () => {
    const call = (name: string, key: string | null) =>
      service.call("POST", `/mcp?shop=${SHOP}`, {
        key,
        body: toolCall(name, {}),
      });
    expect((await call("get_identity", null)).status).toBe(401);
    expect((await call("search_catalog", null)).status).toBe(200);
    expect(await rows()).toEqual([]);
  });
});

describe("a shopper", () => {
  it("who reads or changes their own data on a page of the store leaves nothing", async () => {
    const own = { key: person.token, headers: OWN_PAGE };
    for (const path of ["/auth/me", "/auth/profile", "/commerce/identity", "/tags/mine"])
      expect((await service.call("GET", path, own)).status).toBe(200);
    const change = await service.call("PATCH", "/auth/profile", {
      ...own,
      body: { first_name: "Augusta" },
    });
    expect(change.status).toBe(200);
    expect(await rows()).toEqual([]);
  });

  it("who exports and deletes their own data leaves both, after the account is gone", async () => {
    const own = { key: person.token, headers: OWN_PAGE };
    expect((await service.call("GET", "/auth/me/export", own)).status).toBe(200);
    expect((await service.call("GET", "/ucp/consent-history?format=csv", own)).status).toBe(200);
    const end = await service.call("DELETE", "/auth/me", { ...own, body: { password: PASSWORD } });
    expect(end.status).toBe(200);
    const row = { actor_kind: "shopper", actor_id: null, user_id: person.id, count: null };
    expect(await rows()).toEqual([
      { ...row, action: "exported", place: "GET /auth/me/export" },
      { ...row, action: "exported", place: "GET /ucp/consent-history" },
      { ...row, action: "erased", place: "DELETE /auth/me" },
    ]);
  });
});

describe("a repetition", () => {
  const view = async (fields: object = {}) =>
    recordAccess(service.ctx, await getTenant(service.ctx, SHOP), {
      actor: { kind: "staff", id: "7" },
      action: "viewed",
      userIds: [person.id],
      count: null,
      place: "/app/customers/:id",
      requestId: "r",
      ...fields,
    });

  it("of a view by the same actor at the same place within ten minutes counts once, later again", async () => {
    await view();
    await view();
    expect(await rows()).toHaveLength(1);
    await service.database.query(
      "UPDATE access_log SET created_at = now() - interval '11 minutes'",
    );
    await view();
    expect(await rows()).toHaveLength(2);
  });

  it("by another actor, of another customer, at another place or of another action counts", async () => {
    await view({ action: "exported" });
    await view({ action: "exported" });
    await view();
    await view({ actor: { kind: "staff", id: "8" } });
    await view({ actor: { kind: "operator", id: "7" } });
    // An agent with the shopper's own session has no id.
    for (const _ of [1, 2]) await view({ actor: { kind: "agent", id: null } });
    await view({ userIds: [person.id + 1] });
    await view({ place: "/app/consent/receipt/:seq" });
    expect(await rows()).toHaveLength(8);
  });

  it("of what is recorded every time counts, and so does each customer of one access", async () => {
    await view();
    await view({ isEveryTime: true });
    expect(await rows()).toHaveLength(2);
    await view({ userIds: [person.id, person.id + 1], place: "/app/events/event/:id" });
    expect((await rows()).slice(2).map(({ user_id: id }) => id)).toEqual([
      person.id,
      person.id + 1,
    ]);
  });

  it("of a list adds its customers to the count", async () => {
    const list = { action: "listed", userIds: [], place: "/app/customers" };
    await view({ ...list, count: 50 });
    await view({ ...list, count: 20 });
    expect(await rows()).toMatchObject([{ action: "listed", user_id: null, count: 70 }]);
  });

  it("in another store counts there", async () => {
    await put(1, person.id, OTHER_SHOP);
    await view();
    expect(await rows()).toHaveLength(1);
  });
});

it("the answer is given when the access cannot be recorded, and the failure is an error event", async () => {
  await service.database.query("ALTER TABLE access_log RENAME TO access_log_away");
  try {
    expect((await assign(TENANT_KEY)).status).toBe(200);
    expect((await service.call("GET", "/commerce/identity", { key: person.token })).status).toBe(
      200,
    );
  } finally {
    await service.database.query("ALTER TABLE access_log_away RENAME TO access_log");
  }
  expect(service.logged.filter(({ event }) => event === "access.not_recorded")).toMatchObject([
    { shop: SHOP, action: "changed", user_ids: [person.id], level: 50 },
    { shop: SHOP, action: "viewed", user_ids: [person.id], level: 50 },
  ]);
});

it("no row holds an address, a name or another value of the customer", async () => {
  await service.call("GET", `/commerce/returns/${encodeURIComponent(person.email)}?shop=${SHOP}`);
  await service.database.query(
    "INSERT INTO return_cases (shop, rma, user_id, status) VALUES ($1, $2, $3, 'open')",
    [SHOP, person.email, person.id],
  );
  const path = `/commerce/returns/${encodeURIComponent(person.email)}`;
  expect((await service.call("GET", `${path}?shop=${SHOP}`)).status).toBe(200);
  await assign(TENANT_KEY);
  const stored = JSON.stringify(await service.database.query("SELECT * FROM access_log"));
  expect(await rows()).toMatchObject([
    { place: "GET /commerce/returns/:rma", user_id: person.id, actor_kind: "operator" },
    { place: "POST /admin/tags/assign", user_id: person.id },
  ]);
  for (const word of [person.email, encodeURIComponent(person.email), "Ada", "Lovelace"])
    expect(stored).not.toContain(word);
});

describe("GET /admin/access-log", () => {
  const read = (query = "", key?: string | null, shop = SHOP) =>
    service.call("GET", `/admin/access-log?shop=${shop}${query}`, key === undefined ? {} : { key });

  it("lists a store's accesses newest first, by customer, page by page", async () => {
    await put(30, person.id);
    await put(15, null);
    await put(5, person.id, OTHER_SHOP);
    const first = await read();
    expect(first.status).toBe(200);
    expect(first.json.entries).toHaveLength(20);
    expect(first.json.entries[0]).toEqual({
      id: expect.any(Number),
      created_at: expect.stringMatching(/Z$/),
      actor_kind: "staff",
      actor_id: "7",
      action: "viewed",
      user_id: null,
      count: null,
      place: "/app/customers/:id",
      request_id: "request-15",
    });
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const { json } = await read(
        `&customer=${person.id}&limit=7${cursor && `&cursor=${cursor}`}`,
        TENANT_KEY,
      );
      seen.push(...json.entries.map(({ request_id: id }: { request_id: string }) => id));
      cursor = json.next_cursor;
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, at) => `request-${30 - at}`));
  });

  it.each([
    "&limit=0",
    "&limit=101",
    "&limit=x",
    "&customer=0",
    "&customer=ada@example.com",
    "&customer=9999999999",
    "&cursor=x",
  ])("rejects %s", async (query) => {
    expect((await read(query)).status).toBe(400);
  });

  it("rejects a cursor of another customer's list or another store's", async () => {
    await put(3, person.id);
    const { next_cursor: cursor } = (await read(`&customer=${person.id}&limit=1`)).json;
    expect((await read(`&cursor=${cursor}`)).json.code).toBe("invalid_cursor");
    expect(
      (await read(`&customer=${person.id}&cursor=${cursor}`, undefined, OTHER_SHOP)).status,
    ).toBe(400);
  });

  it("is closed without a key, with another store's key and with a shopper's token", async () => {
    await put(1, person.id);
    for (const key of [null, "wrong-key-0123456789", OTHER_KEY, person.token])
      expect((await read("", key)).status).toBe(401);
    expect((await read("", OTHER_KEY, OTHER_SHOP)).json.entries).toEqual([]);
  });

  it("records nothing itself", async () => {
    await read();
    expect(await rows()).toEqual([]);
  });
});

describe("the stored log", () => {
  it("has the number of rows of a download that was ended early", async () => {
    await service.database.query(
      `INSERT INTO storefront_users (shop, full_name) SELECT $1, 'Customer ' || n
        FROM generate_series(1, 5000) n`,
      [SHOP],
    );
    const tenant = await getTenant(service.ctx, SHOP);
    const access = await recordAccess(service.ctx, tenant, {
      actor: { kind: "staff", id: "7" },
      action: "exported",
      userIds: [],
      count: null,
      place: "/app/customers/export",
      requestId: "r",
    });
    expect(await rows()).toMatchObject([{ action: "exported", count: null }]);
    const parts = exportCustomers(
      service.ctx,
      tenant,
      { filter: readFilter(new URLSearchParams()) },
      access.setCount,
    );
    await parts.next();
    await parts.next();
    await parts.return(undefined);
    expect(await rows()).toMatchObject([{ action: "exported", count: 1_000 }]);
  });

  it("is exported in full and escapes formulas", async () => {
    await put(1_200, person.id);
    await service.database.query(
      "UPDATE access_log SET actor_id = '=1+1' WHERE request_id = 'request-7'",
    );
    await put(3, person.id, OTHER_SHOP);
    let text = "";
    for await (const part of exportAccessLog(service.ctx, await getTenant(service.ctx, SHOP), null))
      text += part;
    const lines = text.trimEnd().split("\r\n");
    expect(lines[0]).toBe(
      "id,created_at,actor_kind,actor_id,action,user_id,count,place,request_id",
    );
    expect(lines).toHaveLength(1_201);
    expect(lines.find((line) => line.endsWith("request-7"))).toContain(",'=1+1,");
  });

  it("rejects an unknown action and an unknown kind of actor", async () => {
    const insert = (kind: string, action: string) =>
      service.database.query(
        `INSERT INTO access_log (shop, actor_kind, action, place, request_id)
          VALUES ($1, $2, $3, '/', 'r')`,
        [SHOP, kind, action],
      );
    await expect(insert("nobody", "viewed")).rejects.toThrow("access_log_actor_kind_check");
    await expect(insert("staff", "seen")).rejects.toThrow("access_log_action_check");
  });
});
