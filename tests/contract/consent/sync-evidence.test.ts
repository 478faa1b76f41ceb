import { hash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  consentsOf,
  expectAgreement,
  inShort,
  logOf,
  saidLater,
  signUp,
  startConsentService,
  syncAs,
  verify,
  type ConsentService,
} from "../../support/consent.ts";
import { OTHER_SHOP, SHOP } from "../../support/service.ts";

let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService();
});
afterAll(() => service.stop());

const onlyRow = async (body: object, headers: Record<string, string> = {}) => {
  const ada = await signUp(service);
  expect((await syncAs(service, ada, { consent_cookie: true, ...body }, { headers })).status).toBe(
    200,
  );
  const rows = await saidLater(service, ada);
  expect(rows).toHaveLength(1);
  return rows[0]!;
};

describe("a consent row stores", () => {
  it(`person, decision, method, version, browser, analytics session,
    and the client's time as submitted`, async () => {
    const row = await onlyRow(
      {
        method: "preferences",
        consent_version: "2026-11",
        ga_session_id: "1732150000",
        timestamp: "2026-11-21T01:02:03+09:00",
        consent_id: "c-1",
      },
      { "User-Agent": "Tester/1.0" },
    );
    expect(row).toMatchObject({
      consent_type: "cookie",
      action: "granted",
      method: "preferences",
      consent_version: "2026-11",
      ga_session_id: "1732150000",
      timestamp: "2026-11-21T01:02:03+09:00",
      consent_id: "c-1",
      user_agent: "Tester/1.0",
      gpc: false,
      policy_hash: null,
    });
  });

  it("the server's time as its time, never the client's", async () => {
    const before = Date.now();
    const row = await onlyRow({ timestamp: "2099-01-01T00:00:00Z" });
    expect(row.created_at.getTime()).toBeGreaterThan(before - 60_000);
    expect(row.created_at.getTime()).toBeLessThan(Date.now() + 60_000);
  });

  it("the page without its query, which may contain personal data", async () => {
    expect(
      (await onlyRow({ source_page: "https://shop.example/pages/join?email=ada@example.com#x" }))
        .source_page,
    ).toBe("https://shop.example/pages/join");
  });

  it.each([
    ["ada@example.com", "redacted"],
    ["ada%40example.com", "redacted"],
    ["ada%2540example.com", "redacted"],
    ["ADA%EF%BC%A0example.com", "redacted"],
    ["%zz-ada%40example.com", "redacted"],
    ["join%3Fto=ada@example.com", "redacted"],
    ["@brand", "@brand"],
  ])("the page without an email address in its path: %s", async (segment, kept) => {
    const { source_page: page } = await onlyRow({
      source_page: `https://shop.example/account/${segment}/orders`,
    });
    expect(page).toBe(`https://shop.example/account/${kept}/orders`);
  });

  it("no email address from any text field, and the chain stays valid", async () => {
    const row = await onlyRow(
      {
        consent_version: "v1 ada@example.com",
        timestamp: "ada%40example.com",
        source_page: "https://ada@shop.example/",
      },
      { "User-Agent": "Robot/1.0 (mailto:ada@example.com)" },
    );
    expect(JSON.stringify(row)).not.toMatch(/ada(@|%40)|example\.com/);
    expect(row).toMatchObject({
      consent_version: "v1 redacted",
      timestamp: "redacted",
      source_page: "https://redacted/",
      user_agent: "Robot/1.0 redacted",
    });
    expect((await verify(service)).problems).toEqual([]);
  });

  it("at most 500 characters of the user agent", async () => {
    expect((await onlyRow({}, { "User-Agent": "x".repeat(2_000) })).user_agent).toHaveLength(500);
  });

  it("malformed Unicode as the database can store it: the chain stays valid", async () => {
    expect(
      (
        await onlyRow({
          consent_version: "v\ud800",
          source_page: `https://shop.example/${"a".repeat(478)}\u{1f600}`,
        })
      ).consent_version,
    ).toBe("v\ufffd");
    expect((await verify(service)).problems).toEqual([]);
  });
});

it("a sign-up leaves no email address in the version and browser of its consent rows", async () => {
  const answer = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
    body: {
      email: "grace@example.com",
      password: "correct horse",
      consent_tos: true,
      consent_privacy: true,
      consent_version: "v2 grace@example.com",
    },
    key: null,
    headers: { "User-Agent": "Robot/1.0 grace@example.com" },
  });
  expect(answer.status).toBe(201);
  const rows = await service.database.query(
    "SELECT consent_version, user_agent FROM consent_records WHERE user_id = $1",
    [answer.json.user.id],
  );
  expect(new Set(rows.map(({ consent_version: v, user_agent: a }) => `${v}, ${a}`))).toEqual(
    new Set(["v2 redacted, Robot/1.0 redacted"]),
  );
});

describe("the hash chain", () => {
  it.each([
    "\u0001\u001f\u007f",
    "\b\f\n\r\t",
    '"\\/',
    "\u2028\u2029\u0085",
    "\u{1f600}\ufeffé",
    '][",null,[]"',
  ])(
    "is valid over the text %j as both the database and the service serialise it",
    async (text) => {
      await onlyRow({ consent_version: text, timestamp: text });
      expect((await verify(service)).problems).toEqual([]);
    },
  );
});

describe("the policy version", () => {
  it("defaults to the store's current one, with the hash of its text", async () => {
    const body = "We keep your choice.";
    await service.call("POST", `/admin/consent/policies?shop=${OTHER_SHOP}`, {
      body: { version: "v7", body },
    });
    await service.addTenant(OTHER_SHOP, { consent_policy_version: "v7" });
    const bob = await signUp(service, {}, OTHER_SHOP);
    await syncAs(service, bob, { consent_cookie: true }, { shop: OTHER_SHOP });
    await syncAs(
      service,
      bob,
      { consent_marketing: true, consent_version: "v6" },
      { shop: OTHER_SHOP },
    );
    const rows = await saidLater(service, bob);
    expect(rows.map((row) => [row.consent_version, row.policy_hash])).toEqual([
      ["v7", hash("sha256", body)],
      ["v6", null],
    ]);
    const [claims] = await service.database.query(
      "SELECT consent_version FROM user_claims WHERE user_id = $1",
      [bob.id],
    );
    expect(claims).toEqual({ consent_version: "v6" });
  });

  it("of another store is not accepted as this store's", async () => {
    expect((await onlyRow({ consent_version: "v7" })).policy_hash).toBeNull();
  });
});

describe("Sec-GPC: 1", () => {
  it("records marketing as denied, once, when the request does not decide it", async () => {
    const ada = await signUp(service);
    const gpc = { headers: { "Sec-GPC": "1" } };
    expect(
      inShort((await syncAs(service, ada, { consent_cookie: true }, gpc)).json.recorded),
    ).toEqual(["cookie granted", "marketing revoked"]);
    expect((await syncAs(service, ada, { consent_cookie: false }, gpc)).json.recorded).toEqual([
      { consent_type: "cookie", action: "revoked" },
    ]);
    expect((await saidLater(service, ada)).every((row) => row.gpc)).toBe(true);
    expect((await consentsOf(service, ada)).marketing).toBe(false);
    await expectAgreement(service);
  });

  it("does not override the person's decision, in the same request or an earlier one", async () => {
    const ada = await signUp(service);
    const gpc = { headers: { "Sec-GPC": "1" } };
    await syncAs(service, ada, { consent_marketing: true }, gpc);
    await syncAs(service, ada, { consent_cookie: true }, gpc);
    expect((await consentsOf(service, ada)).marketing).toBe(true);
  });
});

describe("the analytics product's browser id", () => {
  it("is stored with the account, and the first one stays", async () => {
    const ada = await signUp(service);
    await syncAs(service, ada, { consent_cookie: true, ga_client_id: "111.222" });
    await syncAs(service, ada, { consent_cookie: false, ga_client_id: "333.444" });
    expect(
      await service.database.query("SELECT ga_client_id FROM user_extras WHERE user_id = $1", [
        ada.id,
      ]),
    ).toEqual([{ ga_client_id: "111.222" }]);
  });
});

describe("side effects of a change", () => {
  const queued = (id: number) =>
    service.database.query(
      `SELECT event_type, channel, payload FROM integration_queue WHERE entity_id = $1
        AND event_type = 'customer.consent_updated' ORDER BY id`,
      [String(id)],
    );

  it("are one row for web_analytics and no other channel, with the reason and without personal data", async () => {
    const ada = await signUp(service);
    await syncAs(service, ada, {
      consent_cookie: true,
      consent_marketing: true,
      ga_session_id: "55",
    });
    expect(await queued(ada.id)).toEqual([
      {
        event_type: "customer.consent_updated",
        channel: "web_analytics",
        payload: {
          user_id: ada.id,
          cause: "consent_update",
          method: "banner",
          ga_session_id: "55",
        },
      },
    ]);
  });

  it("do not happen again for a retry", async () => {
    const ada = await signUp(service);
    for (const _ of [1, 2, 3])
      await syncAs(service, ada, { consent_cookie: true, consent_id: "same" });
    expect(await queued(ada.id)).toHaveLength(1);
  });

  it("follow the store's current settings, not those of the first change", async () => {
    const fields = { analytics_measurement_id: null, analytics_api_secret: null };
    const shop = "later-store.myshopify.com";
    await service.addTenant(shop, fields);
    const ada = await signUp(service, {}, shop);
    await syncAs(service, ada, { consent_cookie: true }, { shop });
    expect(await queued(ada.id)).toEqual([]);
    await service.addTenant(shop);
    await syncAs(service, ada, { consent_cookie: false }, { shop });
    expect(await queued(ada.id)).toHaveLength(1);
  });

  it("never fail the change, even when every outside system is down", async () => {
    for (const system of ["cms", "analytics", "profilePlatform", "storefront", "email"] as const)
      service.sandbox.failNext(system, { status: 500 }, 1_000);
    const ada = await signUp(service);
    expect((await syncAs(service, ada, { consent_cookie: true })).status).toBe(200);
    expect(await logOf(service, ada)).toHaveLength(3);
    await expectAgreement(service, SHOP);
  });
});
