// The contract of every channel in the list.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Channel } from "../../app/domain/bus/channel.ts";
import { channels } from "../../app/domain/channels/index.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import type { Fault } from "../../app/sandbox/faults.ts";
import {
  EXPECTED,
  isWired,
  SECRETS,
  startChannelApp,
  storeFields,
  type ChannelApp,
  type Unwired,
  type Wired,
} from "../support/bus/channels.ts";
import { addCustomer } from "../support/bus/queue.ts";
import { eventually, SHOP } from "../support/service.ts";
import { connectStore } from "../support/storefront/storefront.ts";

const BARE = "bare-store.myshopify.com";
let app: ChannelApp;
let userId: number;

beforeAll(async () => {
  app = await startChannelApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.reset();
  userId = await addCustomer(app.service.database, SHOP, {
    email: `ann-${Math.random()}@example.com`,
    tags: ["vip"],
    cookie: true,
  });
  await app.consentToRetail(userId);
});

const configure = (shop: string, fields: Record<string, unknown>) =>
  app.service.call("POST", `/config?shop=${shop}`, { body: fields });
const isEnabled = async (channel: Channel, shop = SHOP) =>
  channel.isEnabled(await getTenant(app.service.ctx, shop));

const named = channels.map((channel) => [channel.name, channel] as const);
const wired = named.filter(([name]) => isWired(name));
const unwired = named.filter(([name]) => !isWired(name));

test("names are unique, and every channel has a sandbox system or is one of the two that need none", () => {
  expect(new Set(channels.map(({ name }) => name)).size).toBe(channels.length);
  expect(channels.map(({ name }) => name).filter((name) => !EXPECTED[name])).toEqual([]);
  expect(unwired.map(([name]) => name)).toEqual(["archive", "backend"]);
});

describe.each(unwired)("%s", (name, channel) => {
  const { says } = EXPECTED[name] as Unwired;

  test("delivers without an outside call, and records it in row and log", async () => {
    const before = app.calls(name);
    expect(await app.settled(await app.send(name, userId))).toMatchObject({
      status: "delivered",
      retry_count: 0,
      last_error: null,
      delivery_config: { credentials_key: channel.credentialsKey },
    });
    expect(app.calls(name)).toBe(before);
    const { json } = await app.service.call(
      "GET",
      `/admin/events/log?shop=${SHOP}&channel=${name}`,
    );
    expect(json.entries).toMatchObject([
      { channel: name, status: "delivered", attempt: 1, error: says, http_status: null },
    ]);
  });

  test("needs no settings, and a destination list cannot disable it", async () => {
    await configure(BARE, { brand_name: "Bare" });
    expect(await isEnabled(channel, BARE)).toBe(true);
    await configure(SHOP, { enabled_channels: ["cms"] });
    expect(await isEnabled(channel)).toBe(true);
    const stranger = await addCustomer(app.service.database, BARE);
    expect(await app.settled(await app.send(name, stranger, { shop: BARE }))).toMatchObject({
      status: "delivered",
    });
  });

  test("leaves no secret in message, error or log line", async () => {
    const delivered = await app.settled(await app.send(name, userId));
    const written = JSON.stringify([
      delivered,
      app.service.logged,
      await app.service.database.query("SELECT * FROM delivery_attempts"),
    ]);
    expect(app.secrets().filter((secret) => written.includes(secret))).toEqual([]);
  });
});

describe.each(wired)("%s", (name, channel) => {
  const { system, calls, refused, withoutSettings, work, withoutPerson } = EXPECTED[name] as Wired;
  const ofNobody = withoutPerson
    ? { status: "dead_letter", last_error: expect.stringMatching(withoutPerson) as string }
    : { status: "delivered", retry_count: 0 };
  const fail = (fault: Fault, times?: number) =>
    app.service.sandbox.failNext(system, { ...fault, ...(work && { match: work }) }, times);

  test(`delivers a customer with ${calls === 1 ? "one call" : `${calls} calls`}, and records it in row and log`, async () => {
    const before = app.calls(name);
    const row = await app.settled(await app.send(name, userId));
    expect(row).toMatchObject({ status: "delivered", retry_count: 0, last_error: null });
    expect(app.calls(name) - before).toBe(calls);
    const { json } = await app.service.call(
      "GET",
      `/admin/events/log?shop=${SHOP}&channel=${name}`,
    );
    expect(json.entries).toMatchObject([
      {
        channel: name,
        status: "delivered",
        attempt: 1,
        error: null,
        http_status: expect.any(Number),
      },
    ]);
  });

  test("is disabled without its settings, and as a destination by a list that omits it", async () => {
    expect(await isEnabled(channel)).toBe(true);
    await configure(BARE, { brand_name: "Bare" });
    expect(await isEnabled(channel, BARE)).toBe(false);
    // Mails to shoppers and alerts to the store are not destinations that a list may omit.
    await configure(SHOP, {
      enabled_channels: channels.map((one) => one.name).filter((one) => one !== name),
    });
    expect(await isEnabled(channel)).toBe(!channel.isDestination);
    await configure(SHOP, { enabled_channels: [name] });
    expect(await isEnabled(channel)).toBe(true);
  });

  test("a delivery for a store without settings is a dead letter at once, without a call", async () => {
    await configure(BARE, { brand_name: "Bare" });
    const stranger = await addCustomer(app.service.database, BARE);
    const before = app.calls(name);
    const row = await app.settled(await app.send(name, stranger, { shop: BARE }));
    expect(row.status).toBe("dead_letter");
    expect(row.last_error).toMatch(withoutSettings);
    expect(app.calls(name)).toBe(before);
  });

  test.each(["deleted", "gone"])(
    `a customer that is %s costs no call and ${withoutPerson ? "has consented to nothing" : "is no failure"}`,
    async (how) => {
      if (how === "deleted")
        await app.service.database.query(
          "UPDATE storefront_users SET status = 'deleted' WHERE id = $1",
          [userId],
        );
      else await app.service.database.query("DELETE FROM storefront_users WHERE id = $1", [userId]);
      const before = app.calls(name);
      expect(await app.settled(await app.send(name, userId))).toMatchObject(ofNobody);
      expect(app.calls(name)).toBe(before);
    },
  );

  test("never reads another store's customer with the same id", async () => {
    await connectStore(app.service, BARE, storeFields(app.service.sandbox));
    const before = app.calls(name);
    expect(await app.settled(await app.send(name, userId, { shop: BARE }))).toMatchObject(ofNobody);
    expect(app.calls(name)).toBe(before);
  });

  test.each([400, 401, 403] as const)("%i is a dead letter at once", async (status) => {
    fail({ status, body: { message: "refused" } }, 5);
    const before = app.calls(name);
    expect(await app.settled(await app.send(name, userId))).toMatchObject({
      status: "dead_letter",
      retry_count: 1,
      last_error: expect.stringContaining(String(status)),
    });
    expect(app.calls(name) - before).toBe(refused[status]);
  });

  test("429 waits for Retry-After", async () => {
    fail({ status: 429, headers: { "retry-after": "600" } });
    const row = await app.settled(await app.send(name, userId));
    expect(row).toMatchObject({ status: "pending", retry_count: 1 });
    expect(row.due_in).toBeGreaterThan(595);
  });

  test.each([
    ["500", { status: 500 }],
    ["a redirect", { status: 307, headers: { location: "https://elsewhere.example/" } }],
    ["a reset connection", { reset: true }],
    ["a connection closed without an answer", { hang: 50 }],
  ] as const)("%s is retried and then delivered", async (_, fault) => {
    fail(fault);
    const eventId = await app.send(name, userId);
    expect(await app.settled(eventId)).toMatchObject({ status: "pending", retry_count: 1 });
    expect(await app.retry(eventId)).toMatchObject({ status: "delivered", retry_count: 1 });
  });

  test("no secret is in the message, the delivery's settings, an error or a log line", async () => {
    fail({ status: 500, body: "down" });
    const eventId = await app.send(name, userId);
    const failed = await app.settled(eventId);
    const delivered = await app.retry(eventId);
    expect(delivered.delivery_config).toMatchObject({
      method: expect.any(String),
      endpoint: expect.any(String),
      credentials_key: channel.credentialsKey,
    });
    const written = JSON.stringify([
      failed,
      delivered,
      app.service.logged,
      await app.service.database.query("SELECT * FROM delivery_attempts"),
    ]);
    expect(app.secrets().filter((secret) => written.includes(secret))).toEqual([]);
  });

  test("a credential that the system repeats in its error is in no row, log, archive object or answer", async () => {
    fail({ echoes: 422 }, 5);
    const failed = await app.settled(await app.send(name, userId));
    expect(failed).toMatchObject({
      status: "dead_letter",
      last_error: expect.stringContaining("<hidden>"),
    });
    expect(await writtenSecrets(failed)).toEqual([]);
  });

  test.each(Array.from({ length: calls }, (_, n) => n + 1))(
    "a lost response to call %i is repeated, and the row ends as delivered",
    async (lost) => {
      if (lost > 1) fail({ delayMs: 0 }, lost - 1);
      fail({ dropReply: true });
      const eventId = await app.send(name, userId);
      expect(await app.settled(eventId)).toMatchObject({ status: "pending", retry_count: 1 });
      expect(await app.retry(eventId)).toMatchObject({ status: "delivered", last_error: null });
    },
  );
});

/** The secrets that are in a row, an attempt, the archive, the log or what an operator reads. */
async function writtenSecrets(row: unknown): Promise<string[]> {
  const { service } = app;
  const dead = "dead_letter/";
  const names = await eventually("the archive's copy", async () => {
    const found = (await service.objects.list("")).filter((path) => path.includes(dead));
    return found.length > 0 && found;
  });
  const { json } = await service.call("GET", `/admin/events/log?shop=${SHOP}`);
  const written = JSON.stringify([
    row,
    json,
    service.logged,
    await service.database.query("SELECT * FROM delivery_attempts"),
    await Promise.all(names.map((path) => service.objects.get(path))),
  ]);
  const basic = Buffer.from(`crm:${SECRETS.erp_password}`).toString("base64");
  return [...app.secrets(), basic].filter((secret) => written.includes(secret));
}

describe("the storefront's access token", () => {
  test("that a GraphQL error repeats is hidden", async () => {
    const token = app.secrets().at(-2) ?? "";
    app.service.sandbox.failNext("storefront", {
      status: 200,
      body: {
        errors: [{ message: `no access with ${token}`, extensions: { code: "ACCESS_DENIED" } }],
      },
    });
    const failed = await app.settled(await app.send("storefront", userId));
    expect(failed).toMatchObject({ status: "dead_letter" });
    expect(failed.last_error).toContain("<hidden>");
    expect(failed.last_error).not.toContain(token);
  });

  const asked = () =>
    app.service.sandbox
      .requests("storefront")
      .map(({ path }) => (path.includes("access_token") ? "refresh" : "graphql"));

  test("that is rejected once is refreshed, and the delivery succeeds", async () => {
    app.service.sandbox.failNext("storefront", { status: 401, match: "/graphql.json" });
    const before = asked().length;
    expect(await app.settled(await app.send("storefront", userId))).toMatchObject({
      status: "delivered",
      retry_count: 0,
    });
    expect(asked().slice(before)).toEqual(["graphql", "refresh", "graphql", "graphql", "graphql"]);
  });

  test("that cannot be refreshed makes a dead letter at once, which says to install the app again", async () => {
    app.service.sandbox.failNext("storefront", { status: 401 }, 5);
    const before = asked().length;
    expect(await app.settled(await app.send("storefront", userId))).toMatchObject({
      status: "dead_letter",
      retry_count: 1,
      last_error: expect.stringContaining("Install the app again"),
    });
    expect(asked().slice(before)).toEqual(["graphql", "refresh"]);
  });
});

const EMPTY_ANSWERS: [string, unknown][] = [
  ["with no data and no error", { data: null }],
  ["with data that lacks what was asked for", { data: {} }],
  ["that is empty", {}],
];

describe("storefront: the look-up of a customer by the address", () => {
  test.each(EMPTY_ANSWERS)("%s finds nobody, and the customer is created", async (_, body) => {
    const before = app.service.sandbox.storefront.customers(SHOP).length;
    app.service.sandbox.failNext("storefront", { status: 200, body, match: "/graphql.json" });
    expect(await app.settled(await app.send("storefront", userId))).toMatchObject({
      status: "delivered",
      retry_count: 0,
    });
    expect(app.service.sandbox.storefront.customers(SHOP)).toHaveLength(before + 1);
  });
});

describe.each(["storefront", "flow"])("%s: a GraphQL answer", (name) => {
  const answerWith = (body: unknown) =>
    app.service.sandbox.failNext("storefront", { status: 200, body, match: "/graphql.json" });
  const withCode = (code: string) => ({
    data: null,
    errors: [{ message: code, extensions: { code } }],
  });

  test.each<[string, unknown]>([
    ["with INTERNAL_SERVER_ERROR", withCode("INTERNAL_SERVER_ERROR")],
    ["with TIMEOUT", withCode("TIMEOUT")],
    // The storefront's first call is a look-up, for which such an answer is "nobody".
    ...(name === "flow" ? EMPTY_ANSWERS : []),
  ])(
    "%s is the platform's own failure: it counts for the circuit and is retried",
    async (_, body) => {
      answerWith(body);
      const eventId = await app.send(name, userId);
      expect(await app.settled(eventId)).toMatchObject({ status: "pending", retry_count: 1 });
      expect(
        await app.service.database.query("SELECT 1 FROM kv WHERE key LIKE 'circuit:%'"),
      ).toHaveLength(1);
      expect(await app.retry(eventId)).toMatchObject({ status: "delivered" });
    },
  );

  test("with ACCESS_DENIED is a refusal: a dead letter at once", async () => {
    answerWith(withCode("ACCESS_DENIED"));
    expect(await app.settled(await app.send(name, userId))).toMatchObject({
      status: "dead_letter",
      retry_count: 1,
    });
  });

  test("with SHOP_INACTIVE is a store that is not served for now: it is retried", async () => {
    answerWith(withCode("SHOP_INACTIVE"));
    const eventId = await app.send(name, userId);
    expect(await app.settled(eventId)).toMatchObject({ status: "pending", retry_count: 1 });
    expect(await app.retry(eventId)).toMatchObject({ status: "delivered" });
  });
});

test.each(["cms", "profile_platform", "email", "erpsys", "erp_generic"])(
  "%s: a login page with status 200 is no delivery; it is retried",
  async (name) => {
    const { system } = EXPECTED[name] as Wired;
    app.service.sandbox.failNext(system, {
      status: 200,
      headers: { "content-type": "text/html; charset=utf-8" },
      body: "<!doctype html><title>Sign in</title>",
    });
    const eventId = await app.send(name, userId);
    expect(await app.settled(eventId)).toMatchObject({
      status: "pending",
      retry_count: 1,
      last_error: expect.stringContaining("answered something that is not"),
    });
    expect(await app.retry(eventId)).toMatchObject({ status: "delivered" });
  },
);

test("a small ERP that says OK as text/html has the document", async () => {
  app.service.sandbox.failNext("erp", {
    status: 200,
    headers: { "content-type": "text/html; charset=UTF-8" },
    body: "OK",
  });
  const row = await app.settled(await app.send("erp_generic", userId));
  expect(row).toMatchObject({ status: "delivered", retry_count: 0 });
});

test("a customer whose creation got no response exists once in the storefront", async () => {
  const email = `once-${Math.random()}@example.com`;
  const id = await addCustomer(app.service.database, SHOP, { email });
  app.service.sandbox.failNext("storefront", { delayMs: 0 });
  app.service.sandbox.failNext("storefront", { dropReply: true });
  const eventId = await app.send("storefront", id);
  expect(await app.settled(eventId)).toMatchObject({ status: "pending", retry_count: 1 });
  expect(await app.retry(eventId)).toMatchObject({ status: "delivered" });
  expect(
    app.service.sandbox.storefront.customers(SHOP).filter((customer) => customer.email === email),
  ).toHaveLength(1);
});

test("an account that is deleted while its customer is created in the storefront stays empty", async () => {
  const { database, sandbox } = app.service;
  const id = await addCustomer(database, SHOP, { email: `gone-${Math.random()}@example.com` });
  sandbox.failNext("storefront", { delayMs: 300, match: "/graphql.json" }, 2);
  const eventId = await app.send("storefront", id);
  await eventually("the creation to be under way", () =>
    sandbox.requests("storefront").some(({ body }) => {
      const text = JSON.stringify(body);
      return text.includes("customerCreate") && text.includes("gone-");
    }),
  );
  await database.query("UPDATE storefront_users SET status = 'deleted' WHERE id = $1", [id]);
  expect((await app.settled(eventId)).status).toBe("delivered");
  expect(
    await database.query(
      "SELECT storefront_customer_gid, storefront_hash FROM storefront_users WHERE id = $1",
      [id],
    ),
  ).toEqual([{ storefront_customer_gid: null, storefront_hash: null }]);
});

test("a system that never answers times out after 15 seconds, on every channel, and is retried", async () => {
  for (const [name] of wired)
    app.service.sandbox.failNext((EXPECTED[name] as Wired).system, { hang: 60_000 });
  const started = performance.now();
  const ids = await Promise.all(wired.map(([name]) => app.send(name, userId)));
  const rows = await Promise.all(ids.map((id) => app.settled(id, 20_000)));
  expect(performance.now() - started).toBeLessThan(17_500);
  for (const row of rows)
    expect(row).toMatchObject({
      status: "pending",
      retry_count: 1,
      last_error: expect.stringContaining("did not answer in time"),
    });
  const open = await eventually("the circuits' records", async () => {
    const records = await app.service.database.query(
      "SELECT value->>'failures' AS failures FROM kv WHERE key LIKE 'circuit:%'",
    );
    return records.length === wired.length && records;
  });
  expect(open.map(({ failures }) => failures)).toEqual(wired.map(() => "1"));
}, 30_000);
