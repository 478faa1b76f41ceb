// `POST /flow/actions/:action`: an action of a workflow of Shopify Flow, as the platform sends it.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addCustomer } from "../support/bus/queue.ts";
import { addToCatalog } from "../support/storefront/tag-catalog.ts";
import { mailedLink } from "./identity/people.ts";
import {
  APP_SECRET,
  OTHER_SHOP,
  SHOP,
  sign,
  startService,
  type Answer,
  type Service,
} from "../support/service.ts";

const NUMBER = "9007199254740993";
const EMAIL = "ada@example.com";

let service: Service;
let userId: number;

const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);

beforeAll(async () => {
  service = await startService({ background: true, env: { RATE_LIMIT_SCALE: "1" } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  service.sandbox.email.clearInbox();
  await service.database.truncate();
  for (const shop of [SHOP, OTHER_SHOP])
    await service.addTenant(shop, { enabled_channels: [], profile_platform_enabled: false });
  await addToCatalog(service, ["gold"]);
  userId = await addCustomer(service.database, SHOP, { email: EMAIL });
  await query("UPDATE storefront_users SET storefront_customer_gid = $2 WHERE id = $1", [
    userId,
    `gid://shopify/Customer/${NUMBER}`,
  ]);
});

type Sent = {
  properties?: Record<string, unknown>;
  runId?: string;
  /** The shop in the body. */
  shop?: string;
  fields?: Record<string, unknown>;
  signature?: string | null;
  query?: string;
};

function run(action: string, sent: Sent = {}): Promise<Answer> {
  const { runId = randomUUID(), shop = SHOP, fields, signature, query: search = "" } = sent;
  const body = JSON.stringify({
    shop_id: "954889",
    shopify_domain: shop,
    action_run_id: runId,
    action_definition_id: "An action",
    handle: action,
    properties: { customer_id: NUMBER, ...sent.properties },
    ...fields,
  });
  const given = signature === undefined ? sign(body) : signature;
  return service.call("POST", `/flow/actions/${action}${search}`, {
    body,
    key: null,
    headers: given === null ? {} : { "X-Shopify-Hmac-SHA256": given },
  });
}

const held = async () =>
  (
    await query(
      `SELECT t.slug, m.source FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop
        AND t.id = m.tag_id WHERE m.user_id = $1 AND m.source <> 'system'`,
      [userId],
    )
  ).map(({ slug, source }) => `${slug} ${source}`);

/** Everything that an action could change. */
const written = async () =>
  JSON.stringify([
    await held(),
    await query("SELECT count(*) FROM integration_queue"),
    await query("SELECT count(*) FROM event_ledger"),
    await query("SELECT count(*) FROM consent_records"),
    await query("SELECT count(*) FROM crm_tags"),
    await query("SELECT count(*) FROM kv WHERE key LIKE 'flow%'"),
  ]);

describe("a tag", () => {
  test("is added and removed, as by the merchant's hand, and the answer says whether anything changed", async () => {
    const tag = { properties: { tag: " Gold " } };
    const added = await run("add-tag", tag);
    expect([added.status, added.json]).toEqual([200, { ok: true, outcome: "changed" }]);
    expect(await held()).toEqual(["gold admin"]);
    expect((await run("add-tag", tag)).json).toEqual({ ok: true, outcome: "unchanged" });
    expect((await run("remove-tag", tag)).json).toEqual({ ok: true, outcome: "changed" });
    expect(await held()).toEqual([]);
    expect((await run("remove-tag", tag)).json).toEqual({ ok: true, outcome: "unchanged" });
  });

  test("is changed once for a run that is repeated, also by many requests at once", async () => {
    const same = { properties: { tag: "gold" }, runId: randomUUID() };
    const answers = await Promise.all(Array.from({ length: 8 }, () => run("add-tag", same)));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(answers.filter(({ json }) => !json.deduplicated)).toHaveLength(1);
    await run("remove-tag", { properties: { tag: "gold" } });
    // A captured request that is sent again later.
    const replayed = await run("add-tag", same);
    expect(replayed.json).toEqual({ ok: true, outcome: "changed", deduplicated: true });
    expect(await held()).toEqual([]);
  });

  test("is not changed by another body under a known run", async () => {
    const runId = randomUUID();
    await run("add-tag", { properties: { tag: "gold" }, runId });
    const before = await written();
    const other = await run("remove-tag", { properties: { tag: "gold" }, runId });
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"]);
    expect(await written()).toBe(before);
  });
});

describe("a request for a consent", () => {
  test("is mailed at most once in 30 days, and only the customer's click grants the consent", async () => {
    const asked = await run("record-consent-request");
    expect([asked.status, asked.json]).toEqual([200, { ok: true, outcome: "asked" }]);
    const link = new URL(await mailedLink(service, EMAIL, "/auth/consent-confirm"));
    const page = await service.call("GET", `${link.pathname}${link.search}`, { key: null });
    expect(page.text).toContain("The store asks for your consent");
    expect((await run("record-consent-request")).json.outcome).toBe("asked_before");
    expect(await query("SELECT 1 FROM consent_records")).toEqual([]);
    const confirmed = await service.call("POST", `/auth/consent-confirm?shop=${SHOP}`, {
      body: { token: link.searchParams.get("token") },
      key: null,
    });
    expect(confirmed.status).toBe(200);
    expect(await query("SELECT consent_type, action, method FROM consent_records")).toEqual([
      { consent_type: "marketing", action: "granted", method: "flow_request" },
    ]);
    expect((await run("record-consent-request")).json.outcome).toBe("granted_before");
    expect(service.sandbox.email.mailsTo(EMAIL)).toHaveLength(1);
  });

  test("counts no mail that is not sent: a customer who has granted, is suspended or was asked takes any number of runs", async () => {
    const sixTimes = async (outcome: string) => {
      for (let count = 0; count < 6; count += 1) {
        const { json } = await run("record-consent-request");
        expect(json.outcome ?? json.code).toBe(outcome);
      }
    };
    await query("UPDATE user_claims SET consent_marketing = true WHERE user_id = $1", [userId]);
    await sixTimes("granted_before");
    await query("UPDATE user_claims SET consent_marketing = false WHERE user_id = $1", [userId]);
    await query("UPDATE storefront_users SET status = 'suspended' WHERE id = $1", [userId]);
    await sixTimes("conflict");
    await query("UPDATE storefront_users SET status = 'active' WHERE id = $1", [userId]);
    expect((await run("record-consent-request")).json).toEqual({ ok: true, outcome: "asked" });
    await sixTimes("asked_before");
  });

  test("that is repeated under its id gets its own answer, also beyond the limits of mails and actions", async () => {
    const runId = randomUUID();
    const first = await run("record-consent-request", { runId });
    expect(first.json).toEqual({ ok: true, outcome: "asked" });
    for (let count = 0; count < 61; count += 1)
      await run("add-tag", { properties: { tag: "gold" } });
    expect((await run("add-tag", { properties: { tag: "gold" } })).status).toBe(429);
    await query("DELETE FROM kv WHERE key LIKE 'flow_consent%'");
    const again = await run("record-consent-request", { runId });
    expect([again.status, again.json]).toEqual([
      200,
      { ok: true, outcome: "asked", deduplicated: true },
    ]);
  });

  test("is refused beyond the mails that a store's forms may send to one address", async () => {
    for (let count = 0; count < 5; count += 1) {
      expect((await run("record-consent-request")).json.outcome).toBe("asked");
      await query("DELETE FROM kv WHERE key LIKE 'flow_consent%'");
    }
    const before = await written();
    const refused = await run("record-consent-request");
    expect([refused.status, refused.json.code]).toEqual([429, "too_many_requests"]);
    expect(await written()).toBe(before);
  });

  test("of a store without a sender is refused, and is mailed once the store has one", async () => {
    await service.addTenant(SHOP, { email_api_key: "store-mail-key-0123456789" });
    const before = await written();
    const refused = await run("record-consent-request");
    expect([refused.status, refused.json.code]).toEqual([409, "setting_missing"]);
    expect(await written()).toBe(before);
    await service.addTenant(SHOP, { email_api_key: null });
    expect((await run("record-consent-request")).json.outcome).toBe("asked");
  });

  test("needs an address, and names no consent that an address cannot give", async () => {
    const typed = { properties: { consent_type: "ap2" } };
    expect((await run("record-consent-request", typed)).json.fields).toHaveProperty([
      "properties.consent_type",
    ]);
    await query("UPDATE storefront_users SET email = NULL WHERE id = $1", [userId]);
    const before = await written();
    const refused = await run("record-consent-request");
    expect([refused.status, refused.json.code]).toEqual([409, "conflict"]);
    expect(await written()).toBe(before);
  });
});

describe("nothing is changed", () => {
  const gold = { tag: "gold" };
  const CASES: [what: string, action: string, sent: Sent, status: number, code: string][] = [
    ["without a signature", "add-tag", { signature: null }, 401, "invalid_signature"],
    ["under another key", "add-tag", { signature: sign("x", "other") }, 401, "invalid_signature"],
    [
      "for a store that the body does not name",
      "add-tag",
      { query: `?shop=${OTHER_SHOP}` },
      401,
      "invalid_signature",
    ],
    [
      "for a store that is not registered",
      "add-tag",
      { shop: "no.myshopify.com" },
      404,
      "unknown_tenant",
    ],
    ["for an unknown action", "erase-everything", {}, 404, "not_found"],
    [
      "for another action than the body's",
      "add-tag",
      { fields: { handle: "remove-tag" } },
      400,
      "invalid_request",
    ],
    ["without a run", "add-tag", { fields: { action_run_id: "" } }, 400, "invalid_request"],
    [
      "for an unknown customer",
      "add-tag",
      { properties: { ...gold, customer_id: "5" } },
      404,
      "not_found",
    ],
    [
      "for a customer's rounded number",
      "add-tag",
      { properties: { ...gold, customer_id: Number(NUMBER) } },
      400,
      "invalid_request",
    ],
    ["for an unknown tag", "add-tag", { properties: { tag: "platinum" } }, 404, "not_found"],
    ["for a tag without a letter", "remove-tag", { properties: { tag: "?" } }, 404, "not_found"],
    ["without properties", "add-tag", { fields: { properties: null } }, 400, "invalid_request"],
  ];
  test.each(CASES)("%s", async (_, action, sent, status, code) => {
    const before = await written();
    const answer = await run(action, { properties: gold, ...sent });
    expect([answer.status, answer.json.code]).toEqual([status, code]);
    expect(await written()).toBe(before);
  });

  test("for another store's customer with the same number", async () => {
    const before = await written();
    const answer = await run("add-tag", { properties: gold, shop: OTHER_SHOP });
    expect([answer.status, answer.json.code]).toEqual([404, "not_found"]);
    expect(await written()).toBe(before);
  });

  test("by a signed text that does not begin as an object, because other signatures of the app cover such texts", async () => {
    const text = ` {"shopify_domain":"${SHOP}"}`;
    const answer = await service.call("POST", "/flow/actions/add-tag", {
      body: text,
      key: null,
      headers: { "X-Shopify-Hmac-SHA256": sign(text, APP_SECRET) },
    });
    expect([answer.status, answer.json.code]).toEqual([401, "invalid_signature"]);
  });
});
