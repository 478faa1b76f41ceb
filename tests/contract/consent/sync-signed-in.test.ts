import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  CONSENTS,
  consentsOf,
  expectAgreement,
  inShort,
  logOf,
  saidLater,
  signUp,
  startConsentService,
  syncAs,
  type ConsentService,
  type Person,
} from "../../support/consent.ts";
import { OTHER_SHOP, RETURN_ORIGIN, SHOP } from "../../support/service.ts";

let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService();
});
afterAll(() => service.stop());

const refused = async (body: object, field?: string) => {
  const ada = await signUp(service);
  const before = await logOf(service, ada);
  const answer = await service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
    body,
    key: ada.token,
  });
  expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
  if (field) expect(Object.keys(answer.json.fields)).toContain(field);
  expect(await logOf(service, ada)).toEqual(before);
};

const tagAs = (person: Person, add: string[]) =>
  service.call("POST", "/ucp/tags", { body: { add }, key: person.token });
const formTagsOf = async (person: Person): Promise<string[]> => {
  const { json } = await service.call("GET", "/tags/mine", { key: person.token });
  return json.tags
    .map(({ slug }: { slug: string }) => slug)
    .filter((slug: string) => slug.startsWith("back_in_stock"));
};

describe("a signed-in person", () => {
  it.each(CONSENTS)(
    "grants and revokes %s: the flag and one row each time, nothing else",
    async (type) => {
      const ada = await signUp(service);
      const before = await consentsOf(service, ada);
      const first = !before[type];
      for (const value of [first, !first]) {
        const answer = await syncAs(service, ada, {
          [`consent_${type}`]: value,
          consent_id: `c-${value}`,
        });
        const action = value ? "granted" : "revoked";
        expect(answer.status).toBe(200);
        expect(answer.json).toEqual({
          ok: true,
          consent_id: `c-${value}`,
          recorded: [{ consent_type: type, action }],
          pending_confirmation: false,
        });
        expect(await consentsOf(service, ada)).toEqual({ ...before, [type]: value });
      }
      expect(await saidLater(service, ada)).toHaveLength(2);
      await expectAgreement(service);
    },
  );

  it("decides everything at once under one consent_id, which the server generates when it is missing", async () => {
    const ada = await signUp(service);
    const answer = await syncAs(service, ada, {
      ...Object.fromEntries(CONSENTS.map((type) => [`consent_${type}`, true])),
      form_type: "Waitlist",
    });
    expect(answer.json.consent_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(inShort(answer.json.recorded)).toEqual([
      "cookie granted",
      "marketing granted",
      "a2a granted",
      "ap2 granted",
      "waitlist granted",
    ]);
    expect(new Set((await saidLater(service, ada)).map((row) => row.consent_id))).toEqual(
      new Set([answer.json.consent_id]),
    );
    await expectAgreement(service);
  });

  it("declines for the first time: recorded once", async () => {
    const ada = await signUp(service);
    expect((await syncAs(service, ada, { consent_marketing: false })).json.recorded).toEqual([
      { consent_type: "marketing", action: "revoked" },
    ]);
    expect((await syncAs(service, ada, { consent_marketing: false })).json.recorded).toEqual([]);
    expect(inShort(await saidLater(service, ada))).toEqual(["marketing revoked"]);
    await expectAgreement(service);
  });

  it("grants again where another program took the flag back: the flag and one row", async () => {
    const ada = await signUp(service);
    await syncAs(service, ada, { consent_a2a: true });
    await service.database.query("UPDATE user_claims SET consent_a2a = false WHERE user_id = $1", [
      ada.id,
    ]);
    expect((await syncAs(service, ada, { consent_a2a: true })).json.recorded).toEqual([
      { consent_type: "a2a", action: "granted" },
    ]);
    await expectAgreement(service);
  });

  it("keeps the policy's version of an earlier decision where none is known for a later one", async () => {
    const ada = await signUp(service);
    const versionAfter = async (body: object) => {
      await syncAs(service, ada, body);
      const { json } = await service.call("GET", "/auth/profile", { key: ada.token });
      return json.consent_version;
    };
    expect(await versionAfter({ consent_cookie: true, consent_version: "v1" })).toBe("v1");
    expect(await versionAfter({ consent_cookie: false })).toBe("v1");
  });

  it("submits a form: one form row and no flag, and another row for a second submission", async () => {
    const ada = await signUp(service);
    const before = await consentsOf(service, ada);
    for (const _ of [1, 2])
      expect(
        (await syncAs(service, ada, { method: "newsletter_form", form_type: "newsletter" })).json
          .recorded,
      ).toEqual([{ consent_type: "newsletter", action: "granted" }]);
    expect(
      (await saidLater(service, ada)).map(({ form_type: form, method }) => [form, method]),
    ).toEqual([
      ["newsletter", "newsletter_form"],
      ["newsletter", "newsletter_form"],
    ]);
    expect(await consentsOf(service, ada)).toEqual(before);
  });

  it("submits the form that the method names, when the body says nothing else", async () => {
    const ada = await signUp(service);
    const answer = await syncAs(service, ada, { method: "Wait-List_form" });
    expect([answer.status, answer.json.recorded]).toEqual([
      200,
      [{ consent_type: "wait-list", action: "granted" }],
    ]);
    const [row] = await saidLater(service, ada);
    expect([row?.form_type, row?.method]).toEqual(["wait-list", "Wait-List_form"]);
  });

  it("records a flag alone for a method that names a form", async () => {
    const ada = await signUp(service);
    const body = { method: "newsletter_form", consent_marketing: true };
    expect((await syncAs(service, ada, body)).json.recorded).toEqual([
      { consent_type: "marketing", action: "granted" },
    ]);
  });

  it("withdraws a form's consent, once, and only one that was given; a later submission grants it again", async () => {
    const ada = await signUp(service);
    const form = { method: "dashboard", form_type: "analytics_partners" };
    const recorded = async (body: object) => (await syncAs(service, ada, body)).json.recorded;
    const row = (action: string) => [{ consent_type: "analytics_partners", action }];
    expect(await recorded({ ...form, form_consent: false })).toEqual([]);
    expect(await recorded(form)).toEqual(row("granted"));
    expect(await recorded({ ...form, form_consent: false })).toEqual(row("revoked"));
    expect(await recorded({ ...form, form_consent: false })).toEqual([]);
    expect(await recorded({ ...form, form_consent: true })).toEqual(row("granted"));
    await expectAgreement(service);
  });

  it("takes the form's tag away with its consent, and no other tag", async () => {
    const ada = await signUp(service);
    const form = { method: "newsletter_form", form_type: "back-in-stock" };
    await syncAs(service, ada, form);
    await tagAs(ada, ["back-in-stock_subscribed", "back-in-stock_2026-11-26"]);
    await syncAs(service, ada, { ...form, form_consent: false });
    expect(await formTagsOf(ada)).toEqual(["back_in_stock_2026_11_26"]);
  });

  it("keeps the form's tag where the form was never consented to", async () => {
    const ada = await signUp(service);
    await tagAs(ada, ["back-in-stock_subscribed"]);
    const form = { method: "dashboard", form_type: "back-in-stock", form_consent: false };
    expect((await syncAs(service, ada, form)).json.recorded).toEqual([]);
    expect(await formTagsOf(ada)).toEqual(["back_in_stock_subscribed"]);
  });

  it("may send unknown fields: they are ignored", async () => {
    const ada = await signUp(service);
    const answer = await syncAs(service, ada, {
      consent_cookie: true,
      consent_everything: true,
      role: "admin",
      user_id: 1,
    });
    expect(answer.json.recorded).toEqual([{ consent_type: "cookie", action: "granted" }]);
  });

  it("writes to the own account, whatever address or visitor id the body names", async () => {
    const [ada, bob] = [await signUp(service), await signUp(service)];
    const before = [await logOf(service, bob), await consentsOf(service, bob)];
    const answer = await syncAs(service, ada, {
      consent_marketing: true,
      email: bob.email,
      visitor_id: "bob",
    });
    expect(answer.json).toMatchObject({
      pending_confirmation: false,
      recorded: [{ consent_type: "marketing", action: "granted" }],
    });
    expect([await logOf(service, bob), await consentsOf(service, bob)]).toEqual(before);
    expect((await saidLater(service, ada)).map(({ visitor_id: visitor }) => visitor)).toEqual([
      null,
    ]);
  });
});

describe("a request is rejected with 400 and writes nothing", () => {
  it("without a flag and without a form", () => refused({ method: "banner" }));
  it.each(["marketing_form", "_form", "form"])("with the method %s alone", (method) =>
    refused({ method }),
  );
  it("with a form's consent and no form", () =>
    refused({ method: "banner", consent_cookie: true, form_consent: false }, "form_type"));
  it("without a method", () => refused({ consent_cookie: true }, "method"));
  it.each(["", "a b", "x".repeat(81), 5, null])("with the method %j", (method) =>
    refused({ consent_cookie: true, method }, "method"),
  );
  it.each(CONSENTS.flatMap((type) => ["true", 1, null].map((value) => [type, value])))(
    "with consent_%s = %j",
    (type, value) => refused({ method: "banner", [`consent_${type}`]: value }, `consent_${type}`),
  );
  it.each([...CONSENTS, "Marketing", "A2A"])("with a form named %s, like a consent", (form) =>
    refused({ method: "x_form", form_type: form }, "form_type"),
  );
  it.each(["", "a b", "-x", "é", "x".repeat(41)])("with a form named %j", (form) =>
    refused({ method: "x_form", form_type: form }, "form_type"),
  );
  it.each([
    "a b",
    "<i>",
    "x".repeat(101),
    "",
    "ada@example.com",
    "ada%40example.com",
    "ada.example.com",
  ])("with the consent_id %j", (consentId) =>
    refused({ method: "banner", consent_cookie: true, consent_id: consentId }, "consent_id"),
  );
  it("with a body that is not an object", () => refused([1]));
});

describe("authentication", () => {
  it.each([
    ["no JSON", "{", 400, "malformed_json"],
    [
      "a NUL",
      '{"method":"banner","consent_cookie":true,"consent_version":"a\\u0000"}',
      400,
      "malformed_body",
    ],
  ])("rejects a body with %s", async (_, body, status, code) => {
    const ada = await signUp(service);
    const answer = await service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
      body,
      key: ada.token,
    });
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it("answers 415 for another content type and 405 with Allow for another method", async () => {
    const ada = await signUp(service);
    expect(
      (
        await syncAs(
          service,
          ada,
          { consent_cookie: true },
          { headers: { "Content-Type": "text/plain" } },
        )
      ).status,
    ).toBe(415);
    const wrong = await service.call("GET", `/auth/consent-sync?shop=${SHOP}`, { key: ada.token });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  it("answers 401 for another store's, a made-up and an ended session, and writes nothing", async () => {
    const [stranger, ada] = [await signUp(service, {}, OTHER_SHOP), await signUp(service)];
    await service.call("POST", "/auth/logout", { key: ada.token });
    const count = () => service.database.query("SELECT count(*)::int FROM consent_records");
    const before = await count();
    for (const token of [stranger.token, ada.token, "made.up.token"])
      expect(
        (
          await service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
            body: { method: "banner", consent_cookie: true },
            key: token,
            headers: { Origin: RETURN_ORIGIN },
          })
        ).status,
      ).toBe(401);
    expect(await count()).toEqual(before);
  });

  it("accepts the cookie from the store's own pages only, a bearer token from anywhere", async () => {
    const ada = await signUp(service);
    const byCookie = (origin?: string) =>
      service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
        body: { method: "banner", consent_cookie: true, consent_id: "k" },
        key: null,
        headers: { Cookie: `__Host-crm_session=${ada.token}`, ...(origin && { Origin: origin }) },
      });
    expect([
      (await byCookie()).json.code,
      (await byCookie("https://evil.example")).json.code,
    ]).toEqual(["origin_not_allowed", "origin_not_allowed"]);
    expect(await saidLater(service, ada)).toEqual([]);
    expect((await byCookie(RETURN_ORIGIN)).json.recorded).toHaveLength(1);
  });
});
