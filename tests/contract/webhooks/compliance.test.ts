import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  ADA,
  dataRequestBody,
  privacy,
  redactBody,
  shopBody,
  type PrivacyPath,
} from "../../support/privacy.ts";
import {
  ADMIN_KEY,
  OTHER_SHOP,
  SHOP,
  sign,
  startService,
  type Service,
} from "../../support/service.ts";

let service: Service;
const BODIES: Record<PrivacyPath, string> = {
  "data-request": dataRequestBody(ADA),
  "customer-redact": redactBody(ADA),
  "shop-redact": shopBody(),
};
const PATHS = Object.keys(BODIES) as PrivacyPath[];
const GONE_SHOP = "gone-store.myshopify.com";
const rows = () => service.database.query("SELECT * FROM privacy_requests ORDER BY id");

// No workers run: what is received stays as it was stored.
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP, { admin_key: "tenant-key-0123456789ab" });
  await service.addTenant(OTHER_SHOP, { admin_key: "other-key-0123456789abc" });
});
beforeEach(async () => {
  await service.database.query("DELETE FROM privacy_requests");
});
afterAll(() => service.stop());

describe.each(PATHS)("POST /gdpr/%s", (path) => {
  const raw = BODIES[path];
  const post = (headers: Record<string, string>, body: string | Buffer = raw) =>
    service.call("POST", `/gdpr/${path}`, {
      body,
      key: null,
      headers: { "X-Shopify-Shop-Domain": SHOP, ...headers },
    });

  it.each([
    ["no signature", {}],
    ["an empty one", { "X-Shopify-Hmac-Sha256": "" }],
    ["a malformed one", { "X-Shopify-Hmac-Sha256": "not base64!" }],
    ["a wrong one", { "X-Shopify-Hmac-Sha256": sign(raw, "another-secret-0123456789") }],
    ["one in hex", { "X-Shopify-Hmac-Sha256": Buffer.from(sign(raw), "base64").toString("hex") }],
    ["one of another body", { "X-Shopify-Hmac-Sha256": sign(`${raw} `) }],
    [
      "two that differ",
      { "X-Shopify-Hmac-Sha256": sign(raw), "X-Storefront-Hmac-SHA256": sign("x") },
    ],
  ])("rejects %s with 401 and stores nothing", async (_, headers) => {
    const answer = await post(headers);
    expect(answer.status).toBe(401);
    expect(answer.json.code).toBe("invalid_signature");
    expect(await rows()).toEqual([]);
  });

  it.each(["X-Shopify-Hmac-Sha256", "X-Storefront-Hmac-SHA256"])(
    "accepts the signature in %s and returns nothing personal",
    async (header) => {
      const answer = await post({ [header]: sign(raw), "X-Shopify-Webhook-Id": `one-${header}` });
      expect(answer.status).toBe(200);
      const [row] = await rows();
      if (path === "shop-redact") expect(answer.json).toEqual({ ok: true });
      else
        expect(answer.json).toEqual({
          ok: true,
          request_id: row.id,
          due_by: row.due_by.toISOString(),
        });
      expect(row.state).toBe("received");
      expect(Math.round((row.due_by.getTime() - row.received_at.getTime()) / 86_400_000)).toBe(30);
      expect(JSON.stringify(row)).not.toMatch(/ada\.lovelace|7946|706405506930370999/i);
    },
  );

  it("identifies the store by the signed body only and rejects a contradicting header", async () => {
    const send = (headers: Record<string, string>) =>
      service.call("POST", `/gdpr/${path}`, {
        body: raw,
        key: null,
        headers: { "X-Storefront-Hmac-SHA256": sign(raw), ...headers },
      });
    expect((await send({})).status).toBe(200);
    expect(await rows()).toMatchObject([{ kind: path.replace("-", "_"), state: "received" }]);
    expect((await send({ "X-Storefront-Shop-Domain": OTHER_SHOP })).status).toBe(401);
    expect(await rows()).toHaveLength(1);
  });

  it("writes one row for a repeated delivery, at once or later, and answers the same", async () => {
    const send = () =>
      privacy(service, path, raw, { headers: { "X-Shopify-Webhook-Id": "again" } });
    const answers = [...(await Promise.all([send(), send(), send(), send()])), await send()];
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(await rows()).toHaveLength(1);
  });

  it("writes one row for an event that two subscriptions deliver under two delivery ids", async () => {
    const send = (id: string, event: string) =>
      privacy(service, path, raw, {
        headers: { "X-Shopify-Webhook-Id": id, "X-Shopify-Event-Id": event },
      });
    const answers = [await send("one", "event-1"), await send("two", "event-1")];
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await rows()).toHaveLength(1);
    await send("three", "event-2");
    expect(await rows()).toHaveLength(2);
  });

  it("deduplicates a sender without delivery ids by the content", async () => {
    await post({ "X-Shopify-Hmac-Sha256": sign(raw) });
    await post({ "X-Shopify-Hmac-Sha256": sign(raw) });
    expect(await rows()).toHaveLength(1);
  });

  it("rejects a signed body that is sent to another store", async () => {
    const answer = await privacy(service, path, raw, { shop: OTHER_SHOP });
    expect(answer.status).toBe(401);
    expect(await rows()).toEqual([]);
  });

  it("answers 405 to GET and 413 to a body over 2 MiB", async () => {
    const got = await service.call("GET", `/gdpr/${path}?shop=${SHOP}`, { key: null });
    expect([got.status, got.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    const large = `{"shop_domain":"${SHOP}","x":"${"a".repeat(2 * 1024 * 1024)}"}`;
    expect((await post({ "X-Shopify-Hmac-Sha256": sign(large) }, large)).status).toBe(413);
  });

  it("answers 200 when the app was uninstalled and its token is invalid", async () => {
    await service.database.query(
      `UPDATE kv SET value = value - 'storefront_admin_token' || '{"connection":{"token_state":"reauth_required"}}', version = version + 1 WHERE key = 'tenant:${SHOP}'`,
    );
    expect((await privacy(service, path, raw)).status).toBe(200);
  });

  it("answers 200 for an unknown store and stores nothing of it", async () => {
    const body = raw.replaceAll(SHOP, GONE_SHOP);
    const answer = await privacy(service, path, body, { shop: GONE_SHOP });
    expect(answer.status).toBe(200);
    const [row] = await rows();
    expect(row).toMatchObject({ shop: "*", state: path === "shop-redact" ? "received" : "done" });
    expect(row.payload).toEqual(path === "shop-redact" ? { shop: GONE_SHOP } : {});
    expect(row.evidence).toEqual(
      path === "shop-redact" ? null : { outcome: "the store is not known here" },
    );
  });

  it.each(["[]", "null", '"x"', "", ` ${raw}`, `\n${raw}`, `\ufeff${raw}`])(
    "rejects a signed body that is not a JSON object: %s",
    async (body) => {
      const answer = await post({ "X-Shopify-Hmac-Sha256": sign(body) }, body);
      expect([answer.status, answer.json.code]).toEqual([401, "invalid_signature"]);
      expect(await rows()).toEqual([]);
    },
  );
});

describe("optional parts of a request", () => {
  it.each([[{}], [{ id: ADA.id }], [{ email: ADA.email }], [{ phone: ADA.phone }]])(
    "accepts a customer with only %o",
    async (who) => {
      expect((await privacy(service, "customer-redact", redactBody(who))).status).toBe(200);
      expect((await privacy(service, "data-request", dataRequestBody(who))).status).toBe(200);
    },
  );

  it.each(['{"customer":null}', "{}", '{"customer":{"id":null,"email":null,"phone":""}}'])(
    "answers 200 without any work for %s",
    async (body) => {
      expect((await privacy(service, "customer-redact", body)).status).toBe(200);
      expect(await rows()).toMatchObject([
        { state: "done", payload: {}, evidence: { outcome: "the request names nobody" } },
      ]);
    },
  );
});

describe("GET /admin/privacy-requests", () => {
  const list = (query: string, key: string | null = ADMIN_KEY) =>
    service.call("GET", `/admin/privacy-requests?${query}`, { key });

  it("lists a store's requests, newest first and in pages, with its own deletion request", async () => {
    for (const path of PATHS) await privacy(service, path, BODIES[path]);
    await privacy(service, "customer-redact", redactBody(ADA, OTHER_SHOP), { shop: OTHER_SHOP });
    const first = await list(`shop=${SHOP}&limit=2`);
    expect(first.json.requests.map(({ kind }: { kind: string }) => kind)).toEqual([
      "shop_redact",
      "customer_redact",
    ]);
    expect(first.json.requests[0]).toEqual({
      request_id: expect.any(Number),
      kind: "shop_redact",
      state: "received",
      external_id: null,
      received_at: expect.any(String),
      due_by: expect.any(String),
      completed_at: null,
      attempts: 0,
      last_error: null,
      evidence: null,
    });
    const second = await list(`shop=${SHOP}&limit=2&cursor=${first.json.next_cursor}`);
    expect(
      second.json.requests.map(
        ({ kind, external_id: id }: Record<string, string>) => `${kind} ${id}`,
      ),
    ).toEqual(["data_request 9999"]);
    expect(second.json.next_cursor).toBeNull();
    expect((await list(`shop=${OTHER_SHOP}&cursor=${first.json.next_cursor}`)).json.code).toBe(
      "invalid_cursor",
    );
    expect((await list(`shop=${SHOP}`, "tenant-key-0123456789ab")).status).toBe(200);
  });

  it.each([null, "wrong", "other-key-0123456789abc"])("rejects the key %s", async (key) => {
    expect((await list(`shop=${SHOP}`, key)).status).toBe(401);
    expect(
      (await service.call("GET", `/admin/privacy-export/1?shop=${SHOP}`, { key })).status,
    ).toBe(401);
  });
});

describe("the export's addresses", () => {
  it("answer 404 to the operator and a page to the merchant when there is no export", async () => {
    expect((await service.call("GET", `/admin/privacy-export/99?shop=${SHOP}`)).status).toBe(404);
    expect((await service.call("GET", `/admin/privacy-export/..%2fx?shop=${SHOP}`)).status).toBe(
      404,
    );
    const page = await service.call("GET", `/gdpr/export?shop=${SHOP}&token=none`, { key: null });
    expect([page.status, page.headers.get("content-type")]).toEqual([
      400,
      "text/html; charset=utf-8",
    ]);
    expect(
      (
        await service.call("POST", `/gdpr/export?shop=${SHOP}`, {
          key: null,
          body: { token: "none" },
        })
      ).json.code,
    ).toBe("invalid_link");
  });
});
