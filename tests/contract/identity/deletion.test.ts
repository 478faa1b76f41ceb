import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findPerson, type Person } from "../../../app/domain/identity/account.ts";
import { deleteOwnAccount } from "../../../app/domain/identity/account-deletion.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { customerPayload, GID } from "../../support/storefront/payloads.ts";
import {
  eventually,
  OTHER_SHOP,
  RETURN_ORIGIN,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";
import {
  connectStorefront,
  deleteMe,
  forgot,
  getMe,
  login,
  mailedToken,
  newEmail,
  PASSWORD,
  databaseSnapshot,
  postSignUp,
  queueIsEmpty,
  signUp,
  signUpBody,
  statusesOf,
  tablesWith,
  verify,
} from "./people.ts";
import { statementsWait } from "../../support/processes/locked-rows.ts";

let service: Service;
const clock = { offsetMs: 0, now: () => new Date(Date.now() + clock.offsetMs) };

beforeAll(async () => {
  service = await startService({ background: true, clock });
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
  await connectStorefront(service);
});
afterAll(() => service.stop());

let deliveries = 0;
async function webhook(values: Record<string, string>): Promise<void> {
  const id = `delivery-${(deliveries += 1)}`;
  await service.webhook("customer-update", customerPayload(values), {
    headers: { "X-Shopify-Webhook-Id": id },
  });
  await eventually(
    "the webhook handled",
    async () =>
      (
        await service.database.query(
          "SELECT 1 FROM webhook_inbox WHERE delivery_id = $1 AND status = 'done'",
          [id],
        )
      ).length === 1,
  );
}
const alive = (email: string) =>
  service.database.query("SELECT id FROM storefront_users WHERE email = $1", [email]);

describe("authorization of an account deletion", () => {
  it("with a password: requires it; a wrong one answers 401, a missing one 401 reauth_required, and nothing is written", async () => {
    const { token, email } = await signUp(service);
    await queueIsEmpty(service);
    const before = await databaseSnapshot(service.database);
    const wrong = await deleteMe(service, token, { password: "wrong password" });
    expect([wrong.status, wrong.json.code]).toEqual([401, "invalid_credentials"]);
    for (const body of [undefined, {}]) {
      const none = await deleteMe(service, token, body);
      expect([none.status, none.json.code]).toEqual([401, "reauth_required"]);
    }
    expect((await deleteMe(service, token, { password: 5 })).status).toBe(400);
    expect(await databaseSnapshot(service.database)).toEqual(before);
    expect((await login(service, email)).status).toBe(200);
  });

  it("without a password: requires a token younger than 24 hours; an older one answers 401 reauth_required", async () => {
    const { token, id } = await signUp(service);
    await service.database.query(
      "UPDATE storefront_users SET password_hash = '', provider = 'federated' WHERE id = $1",
      [id],
    );
    clock.offsetMs = 24 * 3_600_000 + 60_000;
    const late = await deleteMe(service, token);
    expect([late.status, late.json.code]).toEqual([401, "reauth_required"]);
    expect((await getMe(service, token)).status).toBe(200);
    clock.offsetMs = 23 * 3_600_000;
    expect((await deleteMe(service, token)).json).toEqual({ deleted: true });
    clock.offsetMs = 0;
  });

  it("by cookie: only from the store's own origin", async () => {
    const { token } = await signUp(service);
    const headers = { cookie: `__Host-crm_session=${token}` };
    expect(
      (
        await service.call("DELETE", "/auth/me", {
          key: null,
          headers,
          body: { password: PASSWORD },
        })
      ).status,
    ).toBe(403);
    const answer = await service.call("DELETE", "/auth/me", {
      key: null,
      headers: { ...headers, origin: RETURN_ORIGIN },
      body: { password: PASSWORD },
    });
    expect([answer.status, answer.json]).toEqual([200, { deleted: true }]);
    expect(answer.headers.getSetCookie()).toEqual([
      "__Host-crm_session=; Path=/; HttpOnly; Secure; SameSite=None; Partitioned; Max-Age=0",
    ]);
  });

  it("two at once delete once: one row per revoked consent, one mail", async () => {
    const { token, email, id } = await signUp(service);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => deleteMe(service, token, { password: PASSWORD })),
    );
    expect(statusesOf(answers)).toEqual([200, 401, 401, 401]);
    await queueIsEmpty(service);
    const revoked = await service.database.query(
      "SELECT consent_type FROM consent_records WHERE user_id = $1 AND action = 'revoked' ORDER BY consent_type",
      [id],
    );
    expect(revoked).toEqual([{ consent_type: "privacy" }, { consent_type: "tos" }]);
    expect(
      service.sandbox.email.mailsTo(email).filter(({ subject }) => subject.includes("was deleted")),
    ).toHaveLength(1);
  });

  it("racing a reset never deletes by the replaced password while losing the new one", async () => {
    const { token, email, id } = await signUp(service);
    await forgot(service, email);
    const link = await mailedToken(service, email, "/auth/password/reset");
    const [deleted, changed] = await Promise.all([
      deleteMe(service, token, { password: PASSWORD }),
      service.call("POST", `/auth/password/reset?shop=${SHOP}`, {
        key: null,
        body: { token: link, password: "a new fine password" },
      }),
    ]);
    const [row] = await service.database.query(
      "SELECT status, password_hash, email FROM storefront_users WHERE id = $1",
      [id],
    );
    expect([deleted.status === 200, changed.status === 200].filter(Boolean)).toHaveLength(1);
    if (deleted.status === 200)
      expect(row).toEqual({ status: "deleted", password_hash: "", email: null });
    else expect(row).toMatchObject({ status: "active", email });
  });
});

describe("consents beside a deletion", () => {
  const logOf = async (id: number) =>
    (
      await service.database.query(
        "SELECT consent_type, action FROM consent_records WHERE user_id = $1 ORDER BY seq",
        [id],
      )
    ).map(({ consent_type: type, action }) => `${type} ${action}`);
  const grant = (token: string) =>
    service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
      key: token,
      body: { method: "compliance-page", consent_marketing: true, consent_a2a: true },
    });

  it("one that waits behind it is refused and writes nothing", async () => {
    const { id, token } = await signUp(service);
    // What a delivery of the sign-up writes would wait for the lock as well.
    await queueIsEmpty(service);
    const before = await logOf(id);
    const client = new pg.Client({ connectionString: service.database.url });
    await client.connect();
    try {
      await client.query("BEGIN");
      await client.query("SELECT 1 FROM storefront_users WHERE id = $1 FOR UPDATE", [id]);
      const waiting = grant(token);
      await statementsWait(service.database);
      await client.query("DELETE FROM user_claims WHERE user_id = $1", [id]);
      await client.query("UPDATE storefront_users SET status = 'deleted' WHERE id = $1", [id]);
      await client.query("COMMIT");
      expect((await waiting).status).toBe(401);
    } finally {
      await client.end();
    }
    expect(await logOf(id)).toEqual(before);
    expect(
      await service.database.query("SELECT 1 FROM user_claims WHERE user_id = $1", [id]),
    ).toEqual([]);
  });

  it("one that was given since the request began is revoked with the others", async () => {
    const { id, token } = await signUp(service);
    const { sql } = service.ctx.home.forTenant(SHOP);
    const asRequested = (await findPerson(sql, id)) as Person;
    expect((await grant(token)).status).toBe(200);
    const visit = { userAgent: null, gpc: false };
    const tenant = await getTenant(service.ctx, SHOP);
    await deleteOwnAccount(service.ctx, tenant, asRequested, visit, { isOwnerVerified: true });
    const last = new Map((await logOf(id)).map((row) => row.split(" ") as [string, string]));
    expect(Object.fromEntries(last)).toEqual({
      tos: "revoked",
      privacy: "revoked",
      marketing: "revoked",
      a2a: "revoked",
    });
  });
});

describe("a deleted account", () => {
  const EMAIL = "lovelace-unique@example.com";
  const NAMES = { first_name: "Adaunique", last_name: "Byronunique" };

  let id: number;
  let consentsBefore: Record<string, unknown>[];
  /** The tables that had the address, the first and the last name before the deletion. */
  let tablesBefore: string[][];
  let deletion: Awaited<ReturnType<typeof deleteMe>>;

  beforeAll(async () => {
    const signedUp = await signUp(service, {
      ...NAMES,
      email: EMAIL,
      consent_marketing: true,
      consent_cookie: false,
    });
    ({ id } = signedUp);
    await queueIsEmpty(service);
    await service.database.query(
      "INSERT INTO crm_tags (shop, name, slug, category) VALUES ($1, 'VIP', 'vip', 'tier')",
      [SHOP],
    );
    await service.database.query(
      "INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT shop, $1, id, 'ucp' FROM crm_tags",
      [id],
    );
    consentsBefore = await service.database.query(
      "SELECT * FROM consent_records WHERE user_id = $1 ORDER BY seq",
      [id],
    );
    await verify(service, await mailedToken(service, EMAIL, "/auth/verify-email"));
    await queueIsEmpty(service);
    await service.database.query(
      `UPDATE storefront_users SET storefront_slugs = '["vip"]', storefront_hash = 'x',
         storefront_tagged_at = now(), storefront_updated_at = now() WHERE id = $1`,
      [id],
    );

    tablesBefore = await Promise.all(
      [EMAIL, NAMES.first_name, NAMES.last_name].map((text) =>
        tablesWith(service.database, [text]),
      ),
    );
    deletion = await deleteMe(service, signedUp.token, { password: PASSWORD });
  });

  it("keeps an empty user row, no claims, tags or extras, every earlier consent row and one revocation per granted consent", async () => {
    expect(deletion.json).toEqual({ deleted: true });
    const [row] = await service.database.query("SELECT * FROM storefront_users WHERE id = $1", [
      id,
    ]);
    expect(row).toMatchObject({
      status: "deleted",
      email: null,
      password_hash: "",
      full_name: null,
      first_name: null,
      last_name: null,
      avatar_url: null,
      federated_sub: null,
      storefront_customer_gid: null,
      language_pref: null,
      tags: [],
      number_of_orders: 0,
      amount_spent: 0,
      email_subscription_status: null,
      sms_subscription_status: null,
      country: null,
      phone_hash: null,
      email_verified: false,
      last_login_at: null,
      storefront_slugs: [],
      storefront_hash: null,
      storefront_name_hash: null,
      storefront_tagged_at: null,
      storefront_updated_at: null,
    });
    for (const table of ["user_claims", "user_extras", "user_tag_map"])
      expect(
        await service.database.query(`SELECT 1 FROM ${table} WHERE user_id = $1`, [id]),
      ).toEqual([]);
    const consents = await service.database.query(
      "SELECT * FROM consent_records WHERE user_id = $1 ORDER BY seq",
      [id],
    );
    expect(consents.slice(0, consentsBefore.length)).toEqual(consentsBefore);
    const added = consents.slice(consentsBefore.length);
    expect(added.map(({ consent_type, action, method }) => [consent_type, action, method])).toEqual(
      [
        ["tos", "revoked", "account_delete"],
        ["privacy", "revoked", "account_delete"],
        ["marketing", "revoked", "account_delete"],
      ],
    );
    expect(new Set(added.map(({ consent_id }) => consent_id)).size).toBe(1);
  });

  it("is deleted from the CMS and confirmed by one mail; storefront, analytics and profile platform are not called", async () => {
    await queueIsEmpty(service);
    expect(JSON.stringify(service.sandbox.cms.items())).not.toContain(EMAIL);
    expect(service.sandbox.email.mailsTo(EMAIL).map(({ subject }) => subject)).toEqual([
      `Verify your email address for ${SHOP}`,
      `Your account at ${SHOP} was deleted`,
    ]);
    // What was sent to the address is not kept, as that of other mails is.
    const kept = await service.database.query(
      `SELECT event_type FROM delivery_exchanges e JOIN integration_queue q
        ON q.shop = e.shop AND q.event_id = e.event_id`,
    );
    expect(kept.map(({ event_type: type }) => type)).not.toContain("mail.account_deleted");
    const rows = await service.database.query(
      `SELECT channel FROM integration_queue WHERE event_type = 'customer.deleted'
        AND entity_id = (SELECT max(user_id)::text FROM consent_records
        WHERE method = 'account_delete' AND consent_type = 'marketing')`,
    );
    expect(rows).toEqual([{ channel: "cms" }]);
    expect(service.sandbox.storefront.customers(SHOP).map(({ email }) => email)).toContain(EMAIL);
  });

  it("leaves the address and names in no table, including queue rows, links and error texts", async () => {
    for (const tables of tablesBefore) expect(tables).toContain("storefront_users");
    expect(await tablesWith(service.database, [EMAIL, NAMES.first_name, NAMES.last_name])).toEqual(
      [],
    );
    expect(JSON.stringify(service.logged)).not.toContain(EMAIL);
  });

  it("leaves no personal data in the error texts of failed deliveries that wait for a retry", async () => {
    const { token, email } = await signUp(service, { first_name: "Failunique" });
    await queueIsEmpty(service);
    await service.database.query(
      `UPDATE integration_queue SET last_error = 'cms: 400 ' || $1, status = 'dead_letter'
        WHERE channel = 'cms' AND id = (SELECT max(id) FROM integration_queue WHERE channel = 'cms')`,
      [email],
    );
    await service.database.query(
      `UPDATE delivery_attempts SET status = 'failed', error = 'cms: 400 ' || $1 WHERE channel = 'cms'
        AND id = (SELECT max(id) FROM delivery_attempts WHERE channel = 'cms')`,
      [email],
    );
    await deleteMe(service, token, { password: PASSWORD });
    await queueIsEmpty(service);
    expect(await tablesWith(service.database, [email, "Failunique"])).toEqual([]);
  });

  it("leaves no personal data in events that another source sent about the customer, and no agent's task", async () => {
    const email = newEmail("elsewhere");
    const { id, token } = await signUp(service, { email });
    await queueIsEmpty(service);
    const [{ gid }] = (await service.database.query(
      "SELECT storefront_customer_gid AS gid FROM storefront_users WHERE id = $1",
      [id],
    )) as [{ gid: string }];
    const event = {
      event_type: "customer.updated",
      entity_type: "customer",
      entity_id: gid,
      payload: { email, first_name: "Elsewhereunique" },
      destinations: ["data_lake"],
    };
    await service.call("POST", `/events/ingest?shop=${SHOP}&source=manual`, { body: event });
    await service.database.query(
      "INSERT INTO kv (shop, key, value) VALUES ($1, 'agent_task:t-1', jsonb_build_object('user_id', $2::int, 'task', 'Elsewhereunique'))",
      [SHOP, id],
    );
    await queueIsEmpty(service);
    await deleteMe(service, token, { password: PASSWORD });
    await queueIsEmpty(service);
    expect(await tablesWith(service.database, [email, "Elsewhereunique"])).toEqual([]);
  });

  it("invalidates every mailed link and code, and is unknown to sign-in and reset", async () => {
    const { token, email } = await signUp(service);
    const link = await mailedToken(service, email, "/auth/verify-email");
    await deleteMe(service, token, { password: PASSWORD });
    expect((await verify(service, link)).status).toBe(400);
    expect((await login(service, email)).json.code).toBe("invalid_credentials");
    expect((await forgot(service, email)).status).toBe(202);
    await queueIsEmpty(service);
    expect(
      service.sandbox.email
        .mailsTo(email)
        .filter(({ text }) => text?.includes("/auth/password/reset")),
    ).toEqual([]);
  });

  it("does not affect another store's account of the same person", async () => {
    const here = await signUp(service);
    const there = await signUp(service, { email: here.email }, OTHER_SHOP);
    await deleteMe(service, here.token, { password: PASSWORD });
    expect((await getMe(service, there.token)).json.user.email).toBe(here.email);
  });

  it("gets a new id, without any old data, when the address signs up again", async () => {
    const old = await signUp(service, { consent_marketing: true });
    await deleteMe(service, old.token, { password: PASSWORD });
    const again = await postSignUp(service, signUpBody(old.email));
    expect(again.status).toBe(201);
    expect(again.json.user.id).not.toBe(old.id);
    expect((await getMe(service, again.json.token)).json.consents.marketing).toBe(false);
    expect((await getMe(service, old.token)).status).toBe(401);
  });
});

describe("storefront webhooks after a deletion", () => {
  it("with the same gid do not restore the account, however new the webhook is", async () => {
    await webhook({});
    const { token } = await signUp(service, { email: "bob@biller.com" });
    await verify(service, await mailedToken(service, "bob@biller.com", "/auth/verify-email"));
    expect(
      (
        await service.database.query(
          "SELECT storefront_customer_gid FROM storefront_users WHERE email = 'bob@biller.com'",
        )
      )[0].storefront_customer_gid,
    ).toBe(GID);
    await deleteMe(service, token, { password: PASSWORD });
    await webhook({});
    await webhook({ updated_at: '"2039-01-01T00:00:00Z"' });
    await webhook({ updated_at: '"2039-01-02T00:00:00Z"', email: '"bob-new@biller.com"' });
    expect(await alive("bob@biller.com")).toEqual([]);
    expect(await alive("bob-new@biller.com")).toEqual([]);
    await queueIsEmpty(service);
    expect(await tablesWith(service.database, ["bob@biller.com", GID])).toEqual([]);
  });

  it("that report the deletion there too let the person sign up again as a new account", async () => {
    const email = newEmail("departed");
    await webhook({ admin_graphql_api_id: '"gid://shopify/Customer/601"', email: `"${email}"` });
    const [{ id }] = await alive(email);
    await service.webhook(
      "customers-delete",
      '{"id":601,"admin_graphql_api_id":"gid://shopify/Customer/601"}',
      { headers: { "X-Shopify-Webhook-Id": "departure-601" } },
    );
    await eventually(
      "the departure handled",
      async () =>
        (
          await service.database.query(
            "SELECT 1 FROM storefront_users WHERE id = $1 AND status = 'deleted'",
            [id],
          )
        ).length === 1,
    );
    const again = await postSignUp(service, signUpBody(email));
    expect(again.status).toBe(201);
    expect(again.json.user.id).not.toBe(id);
    expect((await login(service, email)).json.user.id).toBe(again.json.user.id);
  });

  it("of another customer with the same address are ignored when older than the deletion, and create a new contact when newer", async () => {
    const email = newEmail("moved");
    const { token } = await signUp(service, { email });
    await deleteMe(service, token, { password: PASSWORD });
    await webhook({
      admin_graphql_api_id: '"gid://shopify/Customer/501"',
      email: `"${email}"`,
      created_at: '"2024-01-01T00:00:00Z"',
      updated_at: '"2039-01-01T00:00:00Z"',
    });
    expect(await alive(email)).toEqual([]);
    await webhook({
      admin_graphql_api_id: '"gid://shopify/Customer/502"',
      email: `"${email}"`,
      created_at: '"2039-01-01T00:00:00Z"',
      updated_at: '"2039-01-01T00:00:00Z"',
    });
    expect(await alive(email)).toHaveLength(1);
  });
});
