// Account resolution across providers, stores and issuers.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startSandbox } from "../../../app/sandbox/server.ts";
import { tombstoneOf } from "../../../app/domain/customers/tombstones.ts";
import {
  answerOf,
  begin,
  errorOf,
  followCallback,
  expectRefused,
  providerSandbox,
  gidOf,
  putPerson,
  sessionOf,
  signedInUser,
  signInAs,
} from "../../support/browser/sign-in-journey.ts";
import {
  CLIENT_ID,
  APP_SECRET,
  eventually,
  OTHER_SHOP,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";
import { changeAtStore } from "../../support/storefront/customers.ts";

let service: Service;
let count = 0;
let email: string;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());
beforeEach(() => {
  email = `person-${(count += 1)}@example.com`;
});

const me = (token: string | null) => service.call("GET", `/auth/me?shop=${SHOP}`, { key: token });
const customerChanges = (gid: string) => changeAtStore(service, { gid, email });

describe("a storefront customer", () => {
  it("is resolved by gid before address, whatever address the storefront sends", async () => {
    const sub = putPerson(service, "storefront", email);
    const id = await customerChanges(gidOf(service, sub));
    providerSandbox(service, "storefront").next({
      claims: { email: `new-${email}`, email_verified: false },
    });
    expect(await signedInUser(service, await signInAs(service, "storefront", sub))).toMatchObject({
      id,
      email,
    });
  });

  it.each(["9007199254740993", "18446744073709551615"])(
    "with the number %s beyond 2^53 is stored exactly",
    async (number) => {
      const gid = `gid://shopify/Customer/${number}`;
      service.sandbox.storefront.putCustomer(SHOP, { gid, email });
      const sub = service.sandbox.customerAccounts.subject(SHOP, gid);
      const found = await signedInUser(service, await signInAs(service, "storefront", sub));
      expect(found.storefront_customer_gid).toBe(gid);
      const [claims] = await service.database.query(
        "SELECT storefront_oidc_sub FROM user_claims WHERE user_id = $1",
        [found.id],
      );
      expect(claims.storefront_oidc_sub).toBe(sub);
    },
  );

  it("with a number that differs in the last digit only is another person", async () => {
    const ids = [];
    for (const number of ["9007199254760992", "9007199254760993"]) {
      const gid = `gid://shopify/Customer/${number}`;
      service.sandbox.storefront.putCustomer(SHOP, { gid, email: `${number}-${email}` });
      const sub = service.sandbox.customerAccounts.subject(SHOP, gid);
      ids.push((await signedInUser(service, await signInAs(service, "storefront", sub))).id);
    }
    expect(new Set(ids).size).toBe(2);
  });

  it("ends password and sessions of an unverified account with the address, found by gid, also when the token has no address", async () => {
    const sub = putPerson(service, "storefront", email);
    const id = await customerChanges(gidOf(service, sub));
    const stranger = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
      key: null,
      body: { email, password: "correct horse battery", consent_tos: true, consent_privacy: true },
    });
    expect(stranger).toMatchObject({ status: 201 });
    providerSandbox(service, "storefront").next({ idToken: "no_email" });
    const answer = await signInAs(service, "storefront", sub);
    expect(await signedInUser(service, answer)).toMatchObject({ id });
    expect((await me(stranger.json.token)).status).toBe(401);
    expect(
      (
        await service.call("POST", `/auth/login?shop=${SHOP}`, {
          body: { email, password: "correct horse battery" },
          key: null,
        })
      ).status,
    ).toBe(401);
  });

  it("ends sign-in and sessions of an unverified account with the address from the other provider", async () => {
    const federatedSub = putPerson(service, "federated", email, { isVerified: false });
    const stranger = await signInAs(service, "federated", federatedSub);
    const { id } = await signedInUser(service, stranger);
    const owner = await signedInUser(
      service,
      await signInAs(service, "storefront", putPerson(service, "storefront", email)),
    );
    expect(owner).toMatchObject({ id, email_verified: true, full_name: null });
    expect((await me(sessionOf(stranger))).status).toBe(401);
    await expectRefused(service, "account_exists", () =>
      signInAs(service, "federated", federatedSub),
    );
  });

  it("of a suspended or deleted account is rejected by the gid alone", async () => {
    const sub = putPerson(service, "storefront", email);
    const id = await customerChanges(gidOf(service, sub));
    await service.database.query("UPDATE storefront_users SET status = 'suspended' WHERE id = $1", [
      id,
    ]);
    await expectRefused(service, "account_unavailable", () => signInAs(service, "storefront", sub));
    await service.database.query("UPDATE storefront_users SET status = 'active' WHERE id = $1", [
      id,
    ]);
    const session = sessionOf(await signInAs(service, "storefront", sub));
    expect(
      (await service.call("DELETE", `/auth/me?shop=${SHOP}`, { key: session, body: {} })).status,
    ).toBe(200);
    await service.database.query("DELETE FROM identity_links WHERE user_id = $1", [id]);
    await expectRefused(service, "account_unavailable", () => signInAs(service, "storefront", sub));
  });

  it("who is deleted during the sign-in gets no account with the deleted customer", async () => {
    const sub = putPerson(service, "storefront", email);
    const gid = gidOf(service, sub);
    const deletion = new pg.Client({ connectionString: service.database.serviceUrl });
    await deletion.connect();
    try {
      await deletion.query("BEGIN");
      await deletion.query("SELECT pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2, 0))", [
        SHOP,
        gid,
      ]);
      await deletion.query(
        "INSERT INTO customer_tombstones (shop, kind, subject_hmac) VALUES ($1, 'gid', $2)",
        [SHOP, tombstoneOf(service.ctx, SHOP, "gid", gid)],
      );
      const signingIn = signInAs(service, "storefront", sub);
      await eventually(
        "the sign-in to wait for the deletion",
        async () =>
          (
            await service.database.query(
              "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'",
            )
          ).length === 1,
      );
      await deletion.query("COMMIT");
      expect(errorOf(await signingIn)).toBe("account_unavailable");
      expect(
        await service.database.query(
          "SELECT 1 FROM storefront_users WHERE storefront_customer_gid = $1",
          [gid],
        ),
      ).toEqual([]);
    } finally {
      await deletion.end();
    }
  });

  it("whose first sign-in comes twice at once gets the account of the one that was first, wherever the other had got to", async () => {
    const sub = putPerson(service, "storefront", email, { isVerified: false });
    const first = await signedInUser(service, await signInAs(service, "storefront", sub));
    const [link] = await service.database.query(
      "DELETE FROM identity_links WHERE user_id = $1 RETURNING *",
      [first.id],
    );
    await service.database.query(
      "UPDATE storefront_users SET storefront_customer_gid = NULL WHERE id = $1",
      [first.id],
    );
    const holder = new pg.Client({ connectionString: service.database.url });
    await holder.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("LOCK TABLE customer_tombstones IN ACCESS EXCLUSIVE MODE");
      const second = signInAs(service, "storefront", sub);
      await eventually("the second sign-in to have found no account", async () => {
        const waiting = await service.database.query(
          "SELECT 1 FROM pg_locks WHERE relation = 'customer_tombstones'::regclass AND NOT granted",
        );
        return waiting.length > 0;
      });
      await holder.query(
        "INSERT INTO identity_links SELECT * FROM jsonb_populate_record(NULL::identity_links, $1)",
        [JSON.stringify(link)],
      );
      await holder.query("UPDATE storefront_users SET storefront_customer_gid = $2 WHERE id = $1", [
        first.id,
        gidOf(service, sub),
      ]);
      await holder.query("COMMIT");
      expect((await signedInUser(service, await second)).id).toBe(first.id);
    } finally {
      await holder.end();
    }
  });

  it("with an address of another customer's account is rejected", async () => {
    const sub = putPerson(service, "storefront", email);
    await customerChanges("gid://shopify/Customer/4242424242424242");
    await expectRefused(service, "account_exists", () => signInAs(service, "storefront", sub));
  });

  it("has the access token stored encrypted, readable only with our key for this store", async () => {
    const found = await signedInUser(
      service,
      await signInAs(service, "storefront", putPerson(service, "storefront", email)),
    );
    const [row] = await service.database.query(
      `SELECT to_jsonb(c)::text AS everything, storefront_customer_access_token AS sealed
        FROM user_claims c WHERE user_id = $1`,
      [found.id],
    );
    expect(row.everything).not.toContain("sandbox-person-");
    const place = (shop: string) => `${shop}/storefront_customer_access_token`;
    const token = service.ctx.secrets.unseal(place(SHOP), row.sealed);
    const asked = await fetch(
      `${service.sandbox.addresses.storefrontUrlTemplate.replace("{shop}", SHOP)}/customer/api/2026-07/graphql`,
      {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: token },
        body: JSON.stringify({ query: "{ customer { id } }" }),
      },
    );
    expect(((await asked.json()) as { data: { customer: { id: string } } }).data.customer.id).toBe(
      found.storefront_customer_gid,
    );
    expect(() => service.ctx.secrets.unseal(place(OTHER_SHOP), row.sealed)).toThrow();
    for (const path of ["/auth/me", "/auth/profile"]) {
      const shown = await service.call("GET", `${path}?shop=${SHOP}`, {
        key: sessionOf(
          await signInAs(service, "storefront", putPerson(service, "storefront", email)),
        ),
      });
      expect(shown.status).toBe(200);
      expect(shown.text).not.toMatch(/sandbox-person-|access_token|password_hash/);
    }
  });
});

describe("a person with both sign-in methods", () => {
  it("has one account with both identities", async () => {
    const federatedSub = putPerson(service, "federated", email);
    const first = await signedInUser(service, await signInAs(service, "federated", federatedSub));
    const storefrontSub = putPerson(service, "storefront", email);
    const second = await signedInUser(
      service,
      await signInAs(service, "storefront", storefrontSub),
    );
    expect(second).toMatchObject({
      id: first.id,
      storefront_customer_gid: gidOf(service, storefrontSub),
      full_name: "Grace Hopper",
    });
    const [claims] = await service.database.query(
      "SELECT oidc_provider, federated_sub, storefront_oidc_sub FROM user_claims WHERE user_id = $1",
      [first.id],
    );
    expect(claims).toEqual({
      oidc_provider: "storefront",
      federated_sub: federatedSub,
      storefront_oidc_sub: storefrontSub,
    });
    const third = await signInAs(service, "federated", federatedSub);
    expect((await signedInUser(service, third)).id).toBe(first.id);
    const profile = await service.call("GET", `/auth/profile?shop=${SHOP}`, {
      key: sessionOf(third),
    });
    expect((profile.json.linked_providers as string[]).toSorted()).toEqual([
      "federated",
      "storefront",
    ]);
  });
});

describe("two people", () => {
  it("with the same issuer and subject at two stores have separate accounts and sessions", async () => {
    const sub = putPerson(service, "federated", email);
    const here = await signInAs(service, "federated", sub);
    const there = await signInAs(service, "federated", sub, { shop: OTHER_SHOP });
    const [mine, theirs] = [
      await signedInUser(service, here),
      await signedInUser(service, there, OTHER_SHOP),
    ];
    const rows = await service.database.query(
      "SELECT shop, id FROM storefront_users WHERE email = $1 ORDER BY shop",
      [email],
    );
    expect(rows).toEqual([
      { shop: OTHER_SHOP, id: theirs.id },
      { shop: SHOP, id: mine.id },
    ]);
    await service.database.query(
      "UPDATE storefront_users SET status = 'suspended' WHERE shop = $1 AND id = $2",
      [OTHER_SHOP, theirs.id],
    );
    expect((await me(sessionOf(here))).status).toBe(200);
    expect(
      (await service.call("GET", `/auth/me?shop=${OTHER_SHOP}`, { key: sessionOf(here) })).status,
    ).toBe(401);
  });

  it("with the same subject at two issuers have separate accounts", async () => {
    const sub = putPerson(service, "federated", email);
    const first = await signedInUser(service, await signInAs(service, "federated", sub));
    const elsewhere = await startSandbox({
      app: { url: service.url, clientId: CLIENT_ID, clientSecret: APP_SECRET },
    });
    try {
      await service.addTenant(SHOP, { federated_issuer: elsewhere.addresses.federatedIssuer });
      elsewhere.federated.next({ claims: { sub } });
      const journey = await begin(service, "federated");
      const callback = await answerOf(journey, { auto: "1", login_hint: `other-${email}` });
      const second = await signedInUser(
        service,
        await followCallback(service, callback, journey.cookie),
      );
      expect(second.id).not.toBe(first.id);
      const links = await service.database.query(
        "SELECT issuer, user_id FROM identity_links WHERE sub = $1 ORDER BY user_id",
        [sub],
      );
      expect(links).toEqual([
        { issuer: service.sandbox.addresses.federatedIssuer, user_id: first.id },
        { issuer: elsewhere.addresses.federatedIssuer, user_id: second.id },
      ]);
    } finally {
      await service.addTenant(SHOP, { federated_issuer: null });
      await elsewhere.stop();
    }
  });
});
