// A storefront customer has at most 250 tags, of the merchant and of ours together.
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { startService, type Service } from "../support/service.ts";
import { addToCatalog } from "../support/storefront/tag-catalog.ts";
import { beginTagStores } from "../support/storefront/tag-stores.ts";

let service: Service;
let token = "";
let userId = 0;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  ({ token, userId } = await beginTagStores(service));
});

const change = (body: { add?: string[]; remove?: string[] }) =>
  service.call("POST", "/ucp/tags", { body, key: token });
const numbered = (count: number, nameOf: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => nameOf(at));
/** The customer's list at the store has these too, as a delivery or a webhook stores it. */
const addAtStore = (tags: readonly string[]) =>
  service.database.query("UPDATE storefront_users SET tags = tags || $2::jsonb WHERE id = $1", [
    userId,
    JSON.stringify(tags),
  ]);

it("a shopper can submit a hundred forms: what a form adds at the store counts once", async () => {
  const forms = numbered(100, (at) => `form${at}_subscribed`);
  await addToCatalog(service, [...forms, "another_subscribed"]);
  await change({ add: forms.slice(0, 50) });
  await change({ add: forms.slice(50) });
  await addAtStore(numbered(100, (at) => `accepts_form${at}`));
  const answer = await change({ add: ["another_subscribed"] });
  expect([answer.status, answer.json.added]).toEqual([200, ["another_subscribed"]]);
});

it("a shopper with as many tags as the store takes can replace some", async () => {
  const tags = numbered(55, (at) => `tag_${at}`);
  await addToCatalog(service, tags);
  await change({ add: tags.slice(0, 50) });
  await addAtStore(numbered(200, (at) => `Merchant ${at}`));
  expect((await change({ add: tags.slice(50) })).json.code).toBe("too_many_tags");
  const answer = await change({ add: tags.slice(50), remove: tags.slice(0, 5) });
  expect([answer.status, answer.json.added]).toEqual([200, tags.slice(50)]);
});
