import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { post, send, startTestApp } from "../../sandbox/sandbox-fixture.ts";
import type { TestApp } from "../../sandbox/sandbox-fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ webhookSecret: "webhook-secret" });
});
afterAll(() => app.stop());

const bearer = { authorization: "Bearer key" };

describe("the CMS", () => {
  const items = (): string =>
    `${app.sandbox.addresses.cmsApiUrl}/collections/${app.sandbox.cms.customersCollectionId}/items`;
  const item = (slug: string, more: Record<string, unknown> = {}) => ({
    fieldData: { name: slug, slug, ...more },
    isDraft: true,
  });

  it("rejects a call without a key", async () => {
    expect(await post(items(), item("no-key"))).toMatchObject({
      status: 401,
      body: { code: "not_authorized" },
    });
  });

  it("creates staged items, finds them by slug, updates and deletes them", async () => {
    const created = await post(
      items(),
      item("c-1", { email: "c1@shopper.example", "consent-tos": "true", "number-of-orders": 2 }),
      bearer,
    );
    expect(created).toMatchObject({ status: 202, body: { isDraft: true, lastPublished: null } });
    const found = await send("GET", `${items()}?slug=c-1`, undefined, bearer);
    expect(found.body).toMatchObject({
      items: [{ id: created.body.id }],
      pagination: { total: 1 },
    });
    const changed = await send(
      "PATCH",
      `${items()}/${created.body.id}`,
      { fieldData: { "first-name": "Ada" } },
      bearer,
    );
    expect(changed.body.fieldData).toMatchObject({
      "first-name": "Ada",
      email: "c1@shopper.example",
    });
    expect((await send("DELETE", `${items()}/${created.body.id}`, undefined, bearer)).status).toBe(
      204,
    );
    expect((await send("GET", `${items()}/${created.body.id}`, undefined, bearer)).status).toBe(
      404,
    );
  });

  it.each([
    ["a missing name", { slug: "x-1" }],
    ["a missing slug", { name: "x" }],
    ["a field the collection does not declare", { name: "x", slug: "x-2", shoesize: "44" }],
    ["an address that is no email", { name: "x", slug: "x-3", email: "nobody" }],
    ["a boolean where a text is", { name: "x", slug: "x-4", "consent-tos": true }],
    [
      "a reference to an item that is not there",
      { name: "x", slug: "x-5", "tag-refs": ["missing"] },
    ],
  ])("rejects %s", async (_case, fieldData) => {
    expect(await post(items(), { fieldData }, bearer)).toMatchObject({
      status: 400,
      body: { code: "validation_error" },
    });
  });

  it("rejects a taken slug, also inside one bulk call, and then stores none of it", async () => {
    await post(items(), item("taken"), bearer);
    expect((await post(items(), item("taken"), bearer)).status).toBe(400);
    expect((await post(items(), { items: [item("twin"), item("twin")] }, bearer)).status).toBe(400);
    expect(app.sandbox.cms.items().filter(({ fieldData }) => fieldData["slug"] === "twin")).toEqual(
      [],
    );
  });

  it("accepts 100 items in one call and rejects 101", async () => {
    const many = (count: number, prefix: string) => ({
      items: Array.from({ length: count }, (_, index) => item(`${prefix}-${index}`)),
    });
    expect((await post(items(), many(101, "over"), bearer)).status).toBe(400);
    const created = await post(items(), many(100, "bulk"), bearer);
    expect(created.body.items).toHaveLength(100);
    const patch = {
      items: created.body.items.map(({ id }: { id: string }) => ({
        id,
        fieldData: { country: "DE" },
      })),
    };
    expect((await send("PATCH", items(), patch, bearer)).status).toBe(200);
    expect(
      (
        await send(
          "DELETE",
          items(),
          { items: patch.items.map(({ id }: { id: string }) => ({ id })) },
          bearer,
        )
      ).status,
    ).toBe(204);
    expect((await send("GET", `${items()}?limit=101`, undefined, bearer)).status).toBe(400);
  });

  it("queues an item that is not marked as a draft for publishing, as the vendor does", async () => {
    const created = await post(items(), { fieldData: { name: "x", slug: "not-a-draft" } }, bearer);
    expect(created.body).toMatchObject({ isDraft: false, lastPublished: null });
  });

  it("records every call that would publish", async () => {
    await post(`${items()}/live`, item("public"), bearer);
    expect(app.sandbox.cms.liveCalls()).toMatchObject([
      { method: "POST", itemIds: [expect.any(String)] },
    ]);
  });

  it("answers 429 with Retry-After over the rate, per key", async () => {
    app.sandbox.cms.settings.requestsPerMinute = 1;
    const slow = { authorization: "Bearer slow" };
    await send("GET", items(), undefined, slow);
    const over = await send("GET", items(), undefined, slow);
    app.sandbox.cms.settings.requestsPerMinute = 100_000;
    expect(over.status).toBe(429);
    expect(over.headers.get("retry-after")).toBe("60");
  });
});

describe("web analytics", () => {
  const collect = (body: unknown, path = "/mp/collect") =>
    post(`${app.sandbox.addresses.analyticsApiUrl}${path}?measurement_id=G-1&api_secret=s`, body);
  const good = { client_id: "1.2", events: [{ name: "crm_login", params: { method: "email" } }] };
  const codesOf = () =>
    app.sandbox.analytics
      .hits()
      .at(-1)
      ?.violations.map(({ validationCode, fieldPath }) => `${validationCode} ${fieldPath}`);

  it("answers a valid hit with 204 and records no violation", async () => {
    expect((await collect(good)).status).toBe(204);
    expect(codesOf()).toEqual([]);
  });

  it.each([
    ["no client id", { events: good.events }, "VALUE_REQUIRED client_id"],
    ["no events", { client_id: "1.2" }, "VALUE_REQUIRED events"],
    [
      "26 events",
      { client_id: "1.2", events: Array.from({ length: 26 }, () => good.events[0]) },
      "EXCEEDED_MAX_ENTITIES events",
    ],
    [
      "a bad event name",
      { client_id: "1.2", events: [{ name: "1st-event" }] },
      "NAME_INVALID events[0].name",
    ],
    [
      "a param of 101 characters",
      { client_id: "1.2", events: [{ name: "a", params: { tags: "x".repeat(101) } }] },
      "VALUE_OUT_OF_BOUNDS events[0].params.tags",
    ],
    [
      "a user property of 37 characters",
      { ...good, user_properties: { crm_tags: { value: "x".repeat(37) } } },
      "VALUE_OUT_OF_BOUNDS user_properties.crm_tags.value",
    ],
    [
      "a user property name of 25 characters",
      { ...good, user_properties: { ["x".repeat(25)]: { value: "1" } } },
      `NAME_INVALID user_properties.${"x".repeat(25)}`,
    ],
    [
      "an email address",
      { client_id: "1.2", events: [{ name: "a", params: { who: "ada@shopper.example" } }] },
      "PERSONAL_DATA events.0.params.who",
    ],
    ["130 kB", { ...good, padding: "x".repeat(130_000) }, "VALUE_OUT_OF_BOUNDS "],
  ])("answers %s with 204 too, and records the violation", async (_case, body, expected) => {
    expect((await collect(body)).status).toBe(204);
    expect(codesOf()).toEqual([expected]);
  });

  it("reports violations on the debug address, without counting a hit", async () => {
    const before = app.sandbox.analytics.hits().length;
    expect(await collect({ events: good.events }, "/debug/mp/collect")).toMatchObject({
      status: 200,
      body: { validationMessages: [{ validationCode: "VALUE_REQUIRED" }] },
    });
    expect(app.sandbox.analytics.hits()).toHaveLength(before);
  });
});

describe("the profile platform", () => {
  const hash = "a".repeat(64);
  const message = (identityMap: unknown, more: Record<string, unknown> = {}) => ({
    header: { schemaRef: { id: "https://ns.example/schema" } },
    body: { xdmMeta: {}, xdmEntity: { identityMap, ...more } },
  });
  const ingest = (body: unknown) => post(app.sandbox.addresses.profilePlatformUrl, body);

  it("stores a profile under each of its identities", async () => {
    const reply = await ingest(
      message(
        { CRMID: [{ id: "7", primary: true }], Email_LC_SHA256: [{ id: hash }] },
        { status: "active" },
      ),
    );
    expect(reply).toMatchObject({
      status: 200,
      body: { inletId: "demo", xactionId: expect.any(String) },
    });
    expect(app.sandbox.profilePlatform.profile(`Email_LC_SHA256:${hash}`)).toMatchObject({
      status: "active",
    });
  });

  it.each([
    ["a raw email as an identity", message({ Email: [{ id: "ada@shopper.example" }] })],
    [
      "a raw email anywhere",
      message({ CRMID: [{ id: "7" }] }, { note: "write to ada@shopper.example" }),
    ],
    ["a hash that is not 64 hex digits", message({ Email_LC_SHA256: [{ id: "abc" }] })],
    [
      "two primary identities",
      message({ A: [{ id: "1", primary: true }], B: [{ id: "2", primary: true }] }),
    ],
    ["no identity", message({})],
  ])("rejects %s", async (_case, body) => {
    expect((await ingest(body)).status).toBe(400);
  });

  it("accepts a batch", async () => {
    expect(
      (
        await ingest({
          messages: [message({ CRMID: [{ id: "8" }] }), message({ CRMID: [{ id: "9" }] })],
        })
      ).body.responses,
    ).toHaveLength(2);
  });
});

describe("email", () => {
  const emails = (): string => `${app.sandbox.addresses.emailApiUrl}/emails`;
  const mail = {
    from: "Store <hello@store.example>",
    to: "ada@shopper.example",
    subject: "Welcome",
    html: "<p>Hi</p>",
    text: "Hi",
  };

  it("sends one mail per idempotency key, and rejects another mail under it", async () => {
    const headers = { ...bearer, "idempotency-key": "welcome-1" };
    const first = await post(emails(), mail, headers);
    const second = await post(emails(), mail, headers);
    expect(second.body.id).toBe(first.body.id);
    expect(app.sandbox.email.mailsTo("ada@shopper.example")).toHaveLength(1);
    expect((await post(emails(), { ...mail, subject: "Other" }, headers)).status).toBe(409);
  });

  it.each([
    ["no recipient", { ...mail, to: undefined }],
    ["a recipient that is no address", { ...mail, to: "nobody" }],
    ["neither html nor text", { ...mail, html: undefined, text: undefined }],
    ["a subject of two lines", { ...mail, subject: "Hi\r\nBcc: all@store.example" }],
  ])("rejects %s", async (_case, body) => {
    expect((await post(emails(), body, bearer)).status).toBe(422);
  });
});

describe("the ERP and the retail partner", () => {
  it("accept authorised documents only", async () => {
    const url = `${app.sandbox.addresses.erpBaseUrl}/BusinessPartner`;
    expect((await post(url, {})).status).toBe(401);
    expect((await post(url, { name: "Ada" }, { authorization: "Basic dXNlcjpwYXNz" })).status).toBe(
      201,
    );
    expect((await post(app.sandbox.addresses.retailAnalyticsBUrl, {})).status).toBe(401);
    expect((await post(app.sandbox.addresses.retailAnalyticsBUrl, { sku: 1 }, bearer)).status).toBe(
      200,
    );
  });

  it.each([
    ["<a><b>x &amp; y</b></a>", 201],
    ['<?xml version="1.0"?><a b="c > d"/>', 201],
    ["<a><b>x & y</b></a>", 400],
    ["<a><b>x</a></b>", 400],
    ["<a>", 400],
  ])("the ERP validates %s: %i", async (xml, status) => {
    expect(
      (
        await post(`${app.sandbox.addresses.erpBaseUrl}/idoc`, xml, {
          ...bearer,
          "content-type": "application/xml",
        })
      ).status,
    ).toBe(status);
  });
});

describe("the remote backend", () => {
  const event = {
    event_id: "e-1",
    source: "manual",
    event_type: "order.created",
    entity_type: "order",
    entity_id: "1",
    tenant_shop: "a.myshopify.com",
    payload: { a: 1 },
    destinations: ["cms", "archive"],
    priority: 2,
    timestamp: "2026-03-01T10:00:00Z",
  };
  const enqueue = (body: unknown, headers: Record<string, string> = bearer) =>
    post(`${app.sandbox.addresses.backendUrl}/integration-enqueue`, body, headers);

  it("accepts complete events with a key, and nothing else", async () => {
    expect((await enqueue(event, {})).status).toBe(401);
    expect(await enqueue({ ...event, priority: undefined })).toMatchObject({
      status: 400,
      body: { ok: false, missing: ["priority"] },
    });
    expect(app.sandbox.backend.enqueued()).toEqual([]);
  });

  it("returns a queue id, the same one for the same event, and requests each delivery once", async () => {
    const first = await enqueue(event);
    expect(first.body).toEqual({ ok: true, queue_id: expect.any(Number) });
    expect((await enqueue(event)).body).toEqual(first.body);
    expect(
      (await enqueue({ ...event, tenant_shop: "b.myshopify.com", destinations: ["cms"] })).body
        .queue_id,
    ).toBe(first.body.queue_id + 1);
    await expect.poll(() => app.sandbox.backend.deliveries().length).toBe(3);
    const asked = app.received
      .filter(({ path }) => path === "/events/deliver")
      .map(({ text, headers }) => ({
        ...(JSON.parse(text) as object),
        secret: headers["x-backend-webhook-secret"],
      }));
    expect(asked[0]).toEqual({
      queue_id: first.body.queue_id,
      event_id: "e-1",
      channel: "cms",
      transformed_payload: { a: 1 },
      delivery_config: { method: "POST", endpoint: "", credentials_key: null },
      secret: "webhook-secret",
    });
  });
});

describe("the drop of the retail partner", () => {
  it("keeps the latest object at a path", async () => {
    const url = `${app.sandbox.addresses.retailAnalyticsAUrl}/daily/e.csv`;
    for (const body of ["a", "b"])
      expect((await send("PUT", url, body, { "content-type": "text/csv" })).status).toBe(200);
    expect((await send("GET", url, undefined)).body).toBe("b");
    expect(Object.keys(app.sandbox.retailAnalyticsA.objects())).toEqual(["/daily/e.csv"]);
    expect((await send("GET", `${url}x`, undefined)).status).toBe(404);
  });
});
