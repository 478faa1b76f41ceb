import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  OTHER_SHOP,
  RETURN_ORIGIN,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";
import { newEmail, PASSWORD, signUp, statusesOf } from "./people.ts";

let service: Service;
// A fixed clock, so that no count ends in the middle of a test.
const clock = { at: Date.UTC(2026, 10, 20, 12, 0, 1), now: () => new Date(clock.at) };

beforeAll(async () => {
  service = await startService({ clock, env: { RATE_LIMIT_SCALE: "1", TRUST_PROXY_HOPS: "1" } });
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());
beforeEach(() => {
  clock.at += 3_600_000;
});

let addresses = 0;
const newAddress = () => `198.51.${Math.floor((addresses += 1) / 250)}.${addresses % 250}`;
const post = (path: string, body: unknown, address: string, shop = SHOP) =>
  service.call("POST", `${path}?shop=${shop}`, {
    body,
    key: null,
    headers: { "X-Forwarded-For": address },
  });
const guess = (email: string, password: string, address = newAddress(), shop = SHOP) =>
  post("/auth/login", { email, password }, address, shop);

describe("sign-ins with one email address", () => {
  it("are limited to 10 a minute: the 11th answers 429 with Retry-After from every client, even with the right password; other addresses are unaffected", async () => {
    const { email } = await signUp(service);
    const neighbour = await signUp(service);
    await signUp(service, { email }, OTHER_SHOP);
    for (let tries = 0; tries < 10; tries += 1)
      expect((await guess(tries % 2 ? email : email.toUpperCase(), "wrong password")).status).toBe(
        401,
      );
    const refused = await guess(email, PASSWORD);
    expect([refused.status, refused.json.error, refused.json.code]).toEqual([
      429,
      "TooManyRequests",
      "too_many_requests",
    ]);
    expect(Number(refused.headers.get("retry-after"))).toBe(60);
    expect(refused.headers.getSetCookie()).toEqual([]);
    expect((await guess(neighbour.email, PASSWORD)).status).toBe(200);
    expect((await guess(email, PASSWORD, newAddress(), OTHER_SHOP)).status).toBe(200);
    clock.at += 60_000;
    expect((await guess(email, PASSWORD)).status).toBe(200);
  });

  it("are counted from the first one on: a new minute of the clock begins no new count", async () => {
    const email = newEmail("nobody");
    const statusAfter = async (ms: number) => {
      clock.at += ms;
      return (await guess(email, "wrong password")).status;
    };
    clock.at = Math.ceil(clock.at / 60_000) * 60_000 - 500;
    for (let tries = 0; tries < 10; tries += 1) expect(await statusAfter(0)).toBe(401);
    expect(await statusAfter(1_000)).toBe(429);
    expect(await statusAfter(58_999)).toBe(429);
    expect(await statusAfter(1)).toBe(401);
  });

  it("made before the clock was set back keep nobody out until the old time comes again", async () => {
    const email = newEmail("nobody");
    for (let tries = 0; tries < 11; tries += 1) await guess(email, "wrong password");
    clock.at -= 1_800_000;
    for (let tries = 0; tries < 10; tries += 1)
      expect((await guess(email, "wrong password")).status).toBe(401);
    const refused = await guess(email, "wrong password");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  });

  it("are counted together by processes whose clocks differ by some seconds", async () => {
    const email = newEmail("nobody");
    for (let tries = 0; tries < 10; tries += 1) {
      clock.at += tries % 2 === 0 ? 5_000 : -5_000;
      expect((await guess(email, "wrong password")).status).toBe(401);
    }
    expect((await guess(email, "wrong password")).status).toBe(429);
  });

  it("are counted before the password is checked: of 30 concurrent guesses 10 are checked", async () => {
    const { email } = await signUp(service);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => guess(email, `guess number ${index}`)),
    );
    expect(statusesOf(answers)).toEqual([
      ...Array.from({ length: 10 }, () => 401),
      ...Array.from({ length: 20 }, () => 429),
    ]);
  });

  it("with an unknown address are counted alike", async () => {
    const email = newEmail("nobody");
    for (let tries = 0; tries < 10; tries += 1) await guess(email, "wrong password");
    expect((await guess(email, "wrong password")).status).toBe(429);
  });
});

describe("one client address", () => {
  it("has 60 sign-ins a minute, whatever it writes in X-Forwarded-For before the trusted proxy's entry", async () => {
    const address = newAddress();
    const spoofed = Array.from({ length: 60 }, (_, index) =>
      guess(newEmail("nobody"), "wrong password", `203.0.113.${index}, ${address}`),
    );
    expect(new Set((await Promise.all(spoofed)).map(({ status }) => status))).toEqual(
      new Set([401]),
    );
    expect(
      (await guess(newEmail("nobody"), "wrong password", `192.0.2.1, ${address}`)).status,
    ).toBe(429);
    expect((await guess(newEmail("nobody"), "wrong password")).status).toBe(401);
    expect((await guess(newEmail("nobody"), "wrong password", address, OTHER_SHOP)).status).toBe(
      401,
    );
  });

  it("has 20 sign-ups a minute", async () => {
    const address = newAddress();
    const tries = await Promise.all(
      Array.from({ length: 21 }, () =>
        post("/auth/signup", { email: newEmail(), password: PASSWORD }, address),
      ),
    );
    expect(statusesOf(tries)).toEqual([...Array.from({ length: 20 }, () => 400), 429]);
    expect(
      (await post("/auth/signup", { email: newEmail(), password: PASSWORD }, newAddress())).status,
    ).toBe(400);
  });
});

describe("reset mails", () => {
  it("are limited to 5 an hour per address, known or unknown", async () => {
    const { email } = await signUp(service);
    for (const asked of [email, newEmail("nobody")]) {
      for (let tries = 0; tries < 5; tries += 1)
        expect((await post("/auth/password/forgot", { email: asked }, newAddress())).status).toBe(
          202,
        );
      const refused = await post(
        "/auth/password/forgot",
        { email: asked.toUpperCase() },
        newAddress(),
      );
      expect([refused.status, Number(refused.headers.get("retry-after")) > 0]).toEqual([429, true]);
    }
    clock.at += 3_600_000;
    expect((await post("/auth/password/forgot", { email }, newAddress())).status).toBe(202);
  });
});

describe("consent confirmation mails", () => {
  const submit = (email: string, consentId: string, shop = SHOP) =>
    service.call("POST", `/auth/consent-sync?shop=${shop}`, {
      body: {
        method: "newsletter_form",
        form_type: "newsletter",
        consent_marketing: true,
        email,
        consent_id: consentId,
      },
      key: null,
      headers: { Origin: RETURN_ORIGIN, "X-Forwarded-For": newAddress() },
    });
  const mails = async () =>
    (
      await service.database.query(
        "SELECT 1 FROM integration_queue WHERE event_type = 'mail.confirm_consent'",
      )
    ).length;

  it("are limited to 5 an hour per address: the next response is the same, and no mail is sent", async () => {
    const { email } = await signUp(service);
    for (const asked of [email, newEmail("nobody")]) {
      const before = await mails();
      const answers = [];
      for (let n = 0; n < 8; n += 1)
        answers.push(
          await submit(n % 2 ? asked : asked.toUpperCase(), `${asked.split("@")[0]}-${n}`),
        );
      expect(
        answers.map(({ status, json }) => [status, json.pending_confirmation, json.recorded]),
      ).toEqual(
        Array.from({ length: 8 }, () => [
          200,
          true,
          [{ consent_type: "newsletter", action: "granted" }],
        ]),
      );
      expect(new Set(answers.map(({ headers }) => [...headers.keys()].sort().join())).size).toBe(1);
      expect(await mails()).toBe(before + 5);
      expect((await submit(asked, `${asked.split("@")[0]}-8`, OTHER_SHOP)).status).toBe(200);
      expect(await mails()).toBe(before + 6);
    }
    // A confirmation that was not mailed is not recorded as mailed: the next hour's request sends it.
    const before = await mails();
    clock.at += 3_600_000;
    await submit(email, `${email.split("@")[0]}-7`);
    expect(await mails()).toBe(before + 1);
    expect((await post("/auth/password/forgot", { email }, newAddress())).status).toBe(202);
  });

  it("are not counted for a repeated submission", async () => {
    const email = newEmail("again");
    const before = await mails();
    for (let n = 0; n < 8; n += 1) await submit(email, "one-submission");
    await submit(email, "another-submission");
    expect(await mails()).toBe(before + 2);
  });
});

describe("without a trusted proxy", () => {
  it("ignores X-Forwarded-For; RATE_LIMIT_SCALE multiplies the limits", async () => {
    const direct = await startService({ clock, env: { RATE_LIMIT_SCALE: "0.25" } });
    try {
      await direct.addTenant(SHOP);
      const tries = Array.from({ length: 6 }, (_, index) =>
        direct.call("POST", `/auth/signup?shop=${SHOP}`, {
          body: { email: newEmail(), password: PASSWORD },
          key: null,
          headers: { "X-Forwarded-For": `203.0.113.${index}` },
        }),
      );
      expect(statusesOf(await Promise.all(tries))).toEqual([400, 400, 400, 400, 400, 429]);
    } finally {
      await direct.stop();
    }
  });
});

describe("links and one-time codes", () => {
  it("are limited to 300 attempts a minute per client address; a valid one is rejected too until the next minute", async () => {
    const address = newAddress();
    const { token } = await signUp(service);
    const tries = await Promise.all(
      Array.from({ length: 300 }, () =>
        post("/auth/session", { code: "guess", handoff_verifier: "v".repeat(43) }, address),
      ),
    );
    expect(new Set(statusesOf(tries))).toEqual(new Set([400]));
    const refused = await post("/auth/consent-confirm", { token: "guess" }, address);
    expect([refused.status, refused.json.code]).toEqual([429, "too_many_requests"]);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    const asForm = (from: string) =>
      service.call("POST", `/auth/consent-confirm?shop=${SHOP}`, {
        key: null,
        body: "token=guess",
        headers: {
          "Content-Type": "application/x-www-form-urlencoded",
          "X-Forwarded-For": from,
        },
      });
    expect([(await asForm(address)).status, (await asForm(newAddress())).status]).toEqual([
      429, 400,
    ]);
    expect((await post("/auth/consent-confirm", { token: "guess" }, newAddress())).status).toBe(
      400,
    );
    expect((await service.call("GET", `/auth/me?shop=${SHOP}`, { key: token })).status).toBe(200);
  });
});

describe("repeated sign-ups with a taken address", () => {
  it("leave the owner's mail limit alone: a sign-in that needs verification still gets its link", async () => {
    await service.call("POST", `/config?shop=${SHOP}`, {
      body: { require_email_verification: true },
    });
    const email = newEmail("owner");
    const body = { email, password: PASSWORD, consent_tos: true, consent_privacy: true };
    for (let tries = 0; tries < 8; tries += 1)
      expect((await post("/auth/signup", body, newAddress())).status).toBe(202);
    const [{ last }] = await service.database.query(
      "SELECT max(id)::int AS last FROM integration_queue",
    );
    expect((await guess(email, PASSWORD)).json.code).toBe("email_unverified");
    const verifyMails = () =>
      service.database.query(
        "SELECT event_type FROM integration_queue WHERE id > $1 AND event_type = 'mail.verify_email'",
        [last],
      );
    expect(await verifyMails()).toHaveLength(1);
    // A stranger who signed up with the address knows that password; the owner still gets a reset mail.
    for (let tries = 0; tries < 6; tries += 1) await guess(email, PASSWORD);
    expect(await verifyMails()).toHaveLength(5);
    expect((await post("/auth/password/forgot", { email }, newAddress())).status).toBe(202);
    await service.call("POST", `/config?shop=${SHOP}`, {
      body: { require_email_verification: false },
    });
  });
});

describe("repeated sign-up and deletion of one address", () => {
  it("causes at most five mails of each kind an hour", async () => {
    const email = newEmail("bombed");
    const [{ last }] = await service.database.query(
      "SELECT coalesce(max(id), 0)::int AS last FROM integration_queue",
    );
    for (let round = 0; round < 7; round += 1) {
      const { token } = await signUp(service, { email });
      clock.at += 60_000;
      const answer = await service.call("DELETE", `/auth/me?shop=${SHOP}`, {
        key: token,
        body: { password: PASSWORD },
        headers: { "X-Forwarded-For": newAddress() },
      });
      expect(answer.status).toBe(200);
    }
    const mailsSince = await service.database.query(
      `SELECT event_type, count(*)::int AS n FROM integration_queue WHERE id > $1
        AND event_type LIKE 'mail.%' GROUP BY 1 ORDER BY 1`,
      [last],
    );
    expect(mailsSince).toEqual([
      { event_type: "mail.account_deleted", n: 5 },
      { event_type: "mail.verify_email", n: 5 },
    ]);
  });
});
