// Which metafields of a customer are deleted at the storefront: those that were written and have no value now.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { SHOP, startService, type Service } from "../support/service.ts";
import { around } from "../support/storefront/synced-store.ts";
import { taggedStore, type Person, type TaggedStore } from "../support/storefront/tagged-store.ts";

let service: Service;
let store: TaggedStore;
let person: Person;
let email = "";
let restore = () => {};

// Without the default tags: the customer's status, tier and segment have no value.
beforeAll(async () => {
  service = await startService({ background: true });
  store = taggedStore(service);
  await store.install(SHOP);
});
afterAll(() => service.stop());
beforeEach(async () => {
  email = `metafields-${crypto.randomUUID()}@example.com`;
  person = await store.signUp(SHOP, email);
});
afterEach(() => restore());

const NAME = "newsletter_subscribed";
const deleted = (): string[][] =>
  service.sandbox
    .requests("storefront")
    .map(
      ({ body }) =>
        body as { query?: string; variables: { metafields: { key: string; ownerId: string }[] } },
    )
    .filter(({ query }) => query?.includes("metafieldsDelete("))
    .map(({ variables }) => variables.metafields)
    .filter(([first]) => first?.ownerId === person.gid)
    .map((fields) => fields.map(({ key }) => key));
const kept = () =>
  store
    .customerOf(SHOP, email)
    ?.metafields.map(({ key }) => key)
    .sort();

it("a metafield that was never written is not deleted", async () => {
  await store.change(person, { add: [NAME] });
  await store.delivered();
  expect(kept()).toEqual(["crm_consent_marketing", "crm_consent_tos", "crm_tags"]);
  expect(deleted()).toEqual([]);
});

it("a metafield whose last tag is removed is deleted, and no other", async () => {
  await store.change(person, { add: [NAME] });
  await store.change(person, { remove: [NAME] });
  await store.delivered();
  expect(kept()).toEqual(["crm_consent_marketing", "crm_consent_tos"]);
  expect(deleted()).toEqual([["crm_tags"]]);
});

it("each metafield without a value is deleted after a write of an earlier version, which kept no names", async () => {
  await service.database.query("UPDATE storefront_users SET storefront_hash = 'x' WHERE id = $1", [
    person.id,
  ]);
  await store.change(person, { add: [NAME] });
  expect(deleted()).toEqual([["crm_status", "crm_tier", "crm_segment"]]);
});

it("a metafield of a write whose answer was lost is deleted too", async () => {
  let isSet = false;
  restore = around(
    service,
    (_call, { document, variables }) => {
      isSet =
        document.includes("metafieldsSet(") &&
        JSON.stringify(variables).includes(person.gid) &&
        JSON.stringify(variables).includes("crm_tags");
    },
    () => {
      if (isSet) throw new Error("the answer is lost");
    },
  );
  await store.change(person, { add: [NAME] });
  restore();
  expect(kept()).toContain("crm_tags");
  await store.change(person, { remove: [NAME] });
  expect(kept()).not.toContain("crm_tags");
});
