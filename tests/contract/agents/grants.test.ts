// A shopper's list of agent grants, and revoking one.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { flushAgentCalls } from "../../../app/domain/agent-activity/record-agent-call.ts";
import { newClient, newCode, newTokens, refresh, type Tokens } from "../../support/agents/agent.ts";
import {
  OTHER_SHOP,
  RETURN_ORIGIN,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";
import { getMe, databaseSnapshot, signUp, type Person } from "../identity/people.ts";

let service: Service;
let person: Person;
let client: string;
let tokens: Tokens;
beforeAll(async () => {
  service = await startService();
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
  client = await newClient(service, { client_name: "Trail Planner" });
});
afterAll(() => service.stop());
beforeEach(async () => {
  person = await signUp(service);
  tokens = await newTokens(service, client, person.token);
});

const list = (key: string | null = person.token, query = "", shop = SHOP) =>
  service.call("GET", `/oauth/grants?shop=${shop}${query}`, { key });
const end = (id: string, key: string | null = person.token, shop = SHOP) =>
  service.call("DELETE", `/oauth/grants/${id}?shop=${shop}`, { key });
const onlyGrant = async (): Promise<string> => (await list()).json.grants[0].id;

describe("DELETE /oauth/grants/:id", () => {
  it("ends every grant of that agent for the shopper, and no other", async () => {
    const again = await newTokens(service, client, person.token);
    const other = await newTokens(service, await newClient(service), person.token);
    const neighbour = await newTokens(service, client, (await signUp(service)).token);
    const { grants } = (await list()).json;
    expect((await end(grants.at(-1).id)).json).toEqual({ ok: true });
    for (const { access_token } of [tokens, again])
      expect((await getMe(service, access_token)).status).toBe(401);
    for (const { access_token } of [other, neighbour])
      expect((await getMe(service, access_token)).status).toBe(200);
    expect((await list()).json.grants).toHaveLength(1);
  });
});

describe("GET /oauth/grants", () => {
  it("lists each agent with scopes, start and last use", async () => {
    const first = await list();
    expect(first.status).toBe(200);
    expect(first.json).toEqual({
      grants: [
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          client_id: client,
          client_name: "Trail Planner",
          host: null,
          scopes: tokens.scope.split(" "),
          created_at: expect.stringMatching(/Z$/),
          last_used_at: null,
        },
      ],
      next_cursor: null,
    });
    await getMe(service, tokens.access_token);
    expect(Date.parse((await list()).json.grants[0].last_used_at)).toBeGreaterThan(
      Date.now() - 60_000,
    );
    expect(first.text).not.toContain("agt_");
  });

  it("says on demand what each agent did for this person, and nothing of another's", async () => {
    const other = await signUp(service);
    const theirs = await newTokens(service, client, other.token);
    await getMe(service, theirs.access_token);
    const actions = async () =>
      (await list(person.token, "&include=actions")).json.grants[0].actions;
    expect(await actions()).toEqual([]);
    await getMe(service, tokens.access_token);
    expect(await actions()).toEqual([
      { what: "profile", changed: false, at: expect.stringMatching(/Z$/) },
    ]);
    expect((await list()).json.grants[0]).not.toHaveProperty("actions");
  });

  it("says of the newest ten actions what was seen and what was changed, and nothing of other callers", async () => {
    const log = (place: string, { action = "viewed", kind = "agent" } = {}) =>
      service.database.query(
        `INSERT INTO access_log (shop, actor_kind, actor_id, action, user_id, place, request_id)
          VALUES ($1, $2, $3, $4, $5, $6, 'r')`,
        [SHOP, kind, client, action, person.id, place],
      );
    for (let time = 0; time < 7; time += 1) await log("GET /auth/me");
    await log("POST /mcp create_mandate", { action: "changed" });
    await log("POST /mcp update_cart", { action: "changed" });
    await log("GET /commerce/returns/:rma");
    await log("POST /mcp list_orders");
    await log("POST /a2a get_tags");
    await log("GET /auth/me", { kind: "operator" });
    const { actions } = (await list(person.token, "&include=actions")).json.grants[0];
    const shown = actions.map(({ what, changed }: { what: string; changed: boolean }) =>
      changed ? `${what} changed` : what,
    );
    expect(shown).toEqual([
      "tag",
      "order",
      "return",
      "checkout changed",
      "mandate changed",
      ...Array(5).fill("profile"),
    ]);
  });

  it("updates the last use at most every five minutes", async () => {
    await getMe(service, tokens.access_token);
    const before = (await list()).json.grants[0].last_used_at;
    await getMe(service, tokens.access_token);
    expect((await list()).json.grants[0].last_used_at).toBe(before);
    await service.database.query(
      "UPDATE oauth_grants SET last_used_at = last_used_at - interval '6 minutes' WHERE user_id = $1",
      [person.id],
    );
    await getMe(service, tokens.access_token);
    expect((await list()).json.grants[0].last_used_at).not.toBe(before);
  });

  it("pages newest first, and rejects another person's cursor", async () => {
    const names = ["Second", "Third"];
    for (const client_name of names)
      await newTokens(service, await newClient(service, { client_name }), person.token);
    const one = await list(person.token, "&limit=2");
    const two = await list(person.token, `&limit=2&cursor=${one.json.next_cursor}`);
    expect(
      [...one.json.grants, ...two.json.grants].map(({ client_name }: any) => client_name),
    ).toEqual(["Third", "Second", "Trail Planner"]);
    expect(two.json.next_cursor).toBeNull();
    expect(
      (await list((await signUp(service)).token, `&cursor=${one.json.next_cursor}`)).json.code,
    ).toBe("invalid_cursor");
    expect((await list(person.token, "&limit=0")).json).toMatchObject({
      error: "invalid_request",
      fields: { limit: "must be 1 to 100" },
    });
  });

  it("omits ended, revoked and expired grants", async () => {
    expect((await list()).json.grants).toHaveLength(1);
    await service.database.query("UPDATE oauth_tokens SET expires_at = now() WHERE grant_id = $1", [
      await onlyGrant(),
    ]);
    expect((await list()).json.grants).toEqual([]);
    await newTokens(service, client, person.token);
    await newCode(service, client, person.token);
    expect((await list()).json.grants).toHaveLength(2);
    await service.call("POST", "/auth/consent-sync", {
      key: person.token,
      body: { consent_a2a: false, method: "dashboard" },
    });
    expect((await list()).json.grants).toEqual([]);
  });

  it("is open to the person only: no other person, store, agent or key", async () => {
    const stranger = await signUp(service);
    expect((await list(stranger.token)).json.grants).toEqual([]);
    for (const key of [null, "nonsense", tokens.access_token])
      expect((await list(key)).status).toBe(401);
    expect((await service.call("GET", `/oauth/grants?shop=${SHOP}`)).status).toBe(401);
    expect((await list(person.token, "", OTHER_SHOP)).json).toMatchObject({
      error: "invalid_token",
      code: "unauthorized",
    });
  });
});

describe("DELETE /oauth/grants/:id", () => {
  it("revokes every token of the agent at once, and is safe to repeat", async () => {
    const id = await onlyGrant();
    const rowOf = () =>
      service.database.query("SELECT end_reason, ended_at FROM oauth_grants WHERE id = $1", [id]);
    expect((await end(id)).json).toEqual({ ok: true });
    const ended = await rowOf();
    expect((await end(id)).json).toEqual({ ok: true });
    expect(await rowOf()).toEqual(ended);
    expect((await getMe(service, tokens.access_token)).status).toBe(401);
    expect((await refresh(service, client, tokens.refresh_token)).json.error).toBe("invalid_grant");
    expect(ended).toMatchObject([{ end_reason: "revoked" }]);
    expect((await list()).json.grants).toEqual([]);
  });

  it("keeps the shopper's other agents, the consent and the session", async () => {
    const other = await newTokens(
      service,
      await newClient(service, { client_name: "Gift Finder" }),
      person.token,
    );
    const id = (await list()).json.grants.find(
      ({ client_name }: any) => client_name === "Trail Planner",
    ).id;
    await end(id);
    expect((await getMe(service, other.access_token)).status).toBe(200);
    expect((await getMe(service, person.token)).json.consents.a2a).toBe(true);
  });

  it("by cookie works only from the store's own pages", async () => {
    const id = await onlyGrant();
    const send = (headers: Record<string, string>) =>
      service.call("DELETE", `/oauth/grants/${id}?shop=${SHOP}`, {
        key: null,
        body: {},
        headers: { Cookie: `__Host-crm_session=${person.token}`, ...headers },
      });
    for (const headers of [{}, { Origin: "https://evil.example" }] as Record<string, string>[])
      expect((await send(headers)).json.code).toBe("origin_not_allowed");
    expect((await list()).json.grants).toHaveLength(1);
    expect((await send({ Origin: RETURN_ORIGIN })).status).toBe(200);
  });

  it.each(["00000000-0000-4000-8000-000000000000", "x", "..%2F..", "1' OR '1'='1"])(
    "of an unknown grant answers 404: %s",
    async (id) => {
      expect((await end(encodeURIComponent(id))).json.code).toBe("not_found");
    },
  );

  it("by any other caller changes nothing", async () => {
    const id = await onlyGrant();
    const stranger = await signUp(service);
    const theirs = await signUp(service, {}, OTHER_SHOP);
    // Agents' calls are counted after their answers.
    await flushAgentCalls(service.ctx);
    const before = await databaseSnapshot(service.database);
    expect((await end(id, stranger.token)).status).toBe(404);
    expect((await end(id, theirs.token, OTHER_SHOP)).status).toBe(404);
    for (const key of [null, "nonsense"]) expect((await end(id, key)).status).toBe(401);
    expect((await end(id, person.token, OTHER_SHOP)).status).toBe(401);
    expect((await end(id, tokens.access_token)).status).toBe(401);
    await flushAgentCalls(service.ctx);
    expect(await databaseSnapshot(service.database)).toEqual(before);
    expect((await getMe(service, tokens.access_token)).status).toBe(200);
  });
});
