// An address that becomes another person's only by our normalisation: `ſ` is no `s` for a mail server, and its
// mailbox may be somebody else's. What a provider or the store proves about it proves nothing about the other.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { putPerson, PROVIDERS, signInAs } from "../../../support/browser/sign-in-journey.ts";
import { redact, startPrivacyService } from "../../../support/privacy.ts";
import { customerPayload, GID } from "../../../support/storefront/payloads.ts";
import { deliver } from "../../../support/storefront/storefront.ts";
import { SHOP, type Service } from "../../../support/service.ts";
import { getMe, newEmail, signUp, type Person } from "../people.ts";

let service: Service;
let victim: Person;
beforeAll(async () => {
  service = await startPrivacyService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());
beforeEach(async () => {
  victim = await signUp(service, { email: newEmail("kim-sam") });
  await service.database.query("UPDATE storefront_users SET email_verified = true WHERE id = $1", [
    victim.id,
  ]);
});

const LOOK_ALIKES: [string, (email: string) => string][] = [
  ["a long s", (email) => email.replace("s", "\u017f")],
  ["a Kelvin sign", (email) => email.replace("k", "\u212a")],
  ["a full-width letter", (email) => email.replace("m", "\uff4d")],
];

describe.each(LOOK_ALIKES)("an address with %s", (_, alike) => {
  it.each(PROVIDERS)(
    "that a %s provider has verified opens no account of the plain address",
    async (provider) => {
      const sub = putPerson(service, provider, alike(victim.email));
      const answer = await signInAs(service, provider, sub);
      expect(answer.headers.get("location")).toContain("?error=account_exists");
      expect(answer.headers.get("set-cookie")).toBeNull();
      expect((await getMe(service, victim.token)).status).toBe(200);
    },
  );

  it("that the store gives its customer makes the account of the plain address no customer's, and its erasure leaves that one alone", async () => {
    const payload = { email: JSON.stringify(alike(victim.email)), first_name: '"Mallory"' };
    await deliver(service, "customer-update", customerPayload(payload));
    const mine = (await getMe(service, victim.token)).json.user;
    expect(mine).toMatchObject({ first_name: "Ada", storefront_customer_gid: null });
    const [customer] = await service.database.query(
      "SELECT email, first_name FROM storefront_users WHERE storefront_customer_gid = $1",
      [GID],
    );
    expect(customer).toEqual({ email: null, first_name: "Mallory" });
    await redact(service, { id: GID.slice(GID.lastIndexOf("/") + 1), email: alike(victim.email) });
    expect((await getMe(service, victim.token)).json.user).toEqual(mine);
    await service.database.query("DELETE FROM customer_tombstones");
  });
});
