// An address that the store changes is not verified, and what the account was given for the former one ends.
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyStorefrontPage } from "../../../../app/domain/customers/sync/apply-page.ts";
import { tombstoneOf } from "../../../../app/domain/customers/tombstones.ts";
import { dataOf, getTenant } from "../../../../app/domain/tenants/tenant.ts";
import {
  gidOf,
  putPerson,
  sessionOf,
  signedInUser,
  signInAs,
} from "../../../support/browser/sign-in-journey.ts";
import {
  startDatabaseProxy,
  type DatabaseProxy,
} from "../../../support/processes/database-proxy.ts";
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
import { statementsWait } from "../../../support/processes/locked-rows.ts";
import { changeAtStore } from "../../../support/storefront/customers.ts";

let service: Service;

beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  await connectStorefront(service);
});
afterAll(() => service.stop());

const customerChanges = (gid: string, email: string) =>
  changeAtStore(service, { gid, email, changedAt: new Date(Date.now() + 2_000) });

describe("an address that the store changes", () => {
  const rowOf = async (id: number) =>
    (
      await service.database.query(
        `SELECT email, email_verified, first_name, storefront_customer_gid AS gid
         FROM storefront_users WHERE id = $1`,
        [id],
      )
    )[0];

  /** A sign-up whose address is verified, with its customer of the store. */
  async function verifiedSignUp() {
    const { id, email, token } = await signUp(service, { first_name: "Mallory" });
    await verify(service, await mailedToken(service, email, "/auth/verify-email"));
    const { gid } = await eventually("the store's customer", async () => {
      const found = await rowOf(id);
      return found.gid !== null && found;
    });
    await queueIsEmpty(service);
    return { id, email, token, gid: gid as string };
  }

  const hearInSync = async (gid: string, email: string) => {
    const tenant = await getTenant(service.ctx, SHOP);
    const changed = { gid, email, changedAt: new Date(Date.now() + 2_000) };
    await dataOf(service.ctx, tenant).transaction((sql) =>
      applyStorefrontPage(service.ctx, tenant, sql, [changed]),
    );
  };

  it.each([
    ["webhook", customerChanges],
    ["sync", hearInSync],
  ])(
    "by %s is not verified: its owner, who signs in with a provider that verified it, ends the password and the sessions",
    async (_, apply) => {
      const { id, email, token, gid } = await verifiedSignUp();
      const victim = newEmail("victim");
      await apply(gid, victim);
      expect(await rowOf(id)).toMatchObject({ email: victim, email_verified: false });
      const sub = putPerson(service, "federated", victim);
      const own = sessionOf(await signInAs(service, "federated", sub)) as string;
      expect((await getMe(service, own)).json.user).toMatchObject({
        email: victim,
        email_verified: true,
      });
      expect((await getMe(service, token)).status).toBe(401);
      expect((await login(service, victim)).status).toBe(401);
      expect((await login(service, email)).status).toBe(401);
    },
  );

  it("is verified by a mail to it: who signed up keeps the password, the session and the name", async () => {
    const { id, token, gid } = await verifiedSignUp();
    const moved = newEmail("moved");
    await customerChanges(gid, moved);
    await eventually("the mail", () => service.sandbox.email.mailsTo(moved)[0]);
    const link = await mailedToken(service, moved, "/auth/verify-email");
    expect((await verify(service, link)).status).toBe(200);
    expect(await rowOf(id)).toEqual({
      email: moved,
      email_verified: true,
      first_name: "Mallory",
      gid,
    });
    expect((await getMe(service, token)).status).toBe(200);
    expect((await login(service, moved)).status).toBe(200);
  });

  it("gets one mail an hour, however often the store changes it", async () => {
    const { gid, email } = await verifiedSignUp();
    const other = newEmail("flip");
    const before = service.sandbox.email.mailsTo(email).length;
    for (const address of [other, email, other, email]) {
      await customerChanges(gid, address);
      await queueIsEmpty(service);
    }
    expect(service.sandbox.email.mailsTo(other)).toHaveLength(1);
    expect(service.sandbox.email.mailsTo(email)).toHaveLength(before + 1);
  });

  it("while a mail is made is not what the mail's link proves: the link leads nowhere", async () => {
    let proxy!: DatabaseProxy;
    const own = await startService({
      background: true,
      databaseThrough: async (url) => (proxy = await startDatabaseProxy(url)).url,
    });
    try {
      await own.addTenant(SHOP);
      const { id, email } = await signUp(own);
      await queueIsEmpty(own);
      // The recipient is known by then; the link is made of what this reads.
      const account = proxy.hold("FROM storefront_users WHERE shop = $1\n      AND id = $2");
      await forgot(own, email);
      await account.held;
      const victim = newEmail("victim");
      await own.database.query("UPDATE storefront_users SET email = $2 WHERE id = $1", [
        id,
        victim,
      ]);
      account.release();
      const link = await mailedToken(own, email, "/auth/password/reset");
      expect((await reset(own, link, "a password of my own")).json.code).toBe("invalid_link");
      const rows = await own.database.query(
        "SELECT email, email_verified FROM storefront_users WHERE id = $1",
        [id],
      );
      expect(rows).toEqual([{ email: victim, email_verified: false }]);
    } finally {
      await own.stop();
      await proxy.stop();
    }
  });

  it("in its spelling only stays verified, and no mail is sent", async () => {
    const { id, gid, email } = await verifiedSignUp();
    await service.database.query("UPDATE storefront_users SET email = upper(email) WHERE id = $1", [
      id,
    ]);
    const before = service.sandbox.email.mailsTo(email).length;
    await customerChanges(gid, email);
    await queueIsEmpty(service);
    expect(await rowOf(id)).toMatchObject({ email, email_verified: true });
    expect(service.sandbox.email.mailsTo(email)).toHaveLength(before);
  });
});

describe("a customer whom the store reported, with a password by a mailed link", () => {
  it("is shown nothing of the store's customer once the store gives that customer another address", async () => {
    const email = newEmail("before");
    const { gid } = service.sandbox.storefront.putCustomer(SHOP, { email });
    await customerChanges(gid, email);
    await forgot(service, email);
    await reset(service, await mailedToken(service, email, "/auth/password/reset"), PASSWORD);
    const { token } = (await login(service, email)).json;
    expect((await getMe(service, token)).json.user.storefront_customer_gid).toBe(gid);

    const moved = newEmail("after");
    await customerChanges(gid, moved);
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
    await customerChanges(gidOf(service, sub), owned);
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
    // What a delivery of the sign-up writes would wait for the lock as well.
    await queueIsEmpty(service);
    const other = new pg.Client({ connectionString: service.database.url });
    await other.connect();
    try {
      await other.query("BEGIN");
      await other.query(change, values);
      const deletion = deleteMe(service, token, body);
      await statementsWait(service.database);
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
