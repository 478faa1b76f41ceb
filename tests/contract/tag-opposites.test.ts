// A customer holds at most one of two opposite tags (DECISIONS 8).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SHOP, startService, type Service } from "../support/service.ts";
import { assignedTags, beginTagStores, TENANT_KEY } from "../support/storefront/tag-stores.ts";

let service: Service;
let token = "";
let userId = 0;

const change = (body: unknown) => service.call("POST", "/ucp/tags", { body, key: token });
const rowsOf = (shop: string) => assignedTags(service, shop);

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  ({ token, userId } = await beginTagStores(service));
});

describe("POST /ucp/tags with opposite tags", () => {
  const giveTag = (slug: string, source: string) =>
    service.database.query(
      `WITH tag AS (INSERT INTO crm_tags (shop, name, slug, category)
         VALUES ($1, $2, $2, 'marketing') RETURNING id)
       INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT $1, $3, id, $4 FROM tag`,
      [SHOP, slug, userId, source],
    );
  const held = async () => (await rowsOf(SHOP)).map(({ slug, source }) => `${slug} by ${source}`);

  it("rejects both in one request, names the second, and writes nothing", async () => {
    const answer = await change({
      add: ["newsletter_subscribed", "Email Subscribed", "email unsubscribed"],
    });
    expect([answer.status, answer.json.code, answer.json.fields]).toEqual([
      400,
      "invalid_request",
      { "add.2": "is the opposite of email_subscribed" },
    ]);
    expect(await rowsOf(SHOP)).toEqual([]);
  });

  it("adds one when the other is also to be removed: remove wins", async () => {
    await change({ add: ["email_subscribed"] });
    const both = ["email_unsubscribed", "email_subscribed"];
    const answer = await change({ add: both, remove: ["email_subscribed"] });
    expect(answer.json).toMatchObject({
      tags: ["email_unsubscribed"],
      added: ["email_unsubscribed"],
      removed: ["email_subscribed"],
    });
  });

  it("replaces the one that the shopper chose before, also in the user's tags", async () => {
    await change({ add: ["email_subscribed"] });
    const answer = await change({ add: ["email_unsubscribed"] });
    expect([answer.status, answer.json.tags, answer.json.added, answer.json.removed]).toEqual([
      200,
      ["email_unsubscribed"],
      ["email_unsubscribed"],
      ["email_subscribed"],
    ]);
    const me = await service.call("GET", "/auth/me", { key: token });
    expect(me.json.user.tags).toEqual(["email_unsubscribed"]);
  });

  it("leaves one, also when both were chosen at the same moment", async () => {
    const answers = await Promise.all([
      change({ add: ["email_subscribed"] }),
      change({ add: ["email_unsubscribed"] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await rowsOf(SHOP)).toHaveLength(1);
  });

  it.each(["admin", "storefront"])(
    "keeps the one that is assigned by %s, and adds no opposite to it",
    async (source) => {
      await giveTag("email_subscribed", source);
      const answer = await change({ add: ["email_unsubscribed", "newsletter_subscribed"] });
      expect([answer.status, answer.json.added, answer.json.removed]).toEqual([
        200,
        ["newsletter_subscribed"],
        [],
      ]);
      expect(await held()).toEqual([
        `email_subscribed by ${source}`,
        "newsletter_subscribed by ucp",
      ]);
    },
  );
});

describe("POST /admin/tags/assign with opposite tags", () => {
  const assign = (body: unknown) =>
    service.call("POST", `/admin/tags/assign?shop=${SHOP}`, { body, key: TENANT_KEY });

  it("rejects both in one request, names the second, and writes nothing", async () => {
    const answer = await assign({ user_id: userId, add: ["vip", "prospect"] });
    expect([answer.status, answer.json.code, answer.json.fields]).toEqual([
      400,
      "invalid_request",
      { "add.1": "is the opposite of vip" },
    ]);
    expect(await rowsOf(SHOP)).toEqual([]);
  });

  it.each([
    ["by the shopper", () => change({ add: ["email_subscribed"] })],
    ["by an operator", () => assign({ user_id: userId, add: ["email_subscribed"] })],
  ])("replaces the opposite that was assigned %s", async (_, give) => {
    expect((await give()).status).toBe(200);
    const answer = await assign({ user_id: userId, add: ["email_unsubscribed"] });
    expect(answer.json).toMatchObject({
      tags: ["email_unsubscribed"],
      added: ["email_unsubscribed"],
      removed: ["email_subscribed"],
    });
    expect(await rowsOf(SHOP)).toMatchObject([{ slug: "email_unsubscribed", source: "admin" }]);
  });

  it("adds no opposite to a tag that the merchant assigned at the storefront", async () => {
    await assign({ user_id: userId, add: ["vip"] });
    await service.database.query("UPDATE user_tag_map SET source = 'storefront'");
    const answer = await assign({ user_id: userId, add: ["prospect"] });
    expect(answer.json).toMatchObject({ ok: true, tags: ["vip"], added: [], removed: [] });
  });
});
