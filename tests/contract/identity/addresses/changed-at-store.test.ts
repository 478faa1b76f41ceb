// What an account was given for its address ends when the store changes the address.
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyStorefrontChange } from "../../../../app/domain/customers/from-storefront.ts";
import { tombstoneOf } from "../../../../app/domain/customers/tombstones.ts";
import { getTenant } from "../../../../app/domain/tenants/tenant.ts";
import {
  gidOf,
  putPerson,
  sessionOf,
  signedInUser,
  signInAs,
} from "../../../support/browser/sign-in-journey.ts";
import { eventually, SHOP, startService, type Service } from "../../../support/service.ts";
import {
  connectStorefront,
  deleteMe,
  forgot,
  getMe,
  login,
  mailedToken,
  newEmail,
  PASSWORD,
  queueIsEmpty,
  reset,
  signUp,
  verify,
} from "../people.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  await connectStorefront(service);
});
afterAll(() => service.stop());

const hear = async (gid: string, email: string) =>
  (
    await applyStorefrontChange(
      service.ctx,
      await getTenant(service.ctx, SHOP),
      { gid, email, changedAt: new Date(Date.now() + 2_000) },
      { eventId: crypto.randomUUID(), eventType: "customer.updated" },
    )
  ).userId as number;

describe("a customer whom the store reported, with a password by a mailed link", () => {
  it("is shown nothing of the store's customer once the store gives that customer another address", async () => {
    const email = newEmail("before");
    const { gid } = service.sandbox.storefront.putCustomer(SHOP, { email });
    await hear(gid, email);
    await forgot(service, email);
    await reset(service, await mailedToken(service, email, "/auth/password/reset"), PASSWORD);
    const { token } = (await login(service, email)).json;
    expect((await getMe(service, token)).json.user.storefront_customer_gid).toBe(gid);

    const moved = newEmail("after");
    await hear(gid, moved);
    expect((await getMe(service, token)).json.user).toMatchObject({
      email: moved,
      email_verified: false,
      storefront_customer_gid: null,
    });
    await verify(service, await mailedToken(service, moved, "/auth/verify-email"));
    expect((await getMe(service, token)).json.user.storefront_customer_gid).toBe(gid);
  });
});

describe("a customer who signed in at the store", () => {
  it("loses sessions and agents to the owner of the address that the store gave the customer since", async () => {
    const sub = putPerson(service, "storefront", newEmail("earlier"));
    const signedIn = await signInAs(service, "storefront", sub);
    const { id } = await signedInUser(service, signedIn);
    const token = sessionOf(signedIn) as string;
    const granted = await service.call("POST", "/auth/consent-sync", {
      key: token,
      body: { consent_a2a: true, method: "dashboard" },
    });
    expect(granted.status).toBe(200);

    const owned = newEmail("owned");
    await hear(gidOf(service, sub), owned);
    const owner = await signInAs(service, "federated", putPerson(service, "federated", owned));
    expect(await signedInUser(service, owner)).toMatchObject({ id, email: owned });
    expect((await getMe(service, token)).status).toBe(401);
    const { consents } = (await getMe(service, sessionOf(owner) as string)).json;
    expect(consents.a2a).toBe(false);
  });
});

describe("a marketing choice", () => {
  it("subscribes no address that the store has given the customer since", async () => {
    const { id, email, token } = await signUp(service);
    await verify(service, await mailedToken(service, email, "/auth/verify-email"));
    const { gid } = await eventually("the store's customer", async () => {
      const [row] = await service.database.query(
        "SELECT storefront_customer_gid AS gid FROM storefront_users WHERE id = $1",
        [id],
      );
      return row.gid !== null && row;
    });
    await queueIsEmpty(service);
    const choose = async (isGranted: boolean) => {
      const { status } = await service.call("POST", "/auth/consent-sync", {
        key: token,
        body: { consent_marketing: isGranted, method: "dashboard" },
      });
      expect(status).toBe(200);
      await queueIsEmpty(service);
      return service.sandbox.storefront.customer(SHOP, gid)?.emailMarketingState;
    };
    // The webhook of this change is on its way.
    service.sandbox.storefront.putCustomer(SHOP, { gid, email: newEmail("owned") });
    expect(await choose(true)).toBe("NOT_SUBSCRIBED");

    service.sandbox.storefront.putCustomer(SHOP, { gid, email });
    expect(await choose(false)).toBe("NOT_SUBSCRIBED");
    expect(await choose(true)).toBe("SUBSCRIBED");
    service.sandbox.storefront.putCustomer(SHOP, { gid, email: newEmail("owned") });
    expect(await choose(false)).toBe("UNSUBSCRIBED");
  });
});

describe("a deletion that the account's owner overtakes", () => {
  /** Deletes the account of the session while another transaction has changed its row. */
  async function deleteDuring(token: string, change: string, values: unknown[], body?: object) {
    const other = new pg.Client({ connectionString: service.database.url });
    await other.connect();
    try {
      await other.query("BEGIN");
      await other.query(change, values);
      const deletion = deleteMe(service, token, body);
      await eventually(
        "the deletion to wait for the row",
        async () =>
          (
            await service.database.query(
              "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
            )
          ).length === 1,
      );
      await other.query("COMMIT");
      return await deletion;
    } finally {
      await other.end();
    }
  }

  it("by an address that the store changes leaves a tombstone that the owner of the new address lifts", async () => {
    const { id, email, token } = await signUp(service);
    await verify(service, await mailedToken(service, email, "/auth/verify-email"));
    await queueIsEmpty(service);
    const owned = newEmail("owned");
    const { status } = await deleteDuring(
      token,
      "UPDATE storefront_users SET email = $2, email_verified = false WHERE id = $1",
      [id, owned],
      { password: PASSWORD },
    );
    expect(status).toBe(200);
    expect(
      await service.database.query(
        "SELECT unproven FROM customer_tombstones WHERE kind = 'email' AND subject_hmac = $1",
        [tombstoneOf(service.ctx, SHOP, "email", owned)],
      ),
    ).toEqual([{ unproven: true }]);
  });

  it("by the end of its sessions deletes nothing, also without a password", async () => {
    const signedIn = await signInAs(
      service,
      "federated",
      putPerson(service, "federated", newEmail("stranger"), { isVerified: false }),
    );
    const { id } = await signedInUser(service, signedIn);
    await queueIsEmpty(service);
    const { status } = await deleteDuring(
      sessionOf(signedIn) as string,
      "UPDATE storefront_users SET sessions_valid_after = now() + interval '1 second' WHERE id = $1",
      [id],
    );
    expect(status).toBe(401);
    expect(
      await service.database.query("SELECT status FROM storefront_users WHERE id = $1", [id]),
    ).toEqual([{ status: "active" }]);
  });
});
