import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  consentsOf,
  expectAgreement,
  inShort,
  logOf,
  signUp,
  startConsentService,
  syncAnonymous,
  syncAs,
  type ConsentService,
} from "../../support/consent.ts";
import { eventually, OTHER_SHOP, RETURN_ORIGIN, SHOP } from "../../support/service.ts";

let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService({ background: true });
});
afterAll(() => service.stop());

const submit = (email: string, body: object = {}, headers: Record<string, string> = {}) =>
  syncAnonymous(
    service,
    {
      method: "newsletter_form",
      form_type: "newsletter",
      consent_marketing: true,
      email,
      ...body,
    },
    { headers },
  );
const contacts = (email: string) =>
  service.database.query(
    "SELECT id, email, password_hash, email_verified, status, tags FROM storefront_users WHERE lower(email) = $1",
    [email],
  );
const mailsTo = (email: string) =>
  service.sandbox.email
    .mailsTo(email)
    .filter(({ subject }) => subject.startsWith("Confirm your choice"));
const askedFor = (id: number) =>
  service.database.query(
    "SELECT id FROM integration_queue WHERE event_type = 'mail.confirm_consent' AND entity_id = $1",
    [String(id)],
  );

async function linkTo(email: string): Promise<{ search: string; token: string }> {
  const mail = await eventually(`the mail to ${email}`, () => mailsTo(email).at(-1));
  const link = new URL(/http\S+/.exec(mail.text ?? "")?.[0] ?? "");
  return { search: link.search, token: link.searchParams.get("token") ?? "" };
}

const confirm = (token: string, shop = SHOP) =>
  service.call("POST", `/auth/consent-confirm?shop=${shop}`, { body: { token }, key: null });

describe("an email address submitted in a form", () => {
  it("gets the same response whether it is known or not", async () => {
    const ada = await signUp(service);
    const [known, unknown] = [
      await submit(ada.email, { consent_id: "same" }),
      await submit("nobody-yet@example.com", { consent_id: "same-2" }),
    ];
    expect([known.status, unknown.status]).toEqual([200, 200]);
    expect({ ...known.json, consent_id: "" }).toEqual({ ...unknown.json, consent_id: "" });
    expect(known.json).toMatchObject({
      ok: true,
      recorded: [{ consent_type: "newsletter", action: "granted" }],
      pending_confirmation: true,
    });
    expect([...known.headers.keys()].sort()).toEqual([...unknown.headers.keys()].sort());
  });

  it("gets the response after whole steps of time, so that the time does not tell who is known", async () => {
    const ada = await signUp(service);
    for (let attempt = 1; attempt <= 10; attempt += 1)
      for (const email of [ada.email, "nobody-either@example.com"]) {
        const begunAt = performance.now();
        await submit(email);
        // A timer may be early by a millisecond.
        expect(performance.now() - begunAt).toBeGreaterThanOrEqual(49);
      }
  });

  it("creates one contact without sign-in, however many requests race and however it is spelled", async () => {
    const written = ["new@example.com", " NEW@Example.com ", "ｎew@example.com"];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => submit(written[n % 3] as string)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(await contacts("new@example.com")).toMatchObject([
      { email: "new@example.com", password_hash: "", email_verified: false, status: "active" },
    ]);
    await expectAgreement(service);
  });

  it("changes no flag, tag or row of an existing account", async () => {
    const ada = await signUp(service, { consent_marketing: false });
    await service.database.query("UPDATE storefront_users SET tags = '[\"vip\"]' WHERE id = $1", [
      ada.id,
    ]);
    const before = [
      await consentsOf(service, ada),
      await contacts(ada.email),
      await logOf(service, ada),
    ];
    await submit(ada.email, {
      consent_tos: false,
      consent_privacy: false,
      consent_a2a: true,
      consent_ap2: true,
    });
    expect([
      await consentsOf(service, ada),
      await contacts(ada.email),
      await logOf(service, ada),
    ]).toEqual(before);
  });

  it.each<[string, object]>([
    ["consent_a2a", { consent_a2a: true }],
    ["consent_ap2", { consent_ap2: true }],
    ["consent_a2a", { consent_a2a: false }],
    ["form_consent", { form_consent: false }],
  ])("cannot decide %s, beside other consents either: %j", async (field, body) => {
    const email = "agents@example.com";
    const answer = await submit(email, body);
    expect([answer.status, answer.json.fields]).toEqual([
      400,
      { [field]: "needs a signed-in person" },
    ]);
    expect([await contacts(email), mailsTo(email)]).toEqual([[], []]);
  });

  it("is mailed once per submission: a retry sends no second mail, another submission does", async () => {
    await Promise.all([1, 2, 3].map(() => submit("once@example.com", { consent_id: "s-1" })));
    const [{ id }] = (await contacts("once@example.com")) as [{ id: number }];
    expect(await askedFor(id)).toHaveLength(1);
    await submit("once@example.com", { consent_id: "s-2" });
    expect(await askedFor(id)).toHaveLength(2);
  });

  it("appends one form row per submission, without an account id, and with what the browser sent", async () => {
    const sent = { consent_id: "f-1", visitor_id: "f" };
    for (const _ of [1, 2]) await submit("form@example.com", sent, { "Sec-GPC": "1" });
    const rows = await service.database.query(
      "SELECT user_id, consent_type, action, gpc FROM consent_records WHERE consent_id = 'f-1'",
    );
    expect(rows).toEqual([
      { user_id: null, consent_type: "newsletter", action: "granted", gpc: true },
    ]);
  });

  it.each([
    "nobody",
    "",
    "a@b",
    "a@b.example\r\nBcc: victim@example.com",
    "victim@example.com\nX: y",
    "a@example.com,b@example.com",
    '"a b"@example.com',
  ])("%j answers 400 when invalid, and nothing is written or mailed", async (email) => {
    const count = () =>
      service.database.query(
        `SELECT (SELECT count(*) FROM storefront_users) AS users, (SELECT count(*)
          FROM consent_records) AS rows, (SELECT count(*) FROM integration_queue) AS queued`,
      );
    const before = await count();
    const answer = await submit(email);
    expect([answer.status, answer.json.code, Object.keys(answer.json.fields)]).toEqual([
      400,
      "invalid_request",
      ["email"],
    ]);
    expect(await count()).toEqual(before);
  });

  it("of a store without a sender is recorded, and no mail waits for one", async () => {
    const shop = "no-sender.myshopify.com";
    await service.addTenant(shop, { email_api_key: "store-mail-key-0123456789" });
    const answer = await service.call("POST", `/auth/consent-sync?shop=${shop}`, {
      body: {
        method: "form",
        form_type: "newsletter",
        consent_marketing: true,
        email: "a@b.example",
      },
      headers: { Origin: RETURN_ORIGIN },
      key: null,
    });
    expect([answer.status, inShort(answer.json.recorded)]).toEqual([200, ["newsletter granted"]]);
    expect(
      await service.database.query(
        "SELECT 1 FROM integration_queue WHERE shop = $1 AND channel = 'email'",
        [shop],
      ),
    ).toEqual([]);
  });

  it("puts no submitted text into the mail", async () => {
    await submit("quiet@example.com", {
      method: "evil_BUY-NOW",
      source_page: "https://evil.example/buy",
      consent_version: "<b>buy</b>\r\nBcc: x@example.com",
    });
    const { token } = await linkTo("quiet@example.com");
    const [mail] = mailsTo("quiet@example.com");
    expect(mail?.to).toEqual(["quiet@example.com"]);
    expect(`${mail?.subject}${mail?.text}${mail?.html}`).not.toMatch(/evil|<b>buy|Bcc/);
    expect(token).toMatch(/^[\w-]{43}$/);
  });
});

describe("the mailed confirmation link", () => {
  it("changes the flags once when its owner confirms, under the submitted policy version", async () => {
    const ada = await signUp(service);
    await submit(ada.email, { consent_version: "v3" });
    const { token } = await linkTo(ada.email);
    const confirmed = await confirm(token);
    expect([confirmed.status, confirmed.json.ok, inShort(confirmed.json.recorded)]).toEqual([
      200,
      true,
      ["marketing granted", "newsletter granted"],
    ]);
    expect((await consentsOf(service, ada)).marketing).toBe(true);
    expect((await logOf(service, ada)).at(-1)).toMatchObject({
      consent_version: "v3",
      method: "newsletter_form",
    });
    expect([(await confirm(token)).status, (await confirm(token)).json.code]).toEqual([
      400,
      "invalid_link",
    ]);
    await expectAgreement(service);
  });

  it("grants what was refused between the form and the confirmation, however long the form had waited", async () => {
    const ada = await signUp(service);
    await submit(ada.email, { waited_seconds: 86_400 });
    const { token } = await linkTo(ada.email);
    await syncAs(service, ada, { consent_marketing: false });
    expect((await confirm(token)).status).toBe(200);
    expect((await consentsOf(service, ada)).marketing).toBe(true);
  });

  it("verifies no address that somebody else's sign-up waits for", async () => {
    await submit("coveted@example.com");
    const { token } = await linkTo("coveted@example.com");
    const stranger = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
      body: {
        email: "coveted@example.com",
        password: "correct horse",
        consent_tos: true,
        consent_privacy: true,
      },
      key: null,
    });
    expect(stranger.status).toBe(201);
    expect((await confirm(token)).status).toBe(200);
    const rows = await service.database.query(
      `SELECT email_verified FROM storefront_users
        WHERE 'coveted@example.com' IN (email, unproven_email)`,
    );
    expect(rows).toEqual([{ email_verified: false }, { email_verified: false }]);
  });

  it("works for one of ten concurrent presses", async () => {
    await submit("race@example.com");
    const { token } = await linkTo("race@example.com");
    const answers = await Promise.all(Array.from({ length: 10 }, () => confirm(token)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array(9).fill(400),
    ]);
  });

  it("is invalid at another store and stays valid at its own", async () => {
    await submit("abroad@example.com");
    const { token } = await linkTo("abroad@example.com");
    expect((await confirm(token, OTHER_SHOP)).json.code).toBe("invalid_link");
    expect((await confirm(token)).status).toBe(200);
  });

  it("is invalid after 24 hours", async () => {
    await submit("late@example.com");
    const { token } = await linkTo("late@example.com");
    const [row] = await service.database.query(
      `UPDATE kv SET expires_at = expires_at - interval '24 hours' WHERE key LIKE 'consent_link:%'
        RETURNING expires_at > clock_timestamp() - interval '1 minute' AS fresh`,
    );
    expect(row).toEqual({ fresh: true });
    expect((await confirm(token)).json.code).toBe("invalid_link");
  });

  it.each([
    ["that was suspended meanwhile", "gone@example.com", "status = 'suspended'"],
    ["that has another address since", "moved@example.com", "email = 'elsewhere@example.com'"],
  ])("is invalid for an account %s", async (_, email, change) => {
    await submit(email);
    const { token } = await linkTo(email);
    await service.database.query(`UPDATE storefront_users SET ${change} WHERE email = $1`, [email]);
    expect((await confirm(token)).json.code).toBe("invalid_link");
  });

  it("verifies the address of a contact, but not of an account that another person may sign in to", async () => {
    const { email: stranger } = await signUp(service);
    const visitor = "signed-in@example.com";
    const federated = "federated@example.com";
    const changes: Record<string, string> = {
      // As after a sign-in at the store, which leaves neither a password nor a provider's id.
      [visitor]: "last_login_at = now()",
      [federated]: "federated_sub = 'sub'",
    };
    for (const email of [stranger, visitor, federated, "contact@example.com"]) {
      await submit(email);
      if (changes[email])
        await service.database.query(
          `UPDATE storefront_users SET ${changes[email]} WHERE email = $1`,
          [email],
        );
      expect((await confirm((await linkTo(email)).token)).status).toBe(200);
    }
    for (const email of [stranger, visitor, federated])
      expect((await contacts(email))[0]).toMatchObject({ email_verified: false });
    expect((await contacts("contact@example.com"))[0]).toMatchObject({ email_verified: true });
  });

  it.each([
    [{}, "invalid_request"],
    [{ token: 5 }, "invalid_request"],
    [{ token: "x".repeat(501) }, "invalid_request"],
    [{ token: "made-up" }, "invalid_link"],
  ])("%j confirms nothing: 400", async (body, code) => {
    const answer = await service.call("POST", `/auth/consent-confirm?shop=${SHOP}`, {
      body,
      key: null,
    });
    expect([answer.status, answer.json.code]).toEqual([400, code]);
  });

  it("leaves the unconfirmed contact free to sign up", async () => {
    await submit("later@example.com");
    const answer = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
      body: {
        email: "later@example.com",
        password: "correct horse",
        consent_tos: true,
        consent_privacy: true,
      },
      key: null,
    });
    expect(answer.status).toBe(201);
    await expectAgreement(service);
  });
});
