// A form's tags are new to the catalog once, and become items of the store's CMS, whose number its plan
// limits. RATE_LIMIT_SCALE makes the limits small: 25 an hour per account, 50 per client, 200 per store.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { SHOP, startService, type Service } from "../support/service.ts";
import { addToCatalog } from "../support/storefront/tag-catalog.ts";
import { beginTagStores } from "../support/storefront/tag-stores.ts";
import { newEmail, postSignUp, signUpBody } from "./identity/people.ts";

let service: Service;
const clock = { at: Date.UTC(2026, 10, 20, 12, 0, 1), now: () => new Date(clock.at) };
let token = "";

beforeAll(async () => {
  service = await startService({ clock, env: { RATE_LIMIT_SCALE: "0.1", TRUST_PROXY_HOPS: "1" } });
});
afterAll(() => service.stop());
beforeEach(async () => {
  clock.at += 3_600_000;
  ({ token } = await beginTagStores(service));
});

let forms = 0;
const newForms = (count: number) =>
  Array.from({ length: count }, () => `form${(forms += 1)}_subscribed`);
let clients = 0;
const newClient = () => `198.51.100.${(clients += 1)}`;
const add = (names: readonly string[], { key = token, client = newClient() } = {}) =>
  service.call("POST", "/ucp/tags", {
    key,
    body: { add: names },
    headers: { "X-Forwarded-For": client },
  });
const signUpAt = async (client: string): Promise<string> => {
  const headers = { "X-Forwarded-For": client };
  return (await postSignUp(service, signUpBody(newEmail()), SHOP, headers)).json.token;
};
const catalogSize = async (): Promise<number> =>
  Number(
    (
      await service.database.query<{ n: string }>(
        "SELECT count(*) AS n FROM crm_tags WHERE shop = $1 AND slug LIKE 'form%'",
        [SHOP],
      )
    )[0]?.n,
  );

it("a shopper cannot fill the catalog: above the limit of an hour nothing is made, and known tags are still added", async () => {
  expect((await add(newForms(20))).status).toBe(200);
  const refused = await add(newForms(6));
  expect([refused.status, refused.json.code, refused.headers.get("retry-after")]).toEqual([
    429,
    "too_many_requests",
    "3600",
  ]);
  expect(await catalogSize()).toBe(20);
  expect((await add(newForms(5))).status).toBe(200);
  expect((await add(newForms(1))).status).toBe(429);
  await addToCatalog(service, ["Summer Sale"]);
  expect((await add(["Summer Sale"])).json.added).toEqual(["summer_sale"]);
  clock.at += 3_600_000;
  expect((await add(newForms(25))).status).toBe(200);
});

it("a client with many accounts cannot fill the catalog either, and others go on", async () => {
  const client = newClient();
  for (const names of [newForms(25), newForms(25)])
    expect((await add(names, { client, key: await signUpAt(newClient()) })).status).toBe(200);
  const key = await signUpAt(newClient());
  expect((await add(newForms(1), { client, key })).status).toBe(429);
  expect((await add(newForms(1), { key })).status).toBe(200);
});

it("a shopper cannot put a text of their own into the catalog: a new tag is named by its slug unless its name is as plain", async () => {
  const names = [
    "ada@example.com subscribed",
    "\u202eMaillist\u202c subscribed",
    "News Letter_subscribed",
  ];
  expect((await add([...names, "news_2026-11-21", "Email Subscribed"])).status).toBe(200);
  const rows = await service.database.query<{ name: string }>(
    "SELECT name FROM crm_tags WHERE shop = $1 AND category IN ('campaign', 'marketing')",
    [SHOP],
  );
  expect(rows.map(({ name }) => name).sort()).toEqual(
    [
      "Email Subscribed",
      "News Letter_subscribed",
      "ada_example_com_subscribed",
      "maillist_subscribed",
      "news_2026-11-21",
    ].sort(),
  );
});

it("many clients together are limited per store", async () => {
  for (let account = 0; account < 8; account += 1)
    expect((await add(newForms(25), { key: await signUpAt(newClient()) })).status).toBe(200);
  expect((await add(newForms(1), { key: await signUpAt(newClient()) })).status).toBe(429);
  expect(await catalogSize()).toBe(200);
});
