// A store's forms must not send mails to arbitrary addresses without limit. RATE_LIMIT_SCALE makes
// the limits small: ten mails an hour per store, two per client and one per email address.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startConsentService, type ConsentService } from "../../support/consent.ts";
import { OTHER_SHOP, RETURN_ORIGIN, SHOP } from "../../support/service.ts";

const clock = { at: Date.UTC(2026, 10, 20, 12, 0, 1), now: () => new Date(clock.at) };
let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService({
    clock,
    env: { RATE_LIMIT_SCALE: "0.02", TRUST_PROXY_HOPS: "1" },
  });
});
afterAll(() => service.stop());
beforeEach(() => {
  clock.at += 3_600_000;
});

let people = 0;
/** Each call has a new email address and a new client address. */
async function submit({
  email = "",
  shop = SHOP,
  client = "",
  consentId = "",
} = {}): Promise<number> {
  people += 1;
  const answer = await service.call("POST", `/auth/consent-sync?shop=${shop}`, {
    key: null,
    headers: { Origin: RETURN_ORIGIN, "X-Forwarded-For": client || `198.51.100.${people}` },
    body: {
      method: "newsletter_form",
      form_type: "newsletter",
      consent_marketing: true,
      email: email || `stranger-${people}@example.com`,
      ...(consentId && { consent_id: consentId }),
    },
  });
  return answer.status;
}
const asked = async (shop = SHOP): Promise<number> =>
  Number(
    (
      await service.database.query<{ n: string }>(
        "SELECT count(*) AS n FROM integration_queue WHERE shop = $1 AND event_type = 'mail.confirm_consent'",
        [shop],
      )
    )[0]?.n,
  );

describe("confirmation mails", () => {
  it("to unknown addresses are limited per store and hour, across clients; every submission still answers 200", async () => {
    const before = await asked();
    const statuses = [];
    for (let n = 0; n < 14; n += 1) statuses.push(await submit());
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect((await asked()) - before).toBe(10);
    clock.at += 3_600_000;
    await submit();
    expect((await asked()) - before).toBe(11);
  });

  it("are not counted for a retry of their submission, from whatever client", async () => {
    const before = await asked();
    const email = "again@example.com";
    for (let n = 0; n < 12; n += 1) await submit({ email, consentId: "again" });
    await submit();
    expect((await asked()) - before).toBe(2);
  });

  it("for one store do not count for another", async () => {
    const before = await asked(OTHER_SHOP);
    for (let n = 0; n < 12; n += 1) await submit();
    await submit({ shop: OTHER_SHOP });
    expect((await asked(OTHER_SHOP)) - before).toBe(1);
  });

  it("that one client asks for are limited per hour, across people", async () => {
    const before = await asked();
    for (let n = 0; n < 4; n += 1) {
      expect(await submit({ client: "203.0.113.7" })).toBe(200);
      // One submission a minute, which is limited by itself.
      clock.at += 60_000;
    }
    expect((await asked()) - before).toBe(2);
  });

  it("to one person are limited per hour, across clients", async () => {
    const before = await asked();
    for (let n = 0; n < 3; n += 1) await submit({ email: "ada@example.com" });
    expect((await asked()) - before).toBe(1);
  });
});
