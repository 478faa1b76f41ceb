// `/customer-account/*`: the extension in the store's customer accounts, by the platform's session token.
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeTags } from "../../../app/domain/customers/tag-change.ts";
import { changeAccountStatus } from "../../../app/domain/identity/account-status.ts";
import { syncOwnConsent } from "../../../app/domain/identity/visitor-consent.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import {
  addStoreCustomer,
  findAccountId,
  giveAgentAndMandate,
} from "../../support/storefront/account-customer.ts";
import { connectStore } from "../../support/storefront/storefront.ts";
import {
  APP_SECRET,
  CLIENT_ID,
  OTHER_SHOP,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../../support/service.ts";
import { databaseSnapshot, signUp } from "./people.ts";

const EXTENSION = "https://extensions.shopifycdn.com";
const METHODS: [method: string, path: string, body?: object][] = [
  ["GET", ""],
  ["DELETE", "", { typed: "ada@example.com" }],
  ["POST", "/consents", { type: "marketing", granted: true }],
  ["GET", "/history"],
  ["GET", "/receipts/some"],
  ["DELETE", "/agents/9f0c4b3e-0000-4000-8000-000000000000"],
  ["DELETE", "/mandates/9f0c4b3e-0000-4000-8000-000000000000"],
  ["POST", "/export"],
];

let service: Service;
let count = 0;
const newEmail = () => `account-${(count += 1)}@example.com`;

beforeAll(async () => {
  service = await startService();
  for (const shop of [SHOP, OTHER_SHOP]) {
    await service.addTenant(shop);
    await connectStore(service, shop);
  }
});
afterAll(() => service.stop());

type Claims = Record<string, unknown>;
/** As the platform signs it; null removes a claim. */
function token(gid: string, claims: Claims = {}, secret = APP_SECRET): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const all: Claims = {
    dest: SHOP,
    aud: CLIENT_ID,
    sub: gid,
    iat: now,
    nbf: now,
    exp: now + 300,
    jti: "j",
    ...claims,
  };
  const present = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
  return new SignJWT(present)
    .setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode(secret));
}

const call = (
  key: string | null,
  method: string,
  path = "",
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  service.call(method, `/customer-account${path}`, {
    key,
    headers,
    ...(body !== undefined && { body }),
  });

/** A customer of the store with a token, brought in by the first call. */
async function newCustomer(email = newEmail()) {
  const { gid } = addStoreCustomer(service, SHOP, email);
  const key = await token(gid);
  const first = await call(key, "GET");
  expect(first.status).toBe(200);
  const id = (await findAccountId(service, SHOP, gid)) as number;
  return { email, gid, key, id, first };
}
type Customer = Awaited<ReturnType<typeof newCustomer>>;
const overview = async ({ key }: Pick<Customer, "key">) => (await call(key, "GET")).json;
const stateOf = async (customer: Customer, type: string) =>
  (await overview(customer)).consents.find((one: { type: string }) => one.type === type);

/** As by the form of a page on which the customer is signed in. */
async function subscribe(id: number, form: string) {
  const tenant = await getTenant(service.ctx, SHOP);
  const input = { form_type: form, method: `${form}_form` };
  await syncOwnConsent(service.ctx, tenant, { userId: id }, input, { userAgent: null, gpc: false });
  const tags = {
    add: [`${form}_subscribed`],
    remove: [],
    source: "ucp",
    categories: null,
  } as const;
  await writeTags(service.ctx, tenant, id, tags);
}

describe("the session token", () => {
  it("of the platform opens the customer's own data, also with the store's address as dest", async () => {
    const { gid, email, first } = await newCustomer();
    expect(first.json.customer).toEqual({ email, name: "Ada Lovelace" });
    const again = await call(await token(gid, { dest: `https://${SHOP}` }), "GET");
    expect([again.status, again.json]).toEqual([200, first.json]);
  });

  it("of another app, store, person or time is 401 everywhere, and changes nothing", async () => {
    const { gid, email } = await newCustomer();
    const now = Math.floor(Date.now() / 1_000);
    const wrong: Record<string, string | null> = {
      none: null,
      "another secret": await token(gid, {}, "another-app-secret-0123456789"),
      "another app": await token(gid, { aud: "another-client" }),
      "no audience": await token(gid, { aud: null }),
      expired: await token(gid, { iat: now - 700, nbf: now - 700, exp: now - 400 }),
      "not yet": await token(gid, { nbf: now + 120, exp: now + 400 }),
      "without end": await token(gid, { exp: null }),
      "of a year": await token(gid, { exp: now + 31_000_000 }),
      "unknown store": await token(gid, { dest: "nobody.myshopify.com" }),
      "no store": await token(gid, { dest: null }),
      "of the admin": await service.sandbox.storefront.sessionToken(SHOP),
      "of nobody": await token(gid, { sub: null }),
      "of a number": await token(gid, { sub: gid.split("/").pop() }),
      unsigned: `${Buffer.from('{"alg":"none"}').toString("base64url")}.${(await token(gid)).split(".")[1]}.`,
      "the person's own session": (await signUp(service)).token,
      nonsense: "a.b.c",
    };
    const before = await databaseSnapshot(service.database);
    for (const [name, key] of Object.entries(wrong)) {
      const answer = await call(key, "GET");
      expect([name, answer.status, answer.json.code]).toEqual([name, 401, "unauthorized"]);
    }
    for (const [method, path, body] of METHODS) {
      const answer = await call(wrong["another app"] ?? null, method, path, body);
      expect([method, path, answer.status]).toEqual([method, path, 401]);
    }
    // Replayed for another store, and a token of the other store for this one.
    const { key } = await newCustomerKey(gid);
    expect((await call(key, "GET", `?shop=${OTHER_SHOP}`)).status).toBe(401);
    const foreign = await token(gid, { dest: OTHER_SHOP });
    expect((await call(foreign, "GET", `?shop=${SHOP}`)).status).toBe(401);
    expect(await databaseSnapshot(service.database)).toEqual(before);
    expect(email).toBeTruthy();
  });

  it("of a store that uninstalled the app is 401", async () => {
    const shop = "gone-store.myshopify.com";
    await service.addTenant(shop);
    await connectStore(service, shop);
    const { gid } = addStoreCustomer(service, shop, newEmail());
    const key = await token(gid, { dest: shop });
    expect((await call(key, "GET")).status).toBe(200);
    await service.webhook("app-uninstalled", JSON.stringify({ domain: shop }), { shop });
    await service.database.query(
      `UPDATE kv SET value = jsonb_set(value, '{connection,uninstalled_at}', '"2026-01-01T00:00:00.000Z"'),
        version = version + 1 WHERE key = $1`,
      [`tenant:${shop}`],
    );
    expect((await call(key, "GET")).status).toBe(401);
  });

  it("needs no cookie: the platform's origins get CORS without credentials, others and the store's get none", async () => {
    const { key } = await newCustomer();
    for (const [origin, allowed] of [
      [EXTENSION, EXTENSION],
      ["null", "null"],
      ["https://evil.example", null],
      [`https://${SHOP}`, null],
    ] as const) {
      const asked = await call(null, "OPTIONS", "/consents", undefined, { Origin: origin });
      const got = await call(key, "GET", "", undefined, { Origin: origin });
      for (const { headers } of [asked, got])
        expect([
          headers.get("access-control-allow-origin"),
          headers.get("access-control-allow-credentials"),
          headers.get("vary"),
        ]).toEqual([allowed, null, "Origin"]);
      expect(asked.headers.get("access-control-allow-headers")?.includes("Authorization")).toBe(
        allowed === null ? undefined : true,
      );
    }
    // A refused token is readable by the extension, too.
    const refused = await call("a.b.c", "GET", "", undefined, { Origin: EXTENSION });
    expect(refused.headers.get("access-control-allow-origin")).toBe(EXTENSION);
  });
});

const newCustomerKey = async (gid: string) => ({ key: await token(gid) });

describe("who the customer is", () => {
  it("a customer who is not known yet is brought in from the store, once", async () => {
    const { gid } = addStoreCustomer(service, SHOP, newEmail());
    const key = await token(gid);
    const answers = await Promise.all([1, 2, 3].map(() => call(key, "GET")));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const rows = await service.database.query(
      "SELECT provider, email_verified FROM storefront_users WHERE storefront_customer_gid = $1",
      [gid],
    );
    expect(rows).toHaveLength(1);
    expect(answers[0]?.json.consents[0]).toEqual({
      type: "tos",
      granted: false,
      state: "not_asked",
      decided_at: null,
      changeable: false,
    });
  });

  it("is 502 while the store cannot be asked, and nothing is stored", async () => {
    const { gid } = addStoreCustomer(service, SHOP, newEmail());
    service.sandbox.failNext("storefront", { status: 500 }, 5);
    const answer = await call(await token(gid), "GET");
    service.sandbox.clearFaults("storefront");
    expect([answer.status, answer.json.code]).toEqual([502, "storefront_unavailable"]);
    expect(await findAccountId(service, SHOP, gid)).toBeNull();
  });

  it("a stranger's unproven sign-up with the address shows nothing to the customer, and the reverse", async () => {
    const stranger = await signUp(service, { email: newEmail() });
    const { gid } = addStoreCustomer(service, SHOP, stranger.email);
    const answer = await call(await token(gid), "GET");
    expect(answer.status).toBe(200);
    expect(answer.json.consents.every(({ granted }: { granted: boolean }) => !granted)).toBe(true);
    expect(await findAccountId(service, SHOP, gid)).not.toBe(stranger.id);
  });

  it("a suspended customer is 403", async () => {
    const { key, id } = await newCustomer();
    await service.database.query("UPDATE storefront_users SET status = 'suspended' WHERE id = $1", [
      id,
    ]);
    const answer = await call(key, "GET");
    expect([answer.status, answer.json.code]).toEqual([403, "account_suspended"]);
  });
});

describe("consents", () => {
  it("are given and withdrawn, with history, receipt and chain", async () => {
    const customer = await newCustomer();
    const { key, id } = customer;
    expect(await stateOf(customer, "marketing")).toMatchObject({ state: "not_asked" });
    const given = await call(key, "POST", "/consents", { type: "marketing", granted: true });
    expect([given.status, given.json]).toEqual([
      200,
      {
        ok: true,
        consent_id: expect.any(String),
        recorded: [{ consent_type: "marketing", action: "granted" }],
      },
    ]);
    await call(key, "POST", "/consents", { type: "marketing", granted: false });
    expect(await stateOf(customer, "marketing")).toMatchObject({
      granted: false,
      state: "withdrawn",
      changeable: true,
    });
    const { records } = (await call(key, "GET", "/history")).json;
    expect(records).toMatchObject([
      { user_id: id, action: "revoked", outcome: "withdrawn", method: "account_extension" },
      { user_id: id, action: "granted", outcome: "granted", consent_id: given.json.consent_id },
    ]);
    const paged = (await call(key, "GET", "/history?limit=1")).json;
    const rest = await call(key, "GET", `/history?cursor=${paged.next_cursor}`);
    expect(rest.json.records[0].id).toBe(records[1].id);
    const receipt = await call(key, "GET", `/receipts/${given.json.consent_id}`);
    expect([receipt.status, receipt.json.services[0].purpose]).toEqual([200, "marketing"]);
    const check = await service.call("GET", `/admin/consent/verify?shop=${SHOP}`);
    expect(check.json).toMatchObject({ ok: true, problems: [] });
  });

  it.each([
    [{ type: "tos", granted: false }],
    [{ type: "marketing", granted: "yes" }],
    [{ type: "everything", granted: true }],
    [{ type: "newsletter", granted: true }],
    [{ type: "two words", granted: false }],
    [{}],
  ])("%j is 400, and nothing is recorded", async (body) => {
    const { key, id } = await newCustomer();
    const answer = await call(key, "POST", "/consents", body);
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_request"]);
    const rows = await service.database.query("SELECT 1 FROM consent_records WHERE user_id = $1", [
      id,
    ]);
    expect(rows).toEqual([]);
  });

  it("by a form are withdrawn with the form's tag, of their customer only", async () => {
    const [one, other] = [await newCustomer(), await newCustomer()];
    for (const { id } of [one, other]) await subscribe(id, "trail_news");
    const withdrawal = { type: "trail_news", granted: false };
    const answer = await call(one.key, "POST", "/consents", withdrawal);
    expect(answer.json.recorded).toEqual([{ consent_type: "trail_news", action: "revoked" }]);
    const left = await service.database.query(
      `SELECT user_id FROM user_tag_map JOIN crm_tags ON crm_tags.id = tag_id
        WHERE slug = 'trail_news_subscribed' AND user_id = ANY($1)`,
      [[one.id, other.id]],
    );
    expect(left).toEqual([{ user_id: other.id }]);
    const again = await call(one.key, "POST", "/consents", withdrawal);
    expect(again.json.recorded).toEqual([]);
  });

  it("of another customer stay out of sight", async () => {
    const [one, other] = [await newCustomer(), await newCustomer()];
    const given = await call(one.key, "POST", "/consents", { type: "cookie", granted: true });
    const path = `/receipts/${given.json.consent_id}`;
    expect((await call(other.key, "GET", path)).status).toBe(404);
    const { next_cursor: cursor } = (await call(one.key, "GET", "/history?limit=1")).json;
    expect(cursor).toBeNull();
    expect((await call(other.key, "GET", "/history")).json.records).toEqual([]);
  });
});

describe("agents and mandates", () => {
  it("are listed and revoked by their customer only", async () => {
    const [owner, other] = [await newCustomer(), await newCustomer()];
    const { grant, mandate } = await giveAgentAndMandate(service, SHOP, owner.id);
    const shown = await overview(owner);
    expect(shown.agents).toMatchObject([{ id: grant, client_name: "Trail Planner", actions: [] }]);
    expect(shown.mandates).toMatchObject([
      { mandate_id: mandate, status: "active", max_amount: "50.00" },
    ]);
    expect(JSON.stringify(shown)).not.toMatch(/"(proof|signature|customer_id)"/);
    for (const path of [`/agents/${grant}`, `/mandates/${mandate}`, "/agents/x", "/mandates/x"])
      expect([path, (await call(other.key, "DELETE", path)).status]).toEqual([path, 404]);
    expect(await overview(owner)).toEqual(shown);
    expect((await call(owner.key, "DELETE", `/agents/${grant}`)).json).toEqual({ ok: true });
    const revoked = await call(owner.key, "DELETE", `/mandates/${mandate}`);
    expect([revoked.status, revoked.json.status]).toEqual([200, "revoked"]);
    const after = await overview(owner);
    expect([after.agents, after.mandates[0].status]).toEqual([[], "revoked"]);
  });

  it("end with the consent to payments", async () => {
    const owner = await newCustomer();
    await giveAgentAndMandate(service, SHOP, owner.id);
    await call(owner.key, "POST", "/consents", { type: "ap2", granted: false });
    expect((await overview(owner)).mandates[0].status).toBe("revoked");
  });
});

describe("the export", () => {
  it("is a link that works once, with this customer's data only, and is in the access log", async () => {
    const [owner, other] = [await newCustomer(), await newCustomer()];
    const link = await call(owner.key, "POST", "/export");
    expect([link.status, link.json]).toEqual([
      200,
      { url: expect.stringContaining("/customer-account/export?"), expires_at: expect.any(String) },
    ]);
    const path = link.json.url.slice(link.json.url.indexOf("/customer-account"));
    const file = await service.call("GET", path, { key: null });
    expect([file.status, file.headers.get("content-disposition")]).toEqual([
      200,
      'attachment; filename="my-data.json"',
    ]);
    expect(file.json).toMatchObject({ store: SHOP, is_complete: true });
    expect(file.text).toContain(owner.email);
    expect(file.text).not.toContain(other.email);
    const again = await service.call("GET", path, { key: null });
    expect([again.status, again.json.code]).toEqual([400, "invalid_link"]);
    const logged = await service.database.query(
      "SELECT actor_kind, action FROM access_log WHERE user_id = $1",
      [owner.id],
    );
    expect(logged).toEqual([{ actor_kind: "shopper", action: "exported" }]);
  });

  it("has links of its own store only", async () => {
    const { key } = await newCustomer();
    const { url } = (await call(key, "POST", "/export")).json;
    const { searchParams } = new URL(url);
    const path = `/customer-account/export?shop=${OTHER_SHOP}&token=${searchParams.get("token")}`;
    expect((await service.call("GET", path, { key: null })).status).toBe(400);
  });

  it("has links that end with the customer's sessions", async () => {
    const { key, id } = await newCustomer();
    const { url } = (await call(key, "POST", "/export")).json;
    const tenant = await getTenant(service.ctx, SHOP);
    for (const status of ["suspended", "active"] as const)
      await changeAccountStatus(service.ctx, tenant, id, status);
    const path = url.slice(url.indexOf("/customer-account"));
    const file = await service.call("GET", path, { key: null });
    expect([file.status, file.json.code]).toEqual([400, "invalid_link"]);
  });
});

describe("the deletion", () => {
  it("needs the typed phrase, and every later call answers that the account is deleted", async () => {
    const { key, email, id, first } = await newCustomer();
    expect(first.json.confirmation).toBe(email);
    await call(key, "POST", "/consents", { type: "marketing", granted: true });
    for (const body of [{ typed: "delete" }, { typed: "" }, {}]) {
      const refused = await call(key, "DELETE", "", body);
      expect([refused.status, refused.json.code]).toEqual([400, "invalid_request"]);
    }
    expect((await call(key, "GET")).status).toBe(200);
    const { url } = (await call(key, "POST", "/export")).json;
    const deleted = await call(key, "DELETE", "", { typed: ` ${email.toUpperCase()} ` });
    expect([deleted.status, deleted.json]).toEqual([200, { deleted: true }]);
    for (const [method, path, body] of METHODS) {
      const answer = await call(key, method, path, body);
      expect([method, path, answer.status, answer.json.code]).toEqual([
        method,
        path,
        403,
        "account_deleted",
      ]);
    }
    const path = url.slice(url.indexOf("/customer-account"));
    expect((await service.call("GET", path, { key: null })).status).toBe(400);
    const [row] = await service.database.query(
      "SELECT status, email, full_name FROM storefront_users WHERE id = $1",
      [id],
    );
    expect(row).toEqual({ status: "deleted", email: null, full_name: null });
  });

  it("also holds for a contact whose address was never verified here", async () => {
    const { key, email, id } = await newCustomer();
    await service.database.query(
      "UPDATE storefront_users SET provider = 'email', email_verified = false WHERE id = $1",
      [id],
    );
    expect((await call(key, "DELETE", "", { typed: email })).status).toBe(200);
    expect((await call(key, "GET")).json.code).toBe("account_deleted");
  });
});
