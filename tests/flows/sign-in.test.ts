import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually, RETURN_ORIGIN, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;
const SIGN_UP = {
  email: "Ada@Example.com ",
  password: "correct horse",
  first_name: "Ada",
  last_name: "Lovelace",
  consent_tos: true,
  consent_privacy: true,
  consent_marketing: true,
};

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

describe("a person signs up", () => {
  it("gets a token and a cookie, and arrives in every system of the write matrix", async () => {
    const answer = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
      body: SIGN_UP,
      key: null,
    });
    expect(answer.status).toBe(201);
    expect(answer.json.user).toMatchObject({
      email: "ada@example.com",
      first_name: "Ada",
      full_name: "Ada Lovelace",
      provider: "email",
      status: "active",
      email_verified: false,
    });
    expect(answer.headers.get("set-cookie")).toMatch(
      /^__Host-crm_session=[^;]+; Path=\/; HttpOnly; Secure; SameSite=None; Partitioned; Max-Age=604800$/,
    );
    const me = await service.call("GET", "/auth/me", { key: answer.json.token });
    expect(me.json.consents).toEqual({
      tos: true,
      privacy: true,
      cookie: false,
      marketing: true,
      a2a: false,
      ap2: false,
    });
    await eventually(
      "all five rows delivered",
      async () =>
        (await service.database.query("SELECT 1 FROM integration_queue WHERE status = 'delivered'"))
          .length === 5,
    );
    const rows = await service.database.query(
      "SELECT channel FROM integration_queue ORDER BY channel",
    );
    expect(rows.map(({ channel }) => channel)).toEqual([
      "cms",
      "email",
      "profile_platform",
      "storefront",
      "web_analytics",
    ]);
    const [customer] = service.sandbox.storefront.customers(SHOP);
    expect(customer).toMatchObject({ email: "ada@example.com", firstName: "Ada" });
    expect(customer?.metafields.map(({ key, value }) => `${key}=${value}`).sort()).toEqual([
      "crm_consent_marketing=true",
      "crm_consent_tos=true",
    ]);
  });

  it("causes no further writes when the storefront's own webhooks arrive", async () => {
    await service.sandbox.storefront.echoesSent();
    const rows = await service.database.query("SELECT 1 FROM integration_queue");
    expect(rows).toHaveLength(5);
  });
});

describe("a person signs in with an identity provider", () => {
  it.each(["federated", "storefront"] as const)(
    "%s: returns with the session cookie",
    async (provider) => {
      service.sandbox.federated.settings.autoApprove = true;
      service.sandbox.customerAccounts.settings.autoApprove = true;
      service.sandbox.storefront.putCustomer(SHOP, {
        email: `grace-${provider}@example.com`,
        firstName: "Grace",
      });
      const out = await service.call(
        "GET",
        `/auth/${provider}/login?shop=${SHOP}&return_to=/account`,
        { key: null },
      );
      expect(out.status).toBe(302);
      const approved = await fetch(
        `${out.headers.get("location")}&login_hint=grace-${provider}@example.com`,
        { redirect: "manual" },
      );
      const cookie = out.headers.get("set-cookie")?.split(";")[0] ?? "";
      const callback = new URL(approved.headers.get("location") ?? "");
      const back = await service.call("GET", callback.pathname + callback.search, {
        key: null,
        headers: { cookie },
      });
      expect(back.headers.get("location")).toBe(`${RETURN_ORIGIN}/account`);
      expect(back.headers.get("set-cookie")).toMatch(/^__Host-crm_session=/);
    },
  );
});
