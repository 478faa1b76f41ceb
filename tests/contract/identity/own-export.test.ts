// A person's own data export, and signing out everywhere.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { flushAgentCalls } from "../../../app/domain/agent-activity/record-agent-call.ts";
import { addToCatalog } from "../../support/storefront/tag-catalog.ts";
import { newClient, newTokens } from "../../support/agents/agent.ts";
import {
  asAgent,
  consent,
  newShopper,
  openStore,
  type Shopper,
} from "../../support/agents/commerce.ts";
import {
  OTHER_SHOP,
  RETURN_ORIGIN,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";
import { getMe, login, newEmail, databaseSnapshot, queueIsEmpty, signUp } from "./people.ts";

let service: Service;
let shopper: Shopper;
const clock = { offsetMs: 0, now: () => new Date(Date.now() + clock.offsetMs) };
beforeAll(async () => {
  service = await startService({ background: true, clock });
  await openStore(service);
  await openStore(service, OTHER_SHOP);
});
afterAll(() => service.stop());
beforeEach(async () => {
  clock.offsetMs = 0;
  shopper = await newShopper(service);
});

const take = (
  key: string | null = shopper.token,
  shop = SHOP,
  headers: Record<string, string> = {},
) => service.call("GET", `/auth/me/export?shop=${shop}`, { key, headers });

describe("GET /auth/me/export", () => {
  it("returns a file with everything stored about the person, without secrets and without other people's data", async () => {
    const other = await newShopper(service);
    await consent(service, shopper, { consent_ap2: true, consent_marketing: true });
    await asAgent(service, shopper, "POST", "/commerce/mandates", {
      body: { max_amount: "5.00", currency: "EUR", scope: "all" },
    });
    const { access_token } = await newTokens(
      service,
      await newClient(service, { client_name: "Trail Planner" }),
      shopper.token,
    );
    await addToCatalog(service, ["Trail club"]);
    await service.call("POST", "/ucp/tags", {
      key: shopper.token,
      body: { add: ["Trail club"], remove: [] },
    });
    await queueIsEmpty(service);
    const answer = await take();
    expect([
      answer.status,
      answer.headers.get("content-disposition"),
      answer.headers.get("cache-control"),
    ]).toEqual([200, 'attachment; filename="my-data.json"', "no-store"]);
    expect(answer.json).toMatchObject({
      store: SHOP,
      is_complete: true,
      accounts: [{ id: shopper.id, email: shopper.email, storefront_customer_gid: shopper.gid }],
      claims: [{ consent_marketing: true }],
      agents: [{ client_name: "Trail Planner" }],
      mandates: [{ max_amount: "5.00" }],
    });
    expect(answer.json.tags.map(({ slug }: any) => slug)).toContain("trail_club");
    expect(answer.json.consent_records.length).toBeGreaterThanOrEqual(5);
    expect(answer.json.deliveries.map(({ event_type }: any) => event_type)).toContain(
      "customer.signed_up",
    );
    for (const word of [
      other.email,
      "pbkdf2",
      access_token,
      shopper.token,
      '"payload"',
      '"password_hash"',
    ])
      expect([word, answer.text.includes(word)]).toEqual([word, false]);
  });

  it("writes nothing but its entry in the access log", async () => {
    await queueIsEmpty(service);
    // What agents asked in the tests before is written within a second.
    await flushAgentCalls(service.ctx);
    const before = await databaseSnapshot(service.database);
    await take();
    expect({ ...(await databaseSnapshot(service.database)), access_log: "" }).toEqual({
      ...before,
      access_log: "",
    });
  });

  it("hides the storefront customer's data from a person who has not verified the address", async () => {
    const email = newEmail("stranger");
    const gid = "gid://shopify/Customer/9007199254749999";
    const stranger = await signUp(service, { email });
    await service.database.query(
      "UPDATE storefront_users SET storefront_customer_gid = $2, country = 'NL', amount_spent = 4711.5, tags = '[\"vip-secret\"]', email_verified = false WHERE id = $1",
      [stranger.id, gid],
    );
    await addToCatalog(service, ["high_value"]);
    await service.database.query(
      `INSERT INTO user_tag_map (shop, user_id, tag_id, source)
        SELECT shop, $1, id, 'system' FROM crm_tags WHERE shop = $2 AND slug = 'high_value'`,
      [stranger.id, SHOP],
    );
    const answer = await take(stranger.token);
    expect(answer.json).toMatchObject({
      is_complete: false,
      tags: [],
      accounts: [
        { email, country: null, amount_spent: 0, tags: [], storefront_customer_gid: null },
      ],
    });
    for (const section of ["deliveries", "events", "orders_seen", "returns"])
      expect([section, answer.json[section]]).toEqual([section, undefined]);
    for (const word of [gid, "4711.5", "vip-secret"])
      expect([word, answer.text.includes(word)]).toEqual([word, false]);
    await service.database.query(
      "UPDATE storefront_users SET email_verified = true WHERE id = $1",
      [stranger.id],
    );
    expect((await take(stranger.token)).text).toContain(gid);
  });

  it("requires a sign-in of the last 24 hours", async () => {
    clock.offsetMs = 24 * 3_600_000 + 60_000;
    const late = await take();
    expect([late.status, late.json.code]).toEqual([401, "reauth_required"]);
    expect((await getMe(service, shopper.token)).status).toBe(200);
    expect((await take((await login(service, shopper.email)).json.token)).status).toBe(200);
  });

  it("rejects agents, keys and other stores", async () => {
    const { access_token } = await newTokens(service, await newClient(service), shopper.token);
    for (const key of [null, "nonsense", access_token]) expect((await take(key)).status).toBe(401);
    expect((await service.call("GET", `/auth/me/export?shop=${SHOP}`)).status).toBe(401);
    expect((await take(shopper.token, OTHER_SHOP)).status).toBe(401);
    const byCookie = await take(null, SHOP, {
      Cookie: `__Host-crm_session=${shopper.token}`,
      Origin: "https://evil.example",
    });
    expect([byCookie.status, byCookie.headers.get("access-control-allow-origin")]).toEqual([
      200,
      null,
    ]);
  });

  it("is limited to five an hour per account", async () => {
    const limited = await startService({ env: { RATE_LIMIT_SCALE: "1" } });
    try {
      await limited.addTenant(SHOP);
      const [one, other] = [await signUp(limited), await signUp(limited)];
      const ask = async (token: string) => limited.call("GET", "/auth/me/export", { key: token });
      const statuses: number[] = [];
      for (let times = 0; times < 6; times += 1) statuses.push((await ask(one.token)).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
      expect(Number((await ask(one.token)).headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await ask(other.token)).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });
});

describe("POST /auth/logout with everywhere", () => {
  const leave = (
    key: string | null,
    body: unknown,
    shop = SHOP,
    headers: Record<string, string> = {},
  ) => service.call("POST", `/auth/logout?shop=${shop}`, { key, body, headers });

  it("ends every session, agent grant and mandate of the person, and of no other person", async () => {
    await consent(service, shopper, { consent_ap2: true });
    const { mandate_id } = (
      await asAgent(service, shopper, "POST", "/commerce/mandates", {
        body: { max_amount: "5.00", currency: "EUR", scope: "all" },
      })
    ).json;
    const [elsewhere, other] = [
      (await login(service, shopper.email)).json.token,
      await newShopper(service),
    ];
    const { access_token } = await newTokens(service, await newClient(service), shopper.token);
    const answer = await leave(shopper.token, { everywhere: true });
    expect([answer.status, answer.headers.getSetCookie()[0]]).toEqual([
      204,
      expect.stringContaining("Max-Age=0"),
    ]);
    for (const token of [shopper.token, elsewhere, access_token])
      expect((await getMe(service, token)).status).toBe(401);
    expect(
      (await service.call("GET", `/commerce/mandates/${mandate_id}?shop=${SHOP}`)).json.status,
    ).toBe("revoked");
    expect((await getMe(service, other.token)).status).toBe(200);
    expect((await getMe(service, (await login(service, shopper.email)).json.token)).status).toBe(
      200,
    );
  });

  it.each([undefined, {}, { everywhere: false }])(
    "ends only this session with the body %j",
    async (body) => {
      const elsewhere = (
        await service.call("POST", `/auth/signup?shop=${SHOP}`, {
          key: null,
          body: {
            email: newEmail(),
            password: "correct horse battery",
            consent_tos: true,
            consent_privacy: true,
          },
        })
      ).json;
      clock.offsetMs = 2_000;
      const second = (await login(service, elsewhere.user.email)).json.token;
      expect((await leave(second, body)).status).toBe(204);
      expect([
        (await getMe(service, second)).status,
        (await getMe(service, elsewhere.token)).status,
      ]).toEqual([401, 200]);
    },
  );

  it("is rejected for every other caller and then ends nothing", async () => {
    const { access_token } = await newTokens(service, await newClient(service), shopper.token);
    await queueIsEmpty(service);
    // What agents asked in the tests before is written within a second.
    await flushAgentCalls(service.ctx);
    const before = await databaseSnapshot(service.database);
    for (const key of [null, "nonsense", access_token])
      expect((await leave(key, { everywhere: true })).status).toBe(401);
    expect((await leave(shopper.token, { everywhere: true }, OTHER_SHOP)).status).toBe(401);
    expect((await leave(shopper.token, { everywhere: "yes" })).json.code).toBe("invalid_request");
    expect(
      (
        await leave(null, { everywhere: true }, SHOP, {
          Cookie: `__Host-crm_session=${shopper.token}`,
          Origin: "https://evil.example",
        })
      ).status,
    ).toBe(403);
    expect(await databaseSnapshot(service.database)).toEqual(before);
    expect(
      (
        await leave(null, { everywhere: true }, SHOP, {
          Cookie: `__Host-crm_session=${shopper.token}`,
          Origin: RETURN_ORIGIN,
        })
      ).status,
    ).toBe(204);
  });
});
