// What a sign-in writes: its row of the write matrix, column by column, and its consents.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { WRITE_MATRIX } from "../../../app/domain/inventory/write-matrix.ts";
import {
  PROVIDERS,
  approve,
  begin,
  followCallback,
  gidOf,
  putPerson,
  sessionOf,
  signInAs,
  signedInUser,
  type ProviderName,
} from "../../support/browser/sign-in-journey.ts";
import { letRetriesComeDue } from "../../support/bus/queue.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import { queueIsEmpty } from "../identity/people.ts";

let service: Service;
let count = 0;
let email: string;
beforeAll(async () => {
  service = await startService({ background: true });
  await service.addTenant(SHOP);
  const grant = service.sandbox.storefront.install(SHOP);
  await service.call("POST", `/config?shop=${SHOP}`, {
    body: {
      storefront_admin_token: grant.access_token,
      storefront_refresh_token: grant.refresh_token,
      storefront_token_expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    },
  });
});
afterAll(() => service.stop());
beforeEach(() => {
  email = `person-${(count += 1)}@example.com`;
});

const query = (sql: string, ...values: unknown[]) => service.database.query(sql, values);
const METHOD = { federated: "federated_oauth", storefront: "storefront_oidc" };
const consentOf = (id: number) =>
  query(
    "SELECT consent_type, action, method FROM consent_records WHERE user_id = $1 ORDER BY id",
    id,
  );
const granted = (provider: ProviderName) =>
  ["tos", "privacy"].map((consent_type) => ({
    consent_type,
    action: "granted",
    method: METHOD[provider],
  }));

describe.each(PROVIDERS)("the first %s sign-in", (provider) => {
  const event = `${provider}_sign_in` as const;

  it("writes exactly the columns of its row in the write matrix, and each system receives it", async () => {
    expect(Object.values(WRITE_MATRIX[event])).toEqual(["W", "W", "W", "W", "W", "W", "W"]);
    const sub = putPerson(service, provider, email);
    const { id } = await signedInUser(service, await signInAs(service, provider, sub));
    const gid = provider === "storefront" ? gidOf(service, sub) : null;
    const [user] = await query(
      `SELECT email, provider, password_hash, status, federated_sub,
        last_login_at IS NOT NULL AS signed_in FROM storefront_users WHERE id = $1`,
      id,
    );
    expect(user).toEqual({
      email,
      provider,
      password_hash: "",
      status: "active",
      federated_sub: provider === "federated" ? sub : null,
      signed_in: true,
    });
    const [claims] = await query(
      `SELECT oidc_provider, federated_sub, storefront_oidc_sub,
        storefront_customer_access_token IS NOT NULL AS has_token, consent_tos, consent_privacy,
        consent_cookie, consent_marketing, consent_a2a, consent_ap2 FROM user_claims WHERE user_id = $1`,
      id,
    );
    expect(claims).toEqual({
      oidc_provider: provider,
      federated_sub: provider === "federated" ? sub : null,
      storefront_oidc_sub: provider === "storefront" ? sub : null,
      has_token: provider === "storefront",
      consent_tos: true,
      consent_privacy: true,
      consent_cookie: false,
      consent_marketing: false,
      consent_a2a: false,
      consent_ap2: false,
    });
    expect(await query("SELECT 1 FROM user_extras WHERE user_id = $1", id)).toHaveLength(1);
    expect(await consentOf(id)).toEqual(granted(provider));

    const rows = await eventually("every row of the sign-in delivered", async () => {
      const found = await query(
        `SELECT channel, status, payload, event_type, source FROM integration_queue
          WHERE entity_id = $1 AND payload->>'cause' = $2 ORDER BY channel`,
        String(id),
        event,
      );
      return found.every(({ status }) => status === "delivered") && found;
    });
    expect(rows.map(({ channel }) => channel)).toEqual([
      "cms",
      "profile_platform",
      "storefront",
      "web_analytics",
    ]);
    expect(
      new Set(rows.map((row) => JSON.stringify([row.event_type, row.source, row.payload]))),
    ).toEqual(
      new Set([JSON.stringify(["customer.signed_in", "backend", { cause: event, user_id: id }])]),
    );
    expect(JSON.stringify(service.sandbox.cms.items())).toContain(email);
    const customer = service.sandbox.storefront.customers(SHOP).find((one) => one.email === email);
    expect(customer?.metafields.map(({ key, value }) => `${key}=${value}`).sort()).toEqual([
      "crm_consent_marketing=false",
      "crm_consent_tos=true",
    ]);
    if (gid) expect(customer?.gid).toBe(gid);
    expect(JSON.stringify(service.sandbox.requests("profilePlatform"))).not.toContain(email);
    expect(JSON.stringify(service.sandbox.requests("analytics"))).not.toContain(email);
    expect(service.sandbox.analytics.violations()).toEqual([]);
  });

  it("appends one grouped consent with its browser and the version of the policy", async () => {
    const version = { consent_policy_version: "2026-11" };
    await service.call("POST", `/config?shop=${SHOP}`, { body: version });
    const journey = await begin(service, provider);
    const callback = await approve(journey, putPerson(service, provider, email));
    const { id } = await signedInUser(
      service,
      await followCallback(service, callback, journey.cookie, { "Sec-GPC": "1" }),
    );
    const rows = await query(
      "SELECT gpc, consent_id, user_agent, timestamp, consent_version FROM consent_records WHERE user_id = $1",
      id,
    );
    expect(new Set(rows.map(({ consent_id }) => consent_id)).size).toBe(1);
    expect(new Set(rows.map(({ consent_version }) => consent_version))).toEqual(
      new Set(["2026-11"]),
    );
    expect(await query("SELECT consent_version FROM user_claims WHERE user_id = $1", id)).toEqual([
      { consent_version: "2026-11" },
    ]);
    expect(rows[0]).toMatchObject({ user_agent: "node", gpc: true });
    expect(Math.abs(Date.parse(rows[0].timestamp) - Date.now())).toBeLessThan(60_000);
  });
});

describe.each(PROVIDERS)("a later %s sign-in", (provider) => {
  it("appends no consent and enqueues the person for the channels again", async () => {
    const sub = putPerson(service, provider, email);
    const { id } = await signedInUser(service, await signInAs(service, provider, sub));
    await signInAs(service, provider, sub);
    expect(await consentOf(id)).toEqual(granted(provider));
    const events = await query(
      "SELECT DISTINCT event_id FROM integration_queue WHERE entity_id = $1 AND payload->>'cause' = $2",
      String(id),
      `${provider}_sign_in`,
    );
    expect(events).toHaveLength(2);
  });

  it.each(["at the next sign-in", "when the account is linked"])(
    "does not restore a revoked consent, %s",
    async (moment) => {
      const isLinked = moment === "when the account is linked";
      const sub = putPerson(service, provider, email);
      let id: number;
      if (isLinked) {
        const signedUp = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
          key: null,
          body: {
            email,
            password: "correct horse battery",
            consent_tos: true,
            consent_privacy: true,
          },
        });
        id = signedUp.json.user.id;
        await query("UPDATE storefront_users SET email_verified = true WHERE id = $1", id);
      } else id = (await signedInUser(service, await signInAs(service, provider, sub))).id;
      await queueIsEmpty(service);
      await query(
        "UPDATE user_claims SET consent_tos = false, consent_privacy = false WHERE user_id = $1",
        id,
      );
      const before = await consentOf(id);
      const answer = await signInAs(service, provider, sub);
      expect(await consentOf(id)).toEqual(before);
      expect(
        (await service.call("GET", `/auth/me?shop=${SHOP}`, { key: sessionOf(answer) })).json
          .consents,
      ).toMatchObject({ tos: false, privacy: false });
    },
  );

  it("keeps the decision about marketing, granted or revoked", async () => {
    for (const marketing of [true, false]) {
      email = `${marketing}-${email}`;
      const signedUp = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
        key: null,
        body: {
          email,
          password: "correct horse battery",
          consent_tos: true,
          consent_privacy: true,
          consent_marketing: marketing,
        },
      });
      await query(
        "UPDATE storefront_users SET email_verified = true WHERE id = $1",
        signedUp.json.user.id,
      );
      const answer = await signInAs(service, provider, putPerson(service, provider, email));
      expect(
        (await service.call("GET", `/auth/me?shop=${SHOP}`, { key: sessionOf(answer) })).json
          .consents.marketing,
      ).toBe(marketing);
      expect(
        (await consentOf(signedUp.json.user.id)).filter(
          ({ consent_type }) => consent_type === "marketing",
        ),
      ).toEqual([
        { consent_type: "marketing", action: marketing ? "granted" : "revoked", method: "signup" },
      ]);
    }
  });

  it("updates name and picture only where the contract says so", async () => {
    const sub = putPerson(service, provider, email);
    const player =
      provider === "federated" ? service.sandbox.federated : service.sandbox.customerAccounts;
    player.next({ claims: { name: "First Name", picture: "https://pictures.example/1.png" } });
    const first = await signedInUser(service, await signInAs(service, provider, sub));
    player.next({ claims: { name: "Second Name", picture: "https://pictures.example/2.png" } });
    const second = await signedInUser(service, await signInAs(service, provider, sub));
    expect([first.full_name, second.full_name]).toEqual(["First Name", "First Name"]);
    expect([first.avatar_url, second.avatar_url]).toEqual(
      provider === "federated"
        ? ["https://pictures.example/1.png", "https://pictures.example/2.png"]
        : [null, null],
    );
    player.next({ claims: { picture: "javascript:alert(1)" } });
    expect((await signedInUser(service, await signInAs(service, provider, sub))).avatar_url).toBe(
      second.avatar_url,
    );
  });
});

it("a sign-in works while every other system is down, and they receive it later", async () => {
  for (const system of ["cms", "analytics", "profilePlatform", "email"] as const)
    service.sandbox.failNext(system, { status: 503 }, 3);
  const sub = putPerson(service, "federated", email);
  const { id } = await signedInUser(service, await signInAs(service, "federated", sub));
  expect(
    await query(
      "SELECT channel FROM integration_queue WHERE entity_id = $1 ORDER BY channel",
      String(id),
    ),
  ).toHaveLength(4);
  service.sandbox.clearFaults();
  await eventually("every system to receive it", async () => {
    await letRetriesComeDue(service.database);
    const rows = await query(
      "SELECT status FROM integration_queue WHERE entity_id = $1",
      String(id),
    );
    return rows.every(({ status }) => status === "delivered");
  });
});
