// Payment mandates: creation, proof, and every event that ends one.
import { createHmac, hkdfSync } from "node:crypto";
import { compactVerify, importJWK } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { anonymiseAccounts } from "../../../app/domain/compliance/erasure/erase-rows.ts";
import { changeAccountStatus } from "../../../app/domain/identity/account-status.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  asAgent,
  consent,
  newShopper,
  openStore,
  type Shopper,
} from "../../support/agents/commerce.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { verify } from "../../support/consent.ts";
import {
  deleteMe,
  forgot,
  login,
  mailedToken,
  PASSWORD,
  queueIsEmpty,
  reset,
} from "../identity/people.ts";

let service: Service;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService({ background: true });
  await openStore(service);
  await openStore(service, OTHER_SHOP);
});
afterAll(() => service.stop());
beforeEach(async () => {
  shopper = await newShopper(service);
  await consent(service, shopper, { consent_ap2: true });
});

const INPUT = { max_amount: "100.00", currency: "EUR", scope: "all" };
const create = (body: object = {}, person = shopper) =>
  asAgent(service, person, "POST", "/commerce/mandates", { body: { ...INPUT, ...body } });
const get = async (id: string, key: string | null = shopper.token, shop = SHOP) =>
  service.call("GET", `/commerce/mandates/${id}?shop=${shop}`, { key });
const statusOf = async (id: string): Promise<string> =>
  (await service.call("GET", `/commerce/mandates/${id}?shop=${SHOP}`)).json.status;
const newMandate = async (body: object = {}): Promise<string> =>
  (await create(body)).json.mandate_id;
const count = async () =>
  (
    await service.database.query("SELECT count(*)::int AS n FROM mandates WHERE customer_id = $1", [
      shopper.id,
    ])
  )[0].n;

describe("POST /commerce/mandates", () => {
  it("answers 201 with the mandate, valid for a day by default", async () => {
    const before = Date.now();
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      mandate_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      customer_id: shopper.id,
      type: "purchase",
      max_amount: "100.00",
      currency: "EUR",
      scope: "all",
      status: "active",
      created_at: expect.stringMatching(/Z$/),
      expires_at: expect.stringMatching(/Z$/),
      signature: expect.stringMatching(/^[A-Za-z0-9+/]{43}=$/),
      spent_amount: "0.00",
      usage: "single",
      agent_clients: null,
      proof: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    const hours = (Date.parse(answer.json.expires_at) - before) / 3_600_000;
    expect(hours).toBeGreaterThanOrEqual(24);
    expect(hours).toBeLessThan(24.01);
    expect((await get(answer.json.mandate_id)).json).toEqual(answer.json);
  });

  it("signs id, customer, amount and expiry with the tenant's secret", async () => {
    const { mandate_id, customer_id, max_amount, expires_at, signature } = (
      await create({ max_amount: "7.5" })
    ).json;
    const secret = Buffer.from(hkdfSync("sha256", "test-jwt-secret-0123456789", "", SHOP, 32));
    expect(max_amount).toBe("7.50");
    expect(signature).toBe(
      createHmac("sha256", secret)
        .update(`${mandate_id}:${customer_id}:${max_amount}:${expires_at}`)
        .digest("base64"),
    );
  });

  it("proves all its fields with the key published in the manifest", async () => {
    const { proof, ...mandate } = (await create({ scope: "collection:outdoor", usage: "multi" }))
      .json;
    const manifest = await service.call("GET", `/.well-known/ucp?shop=${SHOP}`, { key: null });
    const [key] = manifest.json.keys;
    expect(key).toEqual({
      kty: "EC",
      crv: "P-256",
      x: expect.any(String),
      y: expect.any(String),
      kid: expect.any(String),
      alg: "ES256",
      use: "sig",
    });
    const { payload, protectedHeader } = await compactVerify(proof, await importJWK(key, "ES256"));
    expect(protectedHeader).toMatchObject({ alg: "ES256", kid: key.kid });
    expect(JSON.parse(Buffer.from(payload).toString())).toEqual({
      iss: service.url,
      shop: SHOP,
      ...mandate,
    });
    const [head, , signature] = proof.split(".");
    const forged = Buffer.from(
      JSON.stringify({ iss: service.url, shop: SHOP, ...mandate, scope: "all" }),
    ).toString("base64url");
    await expect(
      compactVerify(`${head}.${forged}.${signature}`, await importJWK(key, "ES256")),
    ).rejects.toThrow();
  });

  it("notifies analytics and appends to the consent log, whose chain stays valid", async () => {
    await queueIsEmpty(service);
    const before = service.sandbox.analytics.hits().length;
    const { mandate_id } = (await create({ scope: "collection:outdoor" })).json;
    await queueIsEmpty(service);
    const events = service.sandbox.analytics
      .hits()
      .slice(before)
      .flatMap(({ body }: any) => body.events)
      .filter(({ name }: any) => name === "ucp_mandate_created");
    expect(events).toEqual([
      expect.objectContaining({
        params: expect.objectContaining({
          mandate_id,
          max_amount: "100.00",
          currency: "EUR",
          scope: "collection:outdoor",
        }),
      }),
    ]);
    const rows = await service.database.query(
      "SELECT consent_type, action, consent_id FROM consent_records WHERE user_id = $1 AND action LIKE 'mandate%'",
      [shopper.id],
    );
    expect(rows).toEqual([
      { consent_type: "ap2", action: "mandate_created", consent_id: mandate_id },
    ]);
    expect((await verify(service)).problems).toEqual([]);
  });

  it.each([
    ["max_amount", "0"],
    ["max_amount", "0.00"],
    ["max_amount", "-1"],
    ["max_amount", "1.234"],
    ["max_amount", "1e3"],
    ["max_amount", "1,00"],
    ["max_amount", 100],
    ["max_amount", "1234567890123"],
    ["currency", "EURO"],
    ["currency", "eur"],
    ["currency", "ABC"],
    ["scope", "everything"],
    ["scope", "collection:"],
    ["scope", "collection:a b"],
    ["scope", "product:1"],
    ["scope", "product:gid://shopify/Order/1"],
    ["scope", ""],
    ["expires_in_hours", 0],
    ["expires_in_hours", -1],
    ["expires_in_hours", 8_761],
    ["expires_in_hours", "24"],
    ["usage", "twice"],
  ])("rejects %s %j with 400 and creates nothing", async (name, value) => {
    const answer = await create({ [name]: value });
    expect([answer.status, answer.json.code, Object.keys(answer.json.fields)]).toEqual([
      400,
      "invalid_request",
      [name],
    ]);
    expect(await count()).toBe(0);
  });

  it.each([
    { scope: "product:gid://shopify/Product/9007199254740993" },
    { scope: "collection:été_2026" },
    { expires_in_hours: 8_760 },
    { expires_in_hours: 0.5 },
    { max_amount: "999999999999.99" },
  ])("accepts %j", async (fields) => {
    expect((await create(fields)).json).toMatchObject(
      Object.fromEntries(Object.entries(fields).filter(([name]) => name !== "expires_in_hours")),
    );
  });

  it("requires consent_ap2 from every caller, and not consent_a2a", async () => {
    await consent(service, shopper, { consent_ap2: false, consent_a2a: true });
    for (const headers of [{}, { Origin: `https://${SHOP}` }] as Record<string, string>[]) {
      const answer = await asAgent(service, shopper, "POST", "/commerce/mandates", {
        body: INPUT,
        headers,
      });
      expect(answer.json).toMatchObject({
        error: "Forbidden",
        code: "payment_consent_required",
        message: expect.stringMatching(/agent payments consent is required/i),
      });
    }
    expect(await count()).toBe(0);
  });

  it("requires a session of this store", async () => {
    expect(
      (await service.call("POST", `/commerce/mandates?shop=${SHOP}`, { body: INPUT, key: null }))
        .status,
    ).toBe(401);
    expect(
      (await service.call("POST", `/commerce/mandates?shop=${SHOP}`, { body: INPUT })).status,
    ).toBe(401);
    expect(
      (
        await service.call("POST", `/commerce/mandates?shop=${OTHER_SHOP}`, {
          body: INPUT,
          key: shopper.token,
        })
      ).status,
    ).toBe(401);
  });

  it("is closed where the store disables payments by agents", async () => {
    await service.call("POST", `/config?shop=${SHOP}`, { body: { agent_payments_enabled: false } });
    expect((await create()).json.code).toBe("agent_payments_disabled");
    await service.call("POST", `/config?shop=${SHOP}`, { body: { agent_payments_enabled: true } });
  });
});

describe("a mandate", () => {
  it("is visible to its owner and its store's admin key only", async () => {
    const id = await newMandate();
    const other = await newShopper(service);
    expect((await get(id)).status).toBe(200);
    expect(
      (await service.call("GET", `/commerce/mandates/${id}?shop=${SHOP}`)).json.mandate_id,
    ).toBe(id);
    expect((await get(id, other.token)).json.code).toBe("not_found");
    expect((await service.call("GET", `/commerce/mandates/${id}?shop=${OTHER_SHOP}`)).status).toBe(
      404,
    );
    for (const key of [null, "nonsense"]) expect((await get(id, key)).status).toBe(401);
    expect((await service.call("GET", `/commerce/mandates/${id}`)).json.code).toBe(
      "tenant_required",
    );
    for (const nothing of ["00000000-0000-4000-8000-000000000000", "x"])
      expect((await get(nothing)).status).toBe(404);
    const admin_key = "a-key-of-this-store-0123456789";
    await service.call("POST", `/config?shop=${SHOP}`, { body: { admin_key } });
    expect((await get(id, admin_key)).status).toBe(200);
    // As another process removes it: this one still remembers the store as it was.
    await service.database.query(
      "UPDATE kv SET value = value - 'admin_key', version = version + 1 WHERE key = $1",
      [`tenant:${SHOP}`],
    );
    expect((await get(id, admin_key)).status).toBe(401);
  });

  it("is listed newest first, in pages", async () => {
    const made: string[] = [];
    for (let index = 0; index < 3; index += 1) made.unshift(await newMandate());
    await create({}, await newShopper(service));
    const first = (await asAgent(service, shopper, "GET", "/commerce/mandates?limit=2")).json;
    const second = (
      await asAgent(
        service,
        shopper,
        "GET",
        `/commerce/mandates?limit=2&cursor=${first.next_cursor}`,
      )
    ).json;
    expect(
      [...first.mandates, ...second.mandates].map(({ mandate_id }: any) => mandate_id),
    ).toEqual(made);
    expect(second.next_cursor).toBeNull();
  });

  it("reads as expired after its expiry, and stays listed", async () => {
    const id = await newMandate();
    await service.database.query(
      "UPDATE mandates SET expires_at = now() - interval '1 second' WHERE mandate_id = $1",
      [id],
    );
    expect(await statusOf(id)).toBe("expired");
    expect(
      (await asAgent(service, shopper, "DELETE", `/commerce/mandates/${id}`)).json.status,
    ).toBe("expired");
  });

  it("is revoked by its owner or the admin key only, and repeating it is safe", async () => {
    const [own, byAdmin] = [await newMandate(), await newMandate()];
    const other = await newShopper(service);
    expect(
      (await service.call("DELETE", `/commerce/mandates/${own}?shop=${SHOP}`, { key: other.token }))
        .status,
    ).toBe(404);
    expect(await statusOf(own)).toBe("active");
    for (let times = 0; times < 2; times += 1)
      expect(
        (await asAgent(service, shopper, "DELETE", `/commerce/mandates/${own}`)).json,
      ).toMatchObject({ mandate_id: own, status: "revoked" });
    expect(
      (await service.call("DELETE", `/commerce/mandates/${byAdmin}?shop=${SHOP}`)).json.status,
    ).toBe("revoked");
  });

  it("stays used when it is revoked after its budget was spent", async () => {
    const id = await newMandate();
    await service.database.query("UPDATE mandates SET status = 'used' WHERE mandate_id = $1", [id]);
    expect(
      (await asAgent(service, shopper, "DELETE", `/commerce/mandates/${id}`)).json,
    ).toMatchObject({ mandate_id: id, status: "used" });
    expect(await statusOf(id)).toBe("used");
  });

  it("ends with consent_ap2 and stays ended when the consent is granted again", async () => {
    const [id, theirs] = [await newMandate(), await newShopper(service)];
    await consent(service, theirs, { consent_ap2: true });
    const other = (await create({}, theirs)).json.mandate_id;
    await consent(service, shopper, { consent_ap2: false });
    expect([await statusOf(id), await statusOf(other)]).toEqual(["revoked", "active"]);
    await consent(service, shopper, { consent_ap2: true, consent_a2a: true });
    expect(await statusOf(id)).toBe("revoked");
    const next = await newMandate();
    await consent(service, shopper, { consent_a2a: false, consent_marketing: true });
    expect(await statusOf(next)).toBe("active");
  });

  it("ends with a password reset and with the account, but not with a sign-in", async () => {
    const id = await newMandate();
    await login(service, shopper.email);
    expect(await statusOf(id)).toBe("active");
    await forgot(service, shopper.email);
    await reset(
      service,
      await mailedToken(service, shopper.email, "/auth/password/reset"),
      "another horse battery",
    );
    expect(await statusOf(id)).toBe("revoked");
    const leaving = await newShopper(service);
    await consent(service, leaving, { consent_ap2: true });
    const last = (await create({}, leaving)).json.mandate_id;
    await deleteMe(service, leaving.token, { password: PASSWORD });
    expect(await statusOf(last)).toBe("revoked");
  });

  it.each([
    ["consent_ap2 is withdrawn", () => consent(service, shopper, { consent_ap2: false })],
    [
      "its owner signs out everywhere",
      () =>
        service.call("POST", `/auth/logout?shop=${SHOP}`, {
          body: { everywhere: true },
          key: shopper.token,
        }),
    ],
    [
      "its owner is suspended",
      async () => {
        const tenant = await getTenant(service.ctx, SHOP);
        await changeAccountStatus(service.ctx, tenant, shopper.id, "suspended");
      },
    ],
    [
      "its owner deletes the account",
      () => deleteMe(service, shopper.token, { password: PASSWORD }),
    ],
    [
      "its owner is anonymised",
      () => anonymiseAccounts(service.ctx.home.forTenant(SHOP).sql, [shopper.id]),
    ],
  ])("stays expired, without a revocation in its history, when %s", async (_cause, end) => {
    const [past, current] = [await newMandate(), await newMandate()];
    await service.database.query(
      "UPDATE mandates SET expires_at = now() - interval '1 second' WHERE mandate_id = $1",
      [past],
    );
    await end();
    expect([await statusOf(past), await statusOf(current)]).toEqual(["expired", "revoked"]);
    expect(
      await service.database.query("SELECT revoked_at FROM mandates WHERE mandate_id = $1", [past]),
    ).toEqual([{ revoked_at: null }]);
  });

  it("never stays active after a concurrent revocation of the consent", async () => {
    for (let times = 0; times < 10; times += 1) {
      const person = await newShopper(service);
      await consent(service, person, { consent_ap2: true });
      await Promise.all([
        create({}, person),
        consent(service, person, { consent_ap2: false }),
        create({}, person),
      ]);
      expect(
        await service.database.query(
          "SELECT 1 FROM mandates WHERE customer_id = $1 AND status = 'active'",
          [person.id],
        ),
      ).toEqual([]);
    }
  });

  it("never stays active after a concurrent account deletion", async () => {
    for (let times = 0; times < 6; times += 1) {
      const person = await newShopper(service);
      await consent(service, person, { consent_ap2: true });
      await Promise.all([
        create({}, person),
        deleteMe(service, person.token, { password: PASSWORD }),
        create({}, person),
      ]);
      expect(
        await service.database.query(
          "SELECT 1 FROM mandates WHERE customer_id = $1 AND status = 'active'",
          [person.id],
        ),
      ).toEqual([]);
    }
  });
});
