// A request that says who acted counts only for that person.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { proxyTarget } from "../../../app/sandbox/storefront/app-proxy.ts";
import {
  consentsOf,
  inShort,
  logOfVisitor,
  saidLater,
  signUp,
  startConsentService,
  syncAnonymous,
  syncAs,
  type ConsentService,
  type Person,
} from "../../support/consent.ts";
import { APP_SECRET, OTHER_SHOP, SHOP } from "../../support/service.ts";

let service: ConsentService;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  service = await startConsentService();
  [ada, bob] = [await customer("5001"), await customer("5002")];
});
afterAll(() => service.stop());

/** An account of a customer of the storefront. */
async function customer(id: string): Promise<Person> {
  const person = await signUp(service);
  await service.database.query(
    `UPDATE storefront_users SET storefront_customer_gid = 'gid://shopify/Customer/' || $2,
      email_verified = true WHERE id = $1`,
    [person.id, id],
  );
  return person;
}

async function proxied(
  path: "auth/consent-sync" | "ucp/tags",
  customerId: string,
  body: object,
): Promise<{ status: number; json: any }> {
  const target = proxyTarget(
    { path: `/apps/crm/${path}`, query: new URLSearchParams() },
    { appUrl: service.url, secret: APP_SECRET, shop: SHOP, customerId },
  );
  const answer = await fetch(target, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: await answer.json() };
}
const choose = (customerId: string, body: object) =>
  proxied("auth/consent-sync", customerId, { method: "banner", consent_marketing: true, ...body });
const rows = () => service.database.query("SELECT id FROM consent_records");

describe("a consent", () => {
  it("is recorded for the person who acted, by the account's id or the storefront's", async () => {
    const eve = await customer("5003");
    for (const actedBy of ["customer 5003", String(eve.id)])
      expect((await choose("5003", { acted_by: actedBy })).status).toBe(200);
    expect(
      (await syncAs(service, eve, { consent_cookie: true, acted_by: String(eve.id) })).status,
    ).toBe(200);
    expect(inShort(await saidLater(service, eve))).toEqual(["marketing granted", "cookie granted"]);
  });

  it.each([
    ["another customer", () => "5002"],
    ["nobody", () => ""],
    ["a customer without an account", () => "77"],
  ])("is refused with 409 where %s is signed in at the store since", async (_, signedIn) => {
    const before = [await rows(), await consentsOf(service, bob)];
    for (const actedBy of ["customer 5001", String(ada.id)]) {
      const { status, json } = await choose(signedIn(), { acted_by: actedBy });
      expect([status, json.code]).toEqual([409, "other_person"]);
    }
    expect([await rows(), await consentsOf(service, bob)]).toEqual(before);
  });

  it("of nobody is refused where somebody is signed in since", async () => {
    const before = await rows();
    for (const answer of [
      await choose("5002", { acted_by: "" }),
      await choose("77", { acted_by: "" }),
      await syncAs(service, bob, { consent_cookie: true, acted_by: "" }),
    ])
      expect([answer.status, answer.json.code]).toEqual([409, "other_person"]);
    expect(await rows()).toEqual(before);
  });

  it("of nobody is recorded for the browser where nobody is signed in", async () => {
    for (const send of [
      (body: object) => choose("", body),
      (body: object) => syncAnonymous(service, { consent_marketing: true, ...body }),
    ])
      expect((await send({ acted_by: "", visitor_id: "of-nobody" })).status).toBe(200);
    expect(await logOfVisitor(service, "of-nobody")).toHaveLength(1);
  });

  it("of a customer without an account here is recorded for that customer", async () => {
    expect((await choose("78", { acted_by: "customer 78" })).status).toBe(200);
    expect(await logOfVisitor(service, "Customer/78")).toHaveLength(1);
  });

  it("that does not say who acted is for the person who is signed in, or for the browser", async () => {
    expect((await choose("5002", {})).status).toBe(200);
    expect((await consentsOf(service, bob)).marketing).toBe(true);
    expect((await choose("", { visitor_id: "of-anybody" })).status).toBe(200);
  });

  it("of an account in another store is refused", async () => {
    const stranger = await signUp(service, {}, OTHER_SHOP);
    const before = await rows();
    const answer = await choose("5001", { acted_by: String(stranger.id) });
    expect([answer.status, answer.json.code]).toEqual([409, "other_person"]);
    expect(await rows()).toEqual(before);
  });

  it.each(["customer", "ada", "customer 5001 ", "-1", 5, null, "1".repeat(21)])(
    "is invalid where it names %j",
    async (actedBy) => {
      const { status, json } = await choose("5001", { acted_by: actedBy });
      expect([status, Object.keys(json.fields)]).toEqual([400, ["acted_by"]]);
    },
  );
});

describe("a change of tags", () => {
  const tag = (customerId: string, actedBy?: string, add = ["newsletter_subscribed"]) =>
    proxied("ucp/tags", customerId, { add, acted_by: actedBy });
  const count = () => service.database.query("SELECT id FROM user_tag_map");

  it("is refused with 409 where another customer is signed in since, and made for the one who acted", async () => {
    const before = await count();
    for (const actedBy of ["customer 5001", String(ada.id), ""]) {
      const { status, json } = await tag("5002", actedBy);
      expect([status, json.code]).toEqual([409, "other_person"]);
    }
    expect(await count()).toEqual(before);
    for (const actedBy of ["customer 5001", String(ada.id), undefined])
      expect((await tag("5001", actedBy, [])).status).toBe(200);
  });
});
