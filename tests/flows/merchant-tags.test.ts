import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enqueue } from "../../app/domain/bus/enqueue.ts";
import { registerWebhooks } from "../../app/domain/tenants/storefront/webhook-registration.ts";
import { addToCatalog } from "../support/storefront/tag-catalog.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";
import { CUSTOMER_2024_10, customerPayload } from "../support/storefront/payloads.ts";
import {
  taggedStore,
  withoutRuleTags,
  type Person,
  type TaggedStore,
} from "../support/storefront/tagged-store.ts";

let service: Service;
let store: TaggedStore;
const ECHOING_SHOP = "echoing-store.myshopify.com";

beforeAll(async () => {
  service = await startService({ background: true });
  store = taggedStore(service);
  await store.install(SHOP);
  await service.call("POST", `/admin/init-tag-system?shop=${SHOP}`);
  await store.install(OTHER_SHOP, { cms_api_token: null });
});
afterAll(() => service.stop());

/**
 * A webhook with this list of tags, which may be older than our last write: the store's list is read
 * once more, here without waiting for it.
 */
async function sendTwice(
  { id, gid }: Person,
  email: string,
  tags: string[],
  at: string,
): Promise<void> {
  await service.database.query(
    "UPDATE storefront_users SET storefront_updated_at = NULL WHERE id = $1",
    [id],
  );
  // Nothing that a rule's tag follows from.
  const values = {
    id: gid.split("/").at(-1) as string,
    admin_graphql_api_id: JSON.stringify(gid),
    email: JSON.stringify(email),
    created_at: JSON.stringify(new Date().toISOString()),
    updated_at: JSON.stringify(at),
    tags: JSON.stringify(tags.join(", ")),
    orders_count: "0",
    total_spent: '"0.00"',
  };
  const raw = customerPayload(
    values,
    CUSTOMER_2024_10.replace('"state":"subscribed"', '"state":"not_subscribed"'),
  );
  const delivery = `twice-${email}`;
  await service.webhook("customer-update", raw, {
    headers: { "X-Shopify-Webhook-Id": delivery, "X-Shopify-Triggered-At": at },
  });
  const row = async () =>
    (
      await service.database.query(
        "SELECT status, attempts FROM webhook_inbox WHERE delivery_id = $1",
        [delivery],
      )
    )[0];
  await eventually("the first reading", async () => (await row())?.attempts === 1);
  await service.database.query(
    "UPDATE webhook_inbox SET next_attempt_at = now() WHERE delivery_id = $1",
    [delivery],
  );
  await eventually("the second reading", async () => (await row())?.status === "done");
}

describe("a merchant assigns tags in the storefront", () => {
  it("a tag of our catalog is assigned here too, and removed when the merchant removes it", async () => {
    const mary = await store.signUp(SHOP, "mary@example.com");
    service.sandbox.storefront.putCustomer(SHOP, { gid: mary.gid, tags: ["VIP", "Wholesale"] });
    await store.announce(mary.gid, store.later());
    expect(await store.held(mary)).toEqual(["vip storefront"]);
    const [user] = await service.database.query("SELECT tags FROM storefront_users WHERE id = $1", [
      mary.id,
    ]);
    expect(withoutRuleTags(user.tags)).toEqual(["VIP", "Wholesale"]);
    await store.delivered();
    service.sandbox.storefront.putCustomer(SHOP, { gid: mary.gid, tags: ["Wholesale"] });
    await store.announce(mary.gid, store.later(10));
    expect(await store.held(mary)).toEqual([]);
  });

  it("our own tag that the merchant removes stays removed", async () => {
    const rose = await store.signUp(SHOP, "rose@example.com");
    await addToCatalog(service, ["autumn", "winter"]);
    await store.change(rose, { add: ["autumn"] });
    service.sandbox.storefront.putCustomer(SHOP, { gid: rose.gid, tags: ["Wholesale"] });
    await store.announce(rose.gid, store.later());
    expect(await store.held(rose)).toEqual([]);
    await store.change(rose, { add: ["winter"] });
    expect(withoutRuleTags(store.customerOf(SHOP, "rose@example.com")?.tags)).toEqual([
      "Wholesale",
      "winter",
    ]);
  });

  it("a tag list older than our write removes nothing", async () => {
    const olga = await store.signUp(SHOP, "olga@example.com");
    await addToCatalog(service, ["winter"]);
    await store.change(olga, { add: ["winter"] });
    const [{ storefront_tagged_at: taggedAt }] = await service.database.query(
      "SELECT storefront_tagged_at FROM storefront_users WHERE id = $1",
      [olga.id],
    );
    await sendTwice(olga, "olga@example.com", ["Wholesale"], taggedAt.toISOString());
    expect(await store.held(olga)).toEqual(["winter ucp"]);
  });
});

it("a merchant's tag of the same second as our own write is assigned when the list is read again", async () => {
  const nora = await store.signUp(SHOP, "nora@example.com");
  // Our writes come back as webhooks, which may be followed by further writes.
  for (const settled of [store.delivered, store.handled, store.delivered, store.handled])
    await settled();
  const at = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 60_000).toISOString();
  await service.database.query(
    "UPDATE storefront_users SET storefront_tagged_at = $2 WHERE id = $1",
    [nora.id, at],
  );
  const tags = [...(store.customerOf(SHOP, "nora@example.com")?.tags ?? []), "VIP"];
  service.sandbox.storefront.putCustomer(SHOP, { gid: nora.gid, tags, updatedAt: at });
  await sendTwice(nora, "nora@example.com", tags, at);
  expect(await store.held(nora)).toEqual(["vip storefront"]);
});

describe("a tag that a customer had at the store before the catalog", () => {
  const TAGGED_SHOP = "tagged-store.myshopify.com";
  const put = (email: string, tags: string[]) =>
    service.sandbox.storefront.putCustomer(TAGGED_SHOP, { email, tags });
  const sync = () => service.call("POST", `/sync/customers?shop=${TAGGED_SHOP}`);
  const heldBy = async (gid: string) =>
    (
      await service.database.query(
        `SELECT t.slug, m.source FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop
          AND t.id = m.tag_id JOIN storefront_users u ON u.shop = m.shop AND u.id = m.user_id
         WHERE u.shop = $1 AND u.storefront_customer_gid = $2 AND m.source <> 'system'
         ORDER BY t.slug`,
        [TAGGED_SHOP, gid],
      )
    ).map(({ slug, source }) => `${slug} ${source}`);
  const writesOf = (slug: string) =>
    service.sandbox.requests("storefront").filter(({ body }) => {
      const text = JSON.stringify(body);
      return /tagsAdd|tagsRemove/.test(text) && text.includes(`"${slug}"`);
    });
  /** The merchant's new list of a customer's tags, announced by the webhook of the one that changed. */
  async function retag(
    gid: string,
    tags: string[],
    { verb, tag, at }: { verb: "added" | "removed"; tag: string; at: string },
  ): Promise<void> {
    service.sandbox.storefront.putCustomer(TAGGED_SHOP, { gid, tags, updatedAt: at });
    await service.sandbox.storefront.sendWebhook(TAGGED_SHOP, `customer.tags_${verb}`, gid, {
      uri: `${service.url}/webhooks/customer-tags-${verb}`,
      triggeredAt: at,
      tags: [tag],
    });
    await store.handled();
  }
  const assign = (gid: string, change: object) =>
    service.call("POST", `/admin/tags/assign?shop=${TAGGED_SHOP}`, { body: { gid, ...change } });
  let early: string;
  let heldBefore: string[];
  let kept: string;
  let removed: string;
  let again: string;

  beforeAll(async () => {
    await store.install(TAGGED_SHOP, { cms_api_token: null });
    [early, kept, removed, again] = ["early", "kept", "removed", "again"].map(
      (name) => put(`${name}@example.com`, ["VIP", "Wholesale"]).gid,
    ) as [string, string, string, string];
    await sync();
    heldBefore = await heldBy(early);
    await service.call("POST", `/admin/init-tag-system?shop=${TAGGED_SHOP}&step=backend`);
  });

  it("is assigned when the tag system is prepared, without a write to the store", async () => {
    expect(heldBefore).toEqual([]);
    expect(await heldBy(early)).toEqual(["vip storefront"]);
    await store.delivered();
    expect(writesOf("vip")).toEqual([]);
  });

  it("is assigned by the sync that first reads a customer", async () => {
    const second = put("second@example.com", ["At risk"]).gid;
    expect((await sync()).json).toMatchObject({ ok: true, created: 1 });
    expect(await heldBy(second)).toEqual(["at_risk storefront"]);
    await store.delivered();
    expect(writesOf("at_risk")).toEqual([]);
  });

  it("is not removed by us, from here or at the store", async () => {
    const { json } = await assign(kept, { add: ["autumn"], remove: ["vip"] });
    expect(json).toMatchObject({ added: ["autumn"], removed: [] });
    await store.delivered();
    expect(await heldBy(kept)).toEqual(["autumn admin", "vip storefront"]);
    expect(withoutRuleTags(store.customerOf(TAGGED_SHOP, "kept@example.com")?.tags)).toEqual([
      "VIP",
      "Wholesale",
      "autumn",
    ]);
  });

  it("goes with the store's list: removed there it is removed here, and no tag of another source", async () => {
    await assign(removed, { add: ["autumn"] });
    await store.delivered();
    await retag(removed, ["Wholesale", "autumn"], {
      verb: "removed",
      tag: "VIP",
      at: store.later(),
    });
    expect(await heldBy(removed)).toEqual(["autumn admin"]);
    const rules = await service.database.query(
      `SELECT 1 FROM user_tag_map m JOIN storefront_users u ON u.shop = m.shop AND u.id = m.user_id
        WHERE u.storefront_customer_gid = $1 AND m.source = 'system'`,
      [removed],
    );
    expect(rules.length).toBeGreaterThan(0);
  });

  it("added at the store again it is assigned again", async () => {
    await retag(again, ["Wholesale"], { verb: "removed", tag: "VIP", at: store.later() });
    expect(await heldBy(again)).toEqual([]);
    await retag(again, ["Wholesale", "vip"], { verb: "added", tag: "vip", at: store.later(20) });
    expect(await heldBy(again)).toEqual(["vip storefront"]);
  });
});

describe("a store whose webhooks are registered", () => {
  it("gets back every echo of our own writes without causing another row or call", async () => {
    await store.install(ECHOING_SHOP);
    await service.call("POST", `/admin/init-tag-system?shop=${ECHOING_SHOP}`);
    await registerWebhooks(service.ctx, ECHOING_SHOP);
    const eve = await store.signUp(ECHOING_SHOP, "eve@example.com", { consent_marketing: true });
    await addToCatalog(service, ["spring"], { shop: ECHOING_SHOP });
    await store.change(eve, { add: ["club_subscribed", "spring"] });
    await store.change(eve, { remove: ["spring"] });
    await service.sandbox.storefront.echoesSent();
    await store.handled();
    await store.delivered();
    const deliveries = service.sandbox.storefront.deliveries(ECHOING_SHOP);
    expect(deliveries.length).toBeGreaterThan(5);
    const rows = await service.database.query(
      `SELECT DISTINCT event_id, event_type FROM integration_queue WHERE shop = $1
        AND channel <> 'email' ORDER BY event_type`,
      [ECHOING_SHOP],
    );
    expect(rows.map((row) => row.event_type)).toEqual([
      "customer.signed_up",
      "customer.tags_changed",
      "customer.tags_changed",
    ]);
    expect(await store.held(eve)).toEqual(["club_subscribed ucp"]);
    expect(withoutRuleTags(store.customerOf(ECHOING_SHOP, "eve@example.com")?.tags)).toEqual([
      "accepts_club",
      "club_subscribed",
    ]);
    const [user] = await service.database.query("SELECT tags FROM storefront_users WHERE id = $1", [
      eve.id,
    ]);
    expect(new Set(withoutRuleTags(user.tags))).toEqual(
      new Set(["accepts_club", "club_subscribed"]),
    );
  });
});

describe("two stores with the same slug", () => {
  it("have two tags, and a change in one does not affect the other", async () => {
    const [here, there] = [
      await store.signUp(SHOP, "zoe@example.com"),
      await store.signUp(OTHER_SHOP, "zoe@example.com"),
    ];
    for (const shop of [SHOP, OTHER_SHOP]) await addToCatalog(service, ["spring_sale"], { shop });
    await store.change(here, { add: ["spring_sale"] });
    expect((await store.change(there, { add: ["spring_sale"] })).json.channels).toEqual({
      backend: "ok",
      storefront: "ok",
      cms: "skipped",
      web_analytics: "ok",
    });
    await store.change(here, { remove: ["spring_sale"] });
    expect(await store.held(here)).toEqual([]);
    expect(await store.held(there)).toEqual(["spring_sale ucp"]);
    expect(store.customerOf(OTHER_SHOP, "zoe@example.com")?.tags).toEqual(["spring_sale"]);
    expect(
      await service.database.query(
        "SELECT shop FROM crm_tags WHERE slug = 'spring_sale' ORDER BY shop",
      ),
    ).toEqual([{ shop: OTHER_SHOP }, { shop: SHOP }]);
  });
});

describe("analytics", () => {
  it("receives an event with its configured name, with the table's parameters only and nothing personal", async () => {
    const noor = await store.signUp(SHOP, "noor@example.com", { consent_cookie: true });
    const put = (eventId: string, analytics: object) =>
      service.ctx.home.forTenant(SHOP).transaction((sql) =>
        enqueue(sql, {
          eventId,
          source: "backend",
          eventType: "mandate.created",
          entityType: "customer",
          entityId: String(noor.id),
          payload: { user_id: noor.id, analytics },
          occurredAt: new Date(),
          destinations: ["web_analytics"],
        }),
      );
    await put("named-1", {
      name: "ucp_mandate_created",
      params: {
        mandate_id: "m-1",
        max_amount: "40.00",
        currency: "EUR",
        scope: "x".repeat(101),
        note: "secret",
      },
    });
    await put("named-2", {
      name: "ucp_mandate_created",
      params: { mandate_id: "noor@example.com", currency: "EUR" },
    });
    await put("named-3", { name: "made_up", params: {} });
    await store.delivered();
    const events = store.hits().flatMap((hit) => hit.events);
    const paramsOf = (id: string) => events.find(({ params }) => params.event_id === id)?.params;
    expect(paramsOf("named-1")).toMatchObject({
      mandate_id: "m-1",
      max_amount: "40.00",
      currency: "EUR",
      scope: "",
    });
    expect(Object.keys(paramsOf("named-2") ?? {}).sort()).toEqual([
      "currency",
      "engagement_time_msec",
      "event_id",
    ]);
    expect(JSON.stringify(events)).not.toContain("secret");
    expect(
      await service.database.query(
        "SELECT status, last_error FROM integration_queue WHERE event_id = 'named-3'",
      ),
    ).toEqual([{ status: "dead_letter", last_error: "unknown analytics event: made_up" }]);
    expect(service.sandbox.analytics.violations()).toEqual([]);
  });

  it("receives the provider of a sign-up, but not of a webhook", async () => {
    const ida = await store.signUp(SHOP, "ida@example.com", { consent_cookie: true });
    expect(store.lastHit().user_properties?.provider).toEqual({ value: "email" });
    await service.database.query(
      "UPDATE storefront_users SET email_verified = true WHERE email = 'ida@example.com'",
    );
    service.sandbox.storefront.putCustomer(SHOP, { gid: ida.gid, firstName: "Ida" });
    await store.announce(ida.gid, store.later());
    await store.delivered();
    expect(store.lastHit().events[0]).toMatchObject({
      name: "crm_sync",
      params: { source: "storefront_webhook" },
    });
    expect(store.lastHit().user_properties?.provider).toBeUndefined();
    expect(service.sandbox.analytics.violations()).toEqual([]);
  });
});
