// What the app's extensions in the store admin call: proven by the admin's session token alone, for the
// store of the token, recorded as staff.
import { SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { changeTenantRecord } from "../../../app/domain/tenants/tenant-record.ts";
import {
  APP_SECRET,
  CLIENT_ID,
  OTHER_SHOP,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../../support/service.ts";
import { putPerson } from "../../support/storefront/customers.ts";
import { connectStore } from "../../support/storefront/storefront.ts";
import { addToCatalog } from "../../support/storefront/tag-catalog.ts";

const GID = "gid://shopify/Customer/9007199254740993";
const CUSTOMER = `/extensions/admin/customer?id=${encodeURIComponent(GID)}`;
const RUNS = "/extensions/admin/segment-runs";
let service: Service;
let userId: number;
let segment: string;
let empty: string;

beforeAll(async () => {
  service = await startService();
  const { storefront } = service.sandbox;
  storefront.putCustomer(SHOP, { gid: GID, firstName: "Ada", countryCode: "IT" });
  const query = (country: string) => `customer_countries CONTAINS '${country}'`;
  segment = storefront.putSegment(SHOP, { name: "Italy", query: query("IT") }).gid;
  empty = storefront.putSegment(SHOP, { name: "Nobody", query: query("XX") }).gid;
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  for (const shop of [SHOP, OTHER_SHOP])
    await connectStore(service, shop, { enabled_channels: ["cms"] });
  await addToCatalog(service, ["gala", "vip"]);
  userId = await putPerson(service.database, SHOP, {
    gid: GID,
    email: "ada@example.com",
    full_name: "Ada Lovelace",
    tags: ["gala"],
    consents: ["marketing"],
  });
  await service.database.query(
    "UPDATE storefront_users SET tags = tags || '[\"Wholesale\"]' WHERE id = $1",
    [userId],
  );
});

type Claims = Record<string, unknown>;
/** A token as the platform signs it, with some claims replaced; undefined leaves one out. */
function token(claims: Claims = {}, { secret = APP_SECRET, alg = "HS256" } = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const payload = {
    iss: `https://${SHOP}/admin`,
    dest: `https://${SHOP}`,
    aud: CLIENT_ID,
    sub: "42",
    iat: now,
    nbf: now,
    exp: now + 60,
    ...claims,
  };
  return new SignJWT(payload).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret));
}
const call = async (
  method: string,
  path: string,
  { body, key, headers }: { body?: object; key?: string | null; headers?: Claims } = {},
): Promise<Answer> =>
  service.call(method, path, {
    ...(body && { body }),
    headers: headers as Record<string, string>,
    key: key === undefined ? await token() : key,
  });
const accesses = () =>
  service.database.query(
    "SELECT actor_kind, actor_id, action, user_id, count, place FROM access_log ORDER BY id",
  );
const runs = () => service.database.query("SELECT shop, add, total, state FROM tag_runs");
const EVERY: [method: string, path: string, body?: object][] = [
  ["GET", CUSTOMER],
  ["GET", "/extensions/admin/segment?id=gid://shopify/Segment/1"],
  ["POST", RUNS, { store_segment_id: "gid://shopify/Segment/1", tag: "gala" }],
  ["GET", `${RUNS}/00000000-0000-4000-8000-000000000001`],
];

describe("an extension of the store admin", () => {
  const hourAgo = Math.floor(Date.now() / 1_000) - 3_600;
  const TOKENS: [what: string, make: () => Promise<string> | null][] = [
    ["no token", () => null],
    ["a token of another app", () => token({ aud: "another-app" })],
    ["another secret", () => token({}, { secret: "another-secret-0123456789" })],
    ["another algorithm", () => token({}, { alg: "HS512" })],
    ["an expired token", () => token({ nbf: hourAgo, exp: hourAgo + 60 })],
    ["a token of tomorrow", () => token({ nbf: hourAgo + 90_000, exp: hourAgo + 90_060 })],
    ["a token without an end", () => token({ exp: undefined })],
    ["an issuer of another store", () => token({ iss: `https://${OTHER_SHOP}/admin` })],
    ["a destination without an issuer", () => token({ iss: undefined })],
    [
      "a customer's token",
      () => token({ iss: undefined, dest: SHOP, sub: "gid://shopify/Customer/9007199254740993" }),
    ],
    [
      "a store that is not registered",
      () =>
        token({ dest: "https://no-one.myshopify.com", iss: "https://no-one.myshopify.com/admin" }),
    ],
    ["a host that is no store", () => token({ dest: "https://evil.example" })],
    ["the admin key", async () => "test-admin-key-0123456789"],
  ];
  test("is refused with 401 without a token of this app, store and time, and nothing is read, written or recorded", async () => {
    for (const [what, make] of TOKENS) {
      const key = await make();
      for (const [method, path, body] of EVERY) {
        const answer = await call(method, path, { key, ...(body && { body }) });
        expect([what, path, answer.status, answer.json]).toEqual([
          what,
          path,
          401,
          expect.objectContaining({ error: "Unauthorized", code: "unauthorized" }),
        ]);
      }
    }
    expect([await accesses(), await runs()]).toEqual([[], []]);
  });

  test("may not name another store beside the token's, and none of an uninstalled store is answered", async () => {
    expect((await call("GET", `${CUSTOMER}&shop=${OTHER_SHOP}`)).status).toBe(401);
    expect((await call("GET", `${CUSTOMER}&shop=${SHOP}`)).status).toBe(200);
    await changeTenantRecord(service.ctx, SHOP, {
      connection: { uninstalled_at: new Date().toISOString() },
    });
    expect((await call("GET", CUSTOMER)).status).toBe(401);
  });

  test("may call from the platform's frames, with the token's header and without cookies, and from no other page", async () => {
    for (const [origin, allowed] of [
      ["https://extensions.shopifycdn.com", "https://extensions.shopifycdn.com"],
      ["null", "null"],
      ["https://evil.example", null],
    ] as const) {
      const headers = { Origin: origin };
      const preflight = await call("OPTIONS", RUNS, {
        key: null,
        headers: { ...headers, "Access-Control-Request-Method": "POST" },
      });
      const answers = [preflight, await call("GET", CUSTOMER, { headers })];
      for (const answer of [...answers, await call("GET", CUSTOMER, { headers, key: null })]) {
        expect(answer.headers.get("access-control-allow-origin")).toBe(allowed);
        expect(answer.headers.get("access-control-expose-headers")).toBe(
          allowed && "X-Request-Id, Retry-After",
        );
        expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
      }
      expect([preflight.status, preflight.headers.get("access-control-allow-headers")]).toEqual([
        204,
        allowed === null ? null : expect.stringContaining("Authorization"),
      ]);
    }
  });
});

describe("the summary of a customer", () => {
  test("has consents, tags of both kinds, systems, the last events and the link, and neither name nor address", async () => {
    const answer = await call("GET", CUSTOMER);
    expect(answer.status).toBe(200);
    expect(answer.json.customer).toMatchObject({
      status: "active",
      tags: [{ slug: "gala", name: "gala", source: "admin" }],
      store_tags: ["Wholesale"],
      time_zone: "UTC",
      systems: expect.arrayContaining([{ channel: "cms", status: "none", at: null }]),
      events: [{ kind: "tag", change: "added", subject: "gala" }],
      url: expect.stringContaining(`/${SHOP}/admin/apps/${CLIENT_ID}/app/customers/${userId}`),
    });
    expect(answer.json.customer.consents).toContainEqual({
      type: "marketing",
      state: "granted",
      at: null,
    });
    expect(answer.text).not.toMatch(/\b(ada|lovelace)\b/i);
    expect(await accesses()).toEqual([
      {
        actor_kind: "staff",
        actor_id: "42",
        action: "viewed",
        user_id: userId,
        count: null,
        place: "GET /extensions/admin/customer",
      },
    ]);
  });

  test("has the worst outcome of an event, and the state of each system that is switched on", async () => {
    await service.database.query(
      `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
        entity_id, status, dead_lettered_at, delivered_at)
        VALUES ($1, 'e1', 'cms', 'backend', 'customer.updated', 'customer', $2, 'delivered', NULL, now()),
          ($1, 'e1', 'erpsys', 'backend', 'customer.updated', 'customer', $2, 'dead_letter', now(), NULL)`,
      [SHOP, String(userId)],
    );
    await service.database.query(
      `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms, error)
        SELECT shop, id, event_id, channel, 1, 'delivered', 1, 'unchanged' FROM integration_queue
        WHERE channel = 'cms'`,
    );
    const { customer } = (await call("GET", CUSTOMER)).json;
    expect(customer.events).toContainEqual(
      expect.objectContaining({
        kind: "delivery",
        change: "failed",
        subject: "customer.updated",
      }),
    );
    expect(customer.systems).toContainEqual({
      channel: "cms",
      status: "delivered",
      at: expect.any(String),
    });
    expect(customer.systems.map(({ channel }: { channel: string }) => channel)).not.toContain(
      "erpsys",
    );
  });

  test("is remembered as seen once an hour at most", async () => {
    const seen = async () =>
      (
        await service.database.query<{ at: string }>(
          "SELECT value->>'at' AS at FROM kv WHERE shop = $1 AND key = 'admin_block'",
          [SHOP],
        )
      )[0]?.at;
    await call("GET", CUSTOMER);
    const first = await seen();
    expect(first).toBeDefined();
    await call("GET", CUSTOMER);
    expect(await seen()).toBe(first);
  });

  test("of a customer unknown here, deleted, or of another store is empty and records nothing", async () => {
    const other = "gid://shopify/Customer/77";
    await putPerson(service.database, OTHER_SHOP, { gid: other });
    await service.database.query("UPDATE storefront_users SET status = 'deleted' WHERE id = $1", [
      userId,
    ]);
    for (const gid of [GID, other, "gid://shopify/Customer/1"]) {
      const answer = await call("GET", `/extensions/admin/customer?id=${gid}`);
      expect([answer.status, answer.json]).toEqual([200, { customer: null }]);
    }
    expect(await accesses()).toEqual([]);
  });

  test("is refused for an id that is none of a customer", async () => {
    for (const id of [
      "",
      "1",
      "gid://shopify/Order/1",
      `${GID}' OR 1=1`,
      `gid://shopify/Customer/${"1".repeat(21)}`,
    ]) {
      const answer = await call("GET", `/extensions/admin/customer?id=${encodeURIComponent(id)}`);
      expect([id, answer.status, answer.json.code]).toEqual([id, 400, "invalid_request"]);
    }
  });
});

describe("the segment action", () => {
  const opened = (id: string) => call("GET", `/extensions/admin/segment?id=${id}`);
  const requested = (body: object) => call("POST", RUNS, { body });

  test("names the segment, its number of customers and the tags that no rule sets", async () => {
    const answer = await opened(segment);
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        segment: { id: segment, name: "Italy", customers: 1 },
        tags: [{ slug: "gala", name: "gala" }],
        run: null,
      },
    ]);
  });

  test("starts a run, keeps who started it, records the change with its number, and says how far it is to its own store only", async () => {
    const answer = await requested({ store_segment_id: segment, tag: "gala" });
    expect([answer.status, answer.json.run]).toMatchObject([
      202,
      { state: "waiting", total: 1, processed: 0, unknown: 0 },
    ]);
    expect(await accesses()).toMatchObject([
      { actor_kind: "staff", actor_id: "42", action: "changed", user_id: null, count: 1 },
    ]);
    expect(await service.database.query("SELECT started_by FROM tag_runs")).toEqual([
      { started_by: "42" },
    ]);
    const path = `${RUNS}/${answer.json.run.id}`;
    expect((await call("GET", path)).json).toEqual(answer.json);
    const theirs = await token({
      dest: `https://${OTHER_SHOP}`,
      iss: `https://${OTHER_SHOP}/admin`,
    });
    expect((await call("GET", path, { key: theirs })).status).toBe(404);
    expect((await call("GET", `${RUNS}/none`)).status).toBe(404);
  });

  const REFUSED: [what: string, body: () => object, status: number, code: string][] = [
    [
      "a tag outside the catalog",
      () => ({ store_segment_id: segment, tag: "galla" }),
      400,
      "invalid_request",
    ],
    [
      "a tag that a rule sets",
      () => ({ store_segment_id: segment, tag: "vip" }),
      403,
      "tag_reserved",
    ],
    [
      "a segment without customers",
      () => ({ store_segment_id: empty, tag: "gala" }),
      400,
      "invalid_request",
    ],
    [
      "an unknown segment",
      () => ({ store_segment_id: "gid://shopify/Segment/1", tag: "gala" }),
      404,
      "not_found",
    ],
    [
      "an id of another kind",
      () => ({ store_segment_id: GID, tag: "gala" }),
      400,
      "invalid_request",
    ],
    ["nothing", () => ({}), 400, "invalid_request"],
  ];
  test("refuses what it cannot do, and starts and records nothing", async () => {
    for (const [what, body, status, code] of REFUSED) {
      const answer = await requested(body());
      expect([what, answer.status, answer.json.code]).toEqual([what, status, code]);
    }
    expect([await runs(), await accesses()]).toEqual([[], []]);
  });

  test("says that the store does not answer, and starts nothing", async () => {
    service.sandbox.failNext("storefront", { status: 503 }, 1);
    const answer = await requested({ store_segment_id: segment, tag: "gala" });
    expect([answer.status, answer.json.code]).toEqual([502, "storefront_unavailable"]);
    expect(await runs()).toEqual([]);
  });
});
