// What an agent's access token opens, and every event that ends the access.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findAgentCaller } from "../../../app/domain/agents/oauth/agent-caller.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  newClient,
  newCode,
  newTokens,
  refresh,
  swapCode,
  type Tokens,
} from "../../support/agents/agent.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import {
  forgot,
  getMe,
  mailedToken,
  PASSWORD,
  reset,
  signUp,
  type Person,
} from "../identity/people.ts";

let service: Service;
let person: Person;
let client: string;
let tokens: Tokens;
beforeAll(async () => {
  service = await startService({ background: true });
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
  client = await newClient(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  person = await signUp(service);
  tokens = await newTokens(service, client, person.token);
});

const consent = (fields: Record<string, boolean>) =>
  service.call("POST", "/auth/consent-sync", {
    key: person.token,
    body: { ...fields, method: "compliance-page" },
  });
const caller = async (token = tokens.access_token, shop = SHOP) =>
  findAgentCaller(service.ctx, await getTenant(service.ctx, shop), token);
const grant = async () =>
  (
    await service.database.query(
      "SELECT ended_at IS NOT NULL AS is_ended, end_reason FROM oauth_grants WHERE user_id = $1",
      [person.id],
    )
  )[0];

async function expectEnded(reason: string): Promise<void> {
  expect(await caller()).toBeNull();
  expect((await refresh(service, client, tokens.refresh_token)).json.error).toBe("invalid_grant");
  expect(await grant()).toEqual({ is_ended: true, end_reason: reason });
}

describe("an agent's access token", () => {
  it("states the client, the shopper, the grant and the scopes", async () => {
    expect(await caller()).toEqual({
      userId: person.id,
      clientId: client,
      grantId: expect.any(String),
      scopes: tokens.scope.split(" "),
    });
  });

  it("opens the two profile endpoints without naming the store, and returns what the shopper sees", async () => {
    for (const path of ["/auth/me", "/auth/profile"]) {
      const [byAgent, own] = [
        await service.call("GET", path, { key: tokens.access_token }),
        await service.call("GET", path, { key: person.token }),
      ];
      expect([path, byAgent.status]).toEqual([path, 200]);
      expect(byAgent.json).toEqual(own.json);
    }
  });

  it.each([
    ["PATCH", "/auth/profile", { first_name: "Agent" }],
    ["DELETE", "/auth/me", { password: PASSWORD }],
    ["POST", "/auth/logout", {}],
    ["POST", "/auth/consent-sync", { consent_ap2: true, method: "agent" }],
    ["POST", "/ucp/tags", { add: ["x"], remove: [] }],
    ["GET", "/ucp/consent-history", undefined],
    ["GET", "/tags/mine", undefined],
    ["GET", "/segment/current", undefined],
    ["GET", `/config?shop=${SHOP}`, undefined],
  ])("is rejected at %s %s", async (method, path, body) => {
    expect((await service.call(method, path, { key: tokens.access_token, body })).status).toBe(401);
    expect((await getMe(service, person.token)).json.user.first_name).toBe("Ada");
  });

  it("is rejected at another store, for another person, in a cookie, and beside another person's cookie", async () => {
    expect(await caller(tokens.access_token, OTHER_SHOP)).toBeNull();
    expect(
      (await service.call("GET", `/auth/me?shop=${OTHER_SHOP}`, { key: tokens.access_token }))
        .status,
    ).toBe(401);
    const foreign = tokens.access_token.replace(
      /^agt_[^.]+/,
      `agt_${Buffer.from(OTHER_SHOP).toString("base64url")}`,
    );
    expect((await getMe(service, foreign)).status).toBe(401);
    expect(
      (
        await service.call("GET", `/auth/me?shop=${SHOP}`, {
          key: null,
          headers: { Cookie: `__Host-crm_session=${tokens.access_token}` },
        })
      ).status,
    ).toBe(401);
    expect(
      (
        await service.call("GET", "/auth/me", {
          key: tokens.access_token,
          headers: { Cookie: `__Host-crm_session=${person.token}` },
        })
      ).status,
    ).toBe(401);
  });

  it.each([
    "agt_",
    "agt_x.y",
    `agt_${Buffer.from("*").toString("base64url")}.${"a".repeat(43)}`,
    `agt_${Buffer.from("nobody.myshopify.com").toString("base64url")}.${"a".repeat(43)}`,
    `agt_${"A".repeat(5_000)}`,
  ])("that is made up answers 401: %.40s", async (token) => {
    expect((await getMe(service, token)).status).toBe(401);
    expect((await service.call("GET", `/auth/me?shop=${SHOP}`, { key: token })).status).toBe(401);
  });

  it.each(["/auth/me", "/commerce/mandates", `/commerce/checkout/${randomUUID()}`])(
    "that is missing or a session's that is over answers with the address of the resource metadata at %s",
    async (path) => {
      for (const key of [null, "a.b.c"]) {
        const answer = await service.call("GET", `${path}?shop=${SHOP}`, { key });
        expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
          401,
          `Bearer realm="${service.url}/${SHOP}", ${key === null ? "" : 'error="invalid_token", '}resource_metadata="${service.url}/.well-known/oauth-protected-resource?shop=${SHOP}"`,
        ]);
      }
    },
  );

  it("that is invalid answers with the address of the resource metadata", async () => {
    const answer = await service.call("GET", `/auth/me?shop=${SHOP}`, {
      key: `agt_x.${"a".repeat(43)}`,
    });
    expect(answer.json.code).toBe("invalid_token");
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer realm="${service.url}/${SHOP}", error="invalid_token", resource_metadata="${service.url}/.well-known/oauth-protected-resource?shop=${SHOP}"`,
    );
  });

  it("expires after an hour", async () => {
    await service.database.query(
      "UPDATE oauth_tokens SET expires_at = now() WHERE kind = 'access'",
    );
    expect((await getMe(service, tokens.access_token)).status).toBe(401);
    expect((await refresh(service, client, tokens.refresh_token)).status).toBe(200);
  });
});

describe("a grant ends", () => {
  it("when the consent is revoked, immediately, and stays ended when the consent is granted again", async () => {
    expect((await consent({ consent_a2a: false })).status).toBe(200);
    const answer = await getMe(service, tokens.access_token);
    expect([answer.status, answer.json.code]).toEqual([403, "agent_consent_required"]);
    await expectEnded("consent_withdrawn");
    await consent({ consent_a2a: true });
    expect((await getMe(service, tokens.access_token)).status).toBe(401);
    await expectEnded("consent_withdrawn");
  });

  it("not when another consent changes, or when this one is granted again", async () => {
    await consent({ consent_marketing: false, consent_ap2: false, consent_a2a: true });
    expect((await getMe(service, tokens.access_token)).status).toBe(200);
    expect(await grant()).toEqual({ is_ended: false, end_reason: null });
  });

  it("when the password is reset", async () => {
    await forgot(service, person.email);
    expect(
      (
        await reset(
          service,
          await mailedToken(service, person.email, "/auth/password/reset"),
          "another fine password",
        )
      ).status,
    ).toBe(200);
    expect((await getMe(service, tokens.access_token)).status).toBe(401);
    await expectEnded("sessions_ended");
  });

  it("when the account is deleted", async () => {
    expect(
      (
        await service.call("DELETE", "/auth/me", {
          key: person.token,
          body: { password: PASSWORD },
        })
      ).status,
    ).toBe(200);
    expect((await getMe(service, tokens.access_token)).status).toBe(401);
    expect(await caller()).toBeNull();
    expect((await grant())?.is_ended).toBe(true);
  });

  it("when the account is suspended", async () => {
    await service.database.query("UPDATE storefront_users SET status = 'suspended' WHERE id = $1", [
      person.id,
    ]);
    expect((await getMe(service, tokens.access_token)).status).toBe(401);
    await expectEnded("sessions_ended");
  });

  it("before its code was exchanged, and then the code is invalid", async () => {
    const swap = await newCode(service, client, person.token);
    await consent({ consent_a2a: false });
    expect((await swapCode(service, client, swap)).json.error).toBe("invalid_grant");
  });

  it("not when another shopper revokes the consent", async () => {
    const other = await signUp(service);
    const theirs = await newTokens(service, client, other.token);
    await consent({ consent_a2a: false });
    expect((await getMe(service, theirs.access_token)).status).toBe(200);
  });

  it("in every interleaving of granting and revoking the consent", async () => {
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([newCode(service, client, person.token), consent({ consent_a2a: false })]);
      const [state] = await service.database.query(
        `SELECT c.consent_a2a, (SELECT count(*)::int FROM oauth_grants g WHERE g.shop = c.shop
          AND g.user_id = c.user_id AND g.ended_at IS NULL) AS open FROM user_claims c WHERE c.user_id = $1`,
        [person.id],
      );
      if (!state?.consent_a2a) expect(state?.open).toBe(0);
    }
  });
});

it("a store that disables agents disables every token, and enables them again", async () => {
  await service.call("POST", `/config?shop=${SHOP}`, { body: { agent_access_enabled: false } });
  try {
    const answer = await getMe(service, tokens.access_token);
    expect([answer.status, answer.json.code]).toEqual([403, "agent_access_disabled"]);
    expect((await refresh(service, client, tokens.refresh_token)).json.error).toBe(
      "unauthorized_client",
    );
  } finally {
    await service.call("POST", `/config?shop=${SHOP}`, { body: { agent_access_enabled: true } });
  }
  expect((await getMe(service, tokens.access_token)).status).toBe(200);
  // As another process does it: this one still remembers the store as it was.
  const turn = (isOn: boolean) =>
    service.database.query(
      "UPDATE kv SET value = jsonb_set(value, '{agent_access_enabled}', $2::jsonb), version = version + 1 WHERE key = $1",
      [`tenant:${SHOP}`, String(isOn)],
    );
  await turn(false);
  expect((await getMe(service, tokens.access_token)).status).toBe(403);
  await turn(true);
  expect((await getMe(service, tokens.access_token)).status).toBe(200);
});
