// A federated sign-in whose address the provider has not verified waits beside the customer who has the address.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  gidOf,
  putPerson,
  sessionOf,
  signInAs,
  signedInUser,
} from "../../../support/browser/sign-in-journey.ts";
import { SHOP, startService, type Service } from "../../../support/service.ts";
import { connectStorefront, getMe, mailedToken, newEmail } from "../people.ts";
import { changeAtStore } from "../../../support/storefront/customers.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  await connectStorefront(service);
});
afterAll(() => service.stop());

const VERIFY = "/auth/verify-email";

describe("a federated sign-in that waits beside the customer", () => {
  /** The provider has not verified the address yet; then the store reports its customer, who was there before. */
  async function waitingSignIn() {
    const email = newEmail("federated");
    const customer = putPerson(service, "storefront", email);
    const gid = gidOf(service, customer);
    const sub = putPerson(service, "federated", email, { isVerified: false });
    const token = sessionOf(await signInAs(service, "federated", sub)) as string;
    const at = new Date();
    const userId = await changeAtStore(service, {
      gid,
      email,
      first_name: "Grace",
      changedAt: at,
      createdAt: at,
    });
    return { email, sub, token, customer, customerId: userId };
  }
  const rowOf = async (id: number | null) =>
    (
      await service.database.query(
        "SELECT provider, email_verified, password_hash FROM storefront_users WHERE id = $1",
        [id],
      )
    )[0];
  const JOINED = { provider: "storefront", email_verified: true, password_hash: "" };

  it("joins it once the provider verifies the address; the customer keeps its provider", async () => {
    const { email, sub, customerId } = await waitingSignIn();
    expect(putPerson(service, "federated", email)).toBe(sub);
    const answer = await signInAs(service, "federated", sub);
    expect(await signedInUser(service, answer)).toMatchObject({ id: customerId });
    expect(await rowOf(customerId)).toEqual(JOINED);
  });

  it("joins it by the mailed link; the customer keeps its provider", async () => {
    const { email, token, customerId } = await waitingSignIn();
    const link = await mailedToken(service, email, VERIFY);
    const proven = await service.call("POST", `${VERIFY}?shop=${SHOP}`, {
      key: token,
      body: { token: link },
    });
    expect(proven.status).toBe(200);
    expect((await getMe(service, token)).json.user).toMatchObject({ id: customerId });
    expect(await rowOf(customerId)).toEqual(JOINED);
  });

  it("ends when the customer signs in at the store: its identity opens nothing of the customer's", async () => {
    const { sub, token, customer, customerId } = await waitingSignIn();
    const answer = await signInAs(service, "storefront", customer);
    expect(await signedInUser(service, answer)).toMatchObject({ id: customerId });
    expect((await getMe(service, token)).status).toBe(401);
    expect(
      await service.database.query("SELECT user_id FROM identity_links WHERE sub = $1", [sub]),
    ).toEqual([]);
  });
});
