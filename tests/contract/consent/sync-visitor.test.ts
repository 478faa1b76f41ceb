import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  expectAgreement,
  inShort,
  logOfVisitor,
  signUp,
  startConsentService,
  syncAnonymous,
  verify,
  type ConsentService,
} from "../../support/consent.ts";
import { OTHER_SHOP, RETURN_ORIGIN, SHOP } from "../../support/service.ts";

let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService();
});
afterAll(() => service.stop());

const countRows = async () =>
  (await service.database.query<{ n: number }>("SELECT count(*)::int AS n FROM consent_records"))[0]
    ?.n;

describe("an anonymous browser", () => {
  it("is recorded under its visitor id with every flag it sends; no account is created or changed", async () => {
    const accounts = () =>
      service.database.query(
        `SELECT (SELECT json_agg(u ORDER BY id)
          FROM storefront_users u) AS users, (SELECT json_agg(c ORDER BY user_id) FROM user_claims c) AS claims`,
      );
    const queued = () => service.database.query("SELECT id FROM integration_queue");
    await signUp(service);
    const before = [await accounts(), await queued()];
    const answer = await syncAnonymous(service, {
      consent_cookie: true,
      consent_marketing: false,
      visitor_id: "v-1",
      consent_id: "c",
    });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      ok: true,
      consent_id: "c",
      recorded: [
        { consent_type: "cookie", action: "granted" },
        { consent_type: "marketing", action: "revoked" },
      ],
      pending_confirmation: false,
    });
    expect((await logOfVisitor(service, "v-1")).map((row) => row.user_id)).toEqual([null, null]);
    expect([await accounts(), await queued()]).toEqual(before);
    await expectAgreement(service);
  });

  it("adds no row for a retry and one for the opposite", async () => {
    for (const value of [true, true, false])
      await syncAnonymous(service, {
        consent_cookie: value,
        visitor_id: "v-2",
        consent_id: "same",
      });
    expect(inShort(await logOfVisitor(service, "v-2"))).toEqual([
      "cookie granted",
      "cookie revoked",
    ]);
  });

  it("20 concurrent retries leave one row", async () => {
    await Promise.all(
      Array.from({ length: 20 }, () =>
        syncAnonymous(service, { consent_cookie: true, visitor_id: "v-3", consent_id: "same" }),
      ),
    );
    expect(await logOfVisitor(service, "v-3")).toHaveLength(1);
  });

  it("without a visitor id is recorded under its consent_id", async () => {
    const answer = await syncAnonymous(service, { consent_cookie: true });
    expect(await logOfVisitor(service, answer.json.consent_id)).toHaveLength(1);
  });

  it("is separate from the same id at another store", async () => {
    await syncAnonymous(service, { consent_cookie: true, visitor_id: "v-4" });
    expect(
      (
        await syncAnonymous(
          service,
          { consent_cookie: true, visitor_id: "v-4" },
          { shop: OTHER_SHOP },
        )
      ).json.recorded,
    ).toHaveLength(1);
    expect((await verify(service, OTHER_SHOP)).ok).toBe(true);
  });

  it("with Sec-GPC is recorded as denying marketing by default", async () => {
    await syncAnonymous(
      service,
      { consent_cookie: true, visitor_id: "v-5" },
      { headers: { "Sec-GPC": "1" } },
    );
    expect(inShort(await logOfVisitor(service, "v-5"))).toEqual([
      "cookie granted",
      "marketing revoked",
    ]);
  });
});

describe("the origin", () => {
  it.each([
    ["the store", `https://${SHOP}`],
    ["where sign-ins return to", RETURN_ORIGIN],
  ])("%s is allowed and echoed in the response", async (_, origin) => {
    const answer = await syncAnonymous(
      service,
      { consent_cookie: true, visitor_id: "o-1" },
      { headers: { Origin: origin } },
    );
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([
      200,
      origin,
    ]);
  });

  it.each(["https://evil.example", `https://${SHOP}.evil.example`, `http://${SHOP}`, "null", ""])(
    "%j answers 403 and writes nothing",
    async (origin) => {
      const before = await countRows();
      const answer = await syncAnonymous(
        service,
        { consent_cookie: true },
        { headers: { Origin: origin } },
      );
      expect([
        answer.status,
        answer.json.code,
        answer.headers.get("access-control-allow-origin"),
      ]).toEqual([403, "origin_not_allowed", null]);
      expect(await countRows()).toBe(before);
    },
  );

  it("a missing one answers 403, another store's too", async () => {
    const none = await service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
      body: { method: "banner", consent_cookie: true },
      key: null,
    });
    const others = await syncAnonymous(
      service,
      { consent_cookie: true },
      { headers: { Origin: `https://${OTHER_SHOP}` } },
    );
    expect([none.json.code, others.json.code]).toEqual([
      "origin_not_allowed",
      "origin_not_allowed",
    ]);
  });

  it("allowed with a bearer token of another store answers 401", async () => {
    const stranger = await signUp(service, {}, OTHER_SHOP);
    const before = await countRows();
    expect(
      (
        await syncAnonymous(
          service,
          { consent_cookie: true },
          { headers: { Authorization: `Bearer ${stranger.token}` } },
        )
      ).status,
    ).toBe(401);
    expect(await countRows()).toBe(before);
  });

  it("without a store, with a malformed one and with an unknown one answers 400, 400 and 404", async () => {
    const ask = (query: string) =>
      service.call("POST", `/auth/consent-sync${query}`, {
        body: { method: "banner", consent_cookie: true },
        key: null,
        headers: { Origin: RETURN_ORIGIN },
      });
    const answers = [
      await ask(""),
      await ask("?shop=evil.example"),
      await ask("?shop=nobody.myshopify.com"),
    ];
    expect(answers.map(({ status, json }) => [status, json.code])).toEqual([
      [400, "tenant_required"],
      [400, "invalid_shop"],
      [404, "unknown_tenant"],
    ]);
  });
});

describe("the rate limit", () => {
  it("is 60 a minute per client address, then 429 with Retry-After and no row; signed-in people are not counted", async () => {
    const frozen = new Date("2026-11-21T10:00:05Z");
    const limited = await startConsentService({
      env: { RATE_LIMIT_SCALE: "1", TRUST_PROXY_HOPS: "1" },
      clock: { now: () => frozen },
    });
    try {
      const from = (address: string) =>
        syncAnonymous(
          limited,
          { consent_cookie: true },
          { headers: { "X-Forwarded-For": `6.6.6.6, ${address}` } },
        );
      const answers = await Promise.all(Array.from({ length: 70 }, () => from("203.0.113.1")));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused.map(({ json, headers }) => [json.code, headers.get("retry-after")])).toEqual(
        Array.from({ length: 10 }, () => ["too_many_requests", "60"]),
      );
      expect(
        await limited.database.query("SELECT count(*)::int AS n FROM consent_records"),
      ).toEqual([{ n: 60 }]);
      expect((await from("203.0.113.2")).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });
});
