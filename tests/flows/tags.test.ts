import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enqueue } from "../../app/domain/bus/enqueue.ts";
import { registerWebhooks } from "../../app/domain/tenants/webhook-registration.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";

let service: Service;
const DEFINITIONS = 6;
const ECHOING_SHOP = "echoing-store.myshopify.com";

type Person = { token: string; id: number; gid: string };

async function install(shop: string, fields: Record<string, unknown> = {}): Promise<void> {
  await service.addTenant(shop, { cms_site_id: service.sandbox.cms.siteId, ...fields });
  const grant = service.sandbox.storefront.install(shop);
  await service.call("POST", `/config?shop=${shop}`, { body: { storefront_admin_token: grant.access_token, storefront_refresh_token: grant.refresh_token, storefront_token_expires_at: new Date(Date.now() + 3_600_000).toISOString() } });
}

const customerOf = (shop: string, email: string) => service.sandbox.storefront.customers(shop).find((customer) => customer.email === email);
const settled = async () => (await service.database.query("SELECT 1 FROM integration_queue WHERE status IN ('pending', 'processing', 'ready')")).length === 0;

async function signUp(shop: string, email: string, consents: Record<string, boolean> = {}): Promise<Person> {
  const { json } = await service.call("POST", `/auth/signup?shop=${shop}`, { key: null, body: { email, password: "correct horse", first_name: "Ada", consent_tos: true, consent_privacy: true, ...consents } });
  await eventually("the sign-up arrived everywhere", settled);
  return { token: json.token, id: json.user.id, gid: customerOf(shop, email)?.gid ?? "" };
}

const change = (person: Person, body: unknown) => service.call("POST", "/ucp/tags", { body, key: person.token });
const held = async (person: Person) => (await service.database.query("SELECT t.slug, m.source FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id WHERE m.user_id = $1 ORDER BY t.slug", [person.id])).map(({ slug, source }) => `${slug} ${source}`);
const queued = async () => (await service.database.query("SELECT 1 FROM integration_queue")).length;
const lastHit = () => service.sandbox.analytics.hits().at(-1)?.body as { user_properties?: Record<string, { value: string }>; events: { name: string; params: Record<string, string> }[] };
/** A moment that no write of ours shares its second with. */
const later = (seconds = 5) => new Date(Date.now() + seconds * 1_000).toISOString();

const handled = () => eventually("the webhooks were handled", async () => (await service.database.query("SELECT 1 FROM webhook_inbox WHERE status NOT IN ('done', 'failed')")).length === 0);

/** The storefront's own words on a customer, delivered and handled. */
async function webhook(shop: string, topic: "customers/update", gid: string, options: { triggeredAt?: string } = {}): Promise<void> {
  const uri = `${service.url}/webhooks/customer-update`;
  await service.sandbox.storefront.sendWebhook(shop, topic, gid, { uri, ...options });
  await handled();
}

beforeAll(async () => {
  service = await startService({ background: true });
  await install(SHOP);
  await install(OTHER_SHOP, { cms_api_token: null });
});
afterAll(() => service.stop());

describe("the tag system is prepared", () => {
  it("makes definitions, a collection and items, keeps the ids, and makes nothing the second time", async () => {
    const init = () => service.call("POST", `/admin/init-tag-system?shop=${SHOP}`);
    const first = await init();
    expect(first.json).toMatchObject({ ok: true, created: 17 + DEFINITIONS + 17, existing: 0 });
    const config = await service.call("GET", `/config?shop=${SHOP}`);
    const id = config.json.config.cms_tags_collection_id;
    expect(service.sandbox.cms.collections().find((collection) => collection.id === id)).toMatchObject({ displayName: "CRM Tags", slug: "crm-tags" });
    expect(service.sandbox.cms.items(id).map(({ fieldData, isDraft }) => [fieldData.slug, fieldData.category, isDraft])).toContainEqual(["vip", "tier", true]);
    expect(await service.database.query("SELECT 1 FROM crm_tags WHERE shop = $1 AND cms_item_id IS NOT NULL", [SHOP])).toHaveLength(17);
    const second = await init();
    expect(second.json).toMatchObject({ ok: true, created: 0, existing: 17 + DEFINITIONS + 17 });
    expect(service.sandbox.cms.items(id)).toHaveLength(17);
    expect(service.sandbox.cms.collections().filter(({ slug }) => slug === "crm-tags")).toHaveLength(1);
  });

  it("finds the collection of an earlier run whose id was not kept", async () => {
    await service.call("POST", `/config?shop=${SHOP}`, { body: { cms_tags_collection_id: null } });
    expect((await service.call("POST", `/admin/init-tag-system?shop=${SHOP}&step=cms`)).json).toEqual({ ok: true, step: "cms", created: 0, existing: 17 });
  });
});

describe("a person changes the own tags", () => {
  let ada: Person;
  beforeAll(async () => {
    ada = await signUp(SHOP, "ada@example.com", { consent_cookie: true });
  });

  it("reaches backend, storefront, CMS and analytics within the one request", async () => {
    const answer = await change(ada, { add: ["Waitlist_subscribed", "waitlist_2026-11-21", "email subscribed"] });
    expect(answer.json.channels).toEqual({ backend: "ok", storefront: "ok", cms: "ok", web_analytics: "ok" });
    const slugs = ["waitlist_subscribed", "waitlist_2026_11_21", "email_subscribed"];
    expect(answer.json.tags).toEqual(slugs);

    const customer = customerOf(SHOP, "ada@example.com");
    expect(customer?.tags).toEqual([...slugs, "accepts_waitlist"].sort());
    expect(JSON.parse(customer?.metafields.find(({ key }) => key === "crm_tags")?.value ?? "")).toEqual(slugs);

    const [item] = service.sandbox.cms.items().filter(({ fieldData }) => fieldData.email === "ada@example.com");
    const tagItems = service.sandbox.cms.collections().flatMap((collection) => (collection.slug === "crm-tags" ? Object.values(collection.items) : []));
    const referred = ((item?.fieldData["tag-refs"] ?? []) as string[]).map((id) => tagItems.find((tag) => tag.id === id)?.fieldData.slug);
    expect(referred).toEqual(slugs);
    expect(service.sandbox.cms.liveCalls()).toEqual([]);

    expect(lastHit().events[0]).toMatchObject({ name: "crm_tags_updated", params: { tags_added: slugs.join(","), tags_removed: "", campaign_tags: "waitlist_subscribed,waitlist_2026_11_21" } });
    expect(lastHit().user_properties).toMatchObject({ crm_campaign: { value: "waitlist_subscribed" }, consent_tos: { value: "granted" } });
    expect(lastHit().user_properties?.provider).toBeUndefined();
    expect(service.sandbox.analytics.violations()).toEqual([]);
  });

  it("causes nothing further when the storefront's own webhooks come back", async () => {
    const before = await queued();
    const calls = service.sandbox.requests("storefront").length;
    await service.sandbox.storefront.echoesSent();
    await webhook(SHOP, "customers/update", ada.gid);
    await webhook(SHOP, "customers/update", ada.gid, { triggeredAt: later() });
    expect(await queued()).toBe(before);
    expect(service.sandbox.requests("storefront").slice(calls).filter(({ body }) => JSON.stringify(body).includes("mutation"))).toEqual([]);
    expect(await held(ada)).toEqual(["email_subscribed ucp", "waitlist_2026_11_21 ucp", "waitlist_subscribed ucp"]);
  });

  it("takes its tags back, the form's customer tag and the emptied metafields too, and leaves the merchant's alone", async () => {
    service.sandbox.storefront.putCustomer(SHOP, { gid: ada.gid, tags: [...(customerOf(SHOP, "ada@example.com")?.tags ?? []), "Wholesale north", "accepts_dogs"] });
    const answer = await change(ada, { remove: ["waitlist_subscribed", "waitlist_2026_11_21", "email_subscribed"] });
    expect(answer.json).toMatchObject({ tags: [], channels: { storefront: "ok" } });
    expect(customerOf(SHOP, "ada@example.com")?.tags).toEqual(["Wholesale north", "accepts_dogs"]);
    expect(customerOf(SHOP, "ada@example.com")?.metafields.map(({ key }) => key).sort()).toEqual(["crm_consent_marketing", "crm_consent_tos"]);
  });

  it("sends no comma to the storefront, whatever the name", async () => {
    await change(ada, { add: ["red, green, blue"] });
    expect(customerOf(SHOP, "ada@example.com")?.tags).toContain("red_green_blue");
    const sent = service.sandbox.requests("storefront").map(({ body }) => (body as { variables?: { tags?: string[] } }).variables?.tags ?? []);
    expect(sent.flat().filter((tag) => tag.includes(","))).toEqual([]);
  });

  it("does not wait for a CMS that hangs, and loses nothing", async () => {
    service.sandbox.failNext("cms", { hang: 7_000 });
    const started = performance.now();
    const answer = await change(ada, { add: ["patience"] });
    expect(performance.now() - started).toBeLessThan(6_000);
    expect(answer.json.channels).toEqual({ backend: "ok", storefront: "ok", cms: "queued", web_analytics: "ok" });
    const [row] = await eventually("the CMS row is back in the queue", async () => {
      const rows = await service.database.query("SELECT * FROM integration_queue WHERE channel = 'cms' AND status = 'pending'");
      return rows.length === 1 && rows;
    }, 12_000);
    await service.database.query("UPDATE integration_queue SET next_attempt_at = now() WHERE id = $1", [row.id]);
    await eventually("the CMS has the tag", () => service.sandbox.cms.items().some(({ fieldData }) => String(fieldData.tags).includes("patience")));
  }, 30_000);

  it("answers `failed` where a system refuses for good", async () => {
    service.sandbox.failNext("cms", { status: 403, body: {} });
    expect((await change(ada, { add: ["refused"] })).json.channels).toMatchObject({ cms: "failed", storefront: "ok" });
  });

  it("heals the references when a tag's item was removed by hand", async () => {
    const [tag] = await service.database.query("SELECT cms_item_id FROM crm_tags WHERE shop = $1 AND slug = 'patience'", [SHOP]);
    for (const collection of service.sandbox.cms.collections()) delete collection.items[tag.cms_item_id];
    expect((await change(ada, { add: ["healed"] })).json.channels.cms).toBe("ok");
  });

  it("sends no user properties without analytics consent", async () => {
    const grace = await signUp(SHOP, "grace@example.com");
    await change(grace, { add: ["quiet"] });
    expect(lastHit().events[0]?.name).toBe("crm_tags_updated");
    expect(lastHit().user_properties).toBeUndefined();
  });
});

describe("a merchant assigns tags in the storefront", () => {
  let mary: Person;
  beforeAll(async () => {
    mary = await signUp(SHOP, "mary@example.com");
  });

  it("a tag of our catalogue counts here too, and goes when the merchant takes it away", async () => {
    service.sandbox.storefront.putCustomer(SHOP, { gid: mary.gid, tags: ["VIP", "Wholesale"] });
    await webhook(SHOP, "customers/update", mary.gid, { triggeredAt: later() });
    expect(await held(mary)).toEqual(["vip storefront"]);
    const [user] = await service.database.query("SELECT tags FROM storefront_users WHERE id = $1", [mary.id]);
    expect(user.tags).toEqual(["VIP", "Wholesale"]);
    await eventually("delivered", settled);
    service.sandbox.storefront.putCustomer(SHOP, { gid: mary.gid, tags: ["Wholesale"] });
    await webhook(SHOP, "customers/update", mary.gid, { triggeredAt: later(10) });
    expect(await held(mary)).toEqual([]);
  });

  it("our own tag that the merchant removes stays removed", async () => {
    await change(mary, { add: ["autumn"] });
    service.sandbox.storefront.putCustomer(SHOP, { gid: mary.gid, tags: ["Wholesale"] });
    await webhook(SHOP, "customers/update", mary.gid, { triggeredAt: later(20) });
    expect(await held(mary)).toEqual([]);
    await change(mary, { add: ["winter"] });
    expect(customerOf(SHOP, "mary@example.com")?.tags).toEqual(["Wholesale", "winter"]);
  });

  it("a list that is older than our write takes nothing away", async () => {
    const [{ storefront_tagged_at: taggedAt }] = await service.database.query("SELECT storefront_tagged_at FROM storefront_users WHERE id = $1", [mary.id]);
    service.sandbox.storefront.putCustomer(SHOP, { gid: mary.gid, tags: ["Wholesale"], updatedAt: taggedAt.toISOString() });
    await service.database.query("UPDATE storefront_users SET storefront_updated_at = NULL WHERE id = $1", [mary.id]);
    await webhook(SHOP, "customers/update", mary.gid, { triggeredAt: taggedAt.toISOString() });
    expect(await held(mary)).toEqual(["winter ucp"]);
  });
});

describe("a store whose webhooks are registered", () => {
  it("every echo of our own writes comes back and causes not one further row or call", async () => {
    await install(ECHOING_SHOP);
    await service.call("POST", `/admin/init-tag-system?shop=${ECHOING_SHOP}`);
    await registerWebhooks(service.ctx, ECHOING_SHOP);
    const eve = await signUp(ECHOING_SHOP, "eve@example.com", { consent_marketing: true });
    await change(eve, { add: ["club_subscribed", "spring"] });
    await change(eve, { remove: ["spring"] });
    await service.sandbox.storefront.echoesSent();
    await handled();
    await eventually("delivered", settled);
    const deliveries = service.sandbox.storefront.deliveries(ECHOING_SHOP);
    expect(deliveries.length).toBeGreaterThan(5);
    const rows = await service.database.query("SELECT DISTINCT event_id, event_type FROM integration_queue WHERE shop = $1 AND channel <> 'email'", [ECHOING_SHOP]);
    expect(rows.map((row) => row.event_type).sort()).toEqual(["customer.signed_up", "customer.tags_changed", "customer.tags_changed"]);
    expect(await held(eve)).toEqual(["club_subscribed ucp"]);
    expect(customerOf(ECHOING_SHOP, "eve@example.com")?.tags).toEqual(["accepts_club", "club_subscribed"]);
    const [user] = await service.database.query("SELECT tags FROM storefront_users WHERE id = $1", [eve.id]);
    expect(new Set(user.tags)).toEqual(new Set(["accepts_club", "club_subscribed"]));
  });
});

describe("two stores with the same slug", () => {
  it("have two tags, and a change in one leaves the other as it is", async () => {
    const [here, there] = [await signUp(SHOP, "zoe@example.com"), await signUp(OTHER_SHOP, "zoe@example.com")];
    await change(here, { add: ["shared"] });
    expect((await change(there, { add: ["shared"] })).json.channels).toEqual({ backend: "ok", storefront: "ok", cms: "skipped", web_analytics: "ok" });
    await change(here, { remove: ["shared"] });
    expect(await held(here)).toEqual([]);
    expect(await held(there)).toEqual(["shared ucp"]);
    expect(customerOf(OTHER_SHOP, "zoe@example.com")?.tags).toEqual(["shared"]);
    expect(await service.database.query("SELECT shop FROM crm_tags WHERE slug = 'shared' ORDER BY shop")).toEqual([{ shop: OTHER_SHOP }, { shop: SHOP }]);
  });
});

describe("changes at one moment", () => {
  it("ten at once for one person are all there, in every system", async () => {
    const rosa = await signUp(SHOP, "rosa@example.com");
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => change(rosa, { add: [`burst_${at}`, "burst_all"] })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.filter(({ json }) => json.added.includes("burst_all"))).toHaveLength(1);
    await eventually("delivered", settled, 20_000);
    const slugs = [...Array.from({ length: 10 }, (_, at) => `burst_${at}`), "burst_all"].sort();
    expect(await held(rosa)).toEqual(slugs.map((slug) => `${slug} ucp`));
    expect(customerOf(SHOP, "rosa@example.com")?.tags).toEqual(slugs);
    const [item] = service.sandbox.cms.items().filter(({ fieldData }) => fieldData.email === "rosa@example.com");
    expect(item?.fieldData["tag-refs"]).toHaveLength(11);
  }, 40_000);
});

describe("analytics", () => {
  it("takes an event that its enqueuer named, with the table's parameters only and nothing personal", async () => {
    const noor = await signUp(SHOP, "noor@example.com", { consent_cookie: true });
    const put = (eventId: string, analytics: object) =>
      service.ctx.home.forTenant(SHOP).transaction((sql) =>
        enqueue(sql, { eventId, source: "backend", eventType: "mandate.created", entityType: "customer", entityId: String(noor.id), payload: { user_id: noor.id, analytics }, occurredAt: new Date(), destinations: ["web_analytics"] }),
      );
    await put("named-1", { name: "ucp_mandate_created", params: { mandate_id: "m-1", max_amount: "40.00", currency: "EUR", scope: "x".repeat(101), note: "secret" } });
    await put("named-2", { name: "ucp_mandate_created", params: { mandate_id: "noor@example.com", currency: "EUR" } });
    await put("named-3", { name: "made_up", params: {} });
    await eventually("delivered", settled);
    const events = service.sandbox.analytics.hits().flatMap(({ body }) => (body as { events: { name: string; params: Record<string, unknown> }[] }).events);
    const paramsOf = (id: string) => events.find(({ params }) => params.event_id === id)?.params;
    expect(paramsOf("named-1")).toMatchObject({ mandate_id: "m-1", max_amount: "40.00", currency: "EUR", scope: "" });
    expect(Object.keys(paramsOf("named-2") ?? {}).sort()).toEqual(["currency", "engagement_time_msec", "event_id"]);
    expect(JSON.stringify(events)).not.toContain("secret");
    expect(await service.database.query("SELECT status, last_error FROM integration_queue WHERE event_id = 'named-3'")).toEqual([{ status: "dead_letter", last_error: "unknown analytics event: made_up" }]);
    expect(service.sandbox.analytics.violations()).toEqual([]);
  });


  it("a sign-up carries the provider, a webhook does not", async () => {
    const ida = await signUp(SHOP, "ida@example.com", { consent_cookie: true });
    expect(lastHit().user_properties?.provider).toEqual({ value: "email" });
    service.sandbox.storefront.putCustomer(SHOP, { gid: ida.gid, firstName: "Ida" });
    await webhook(SHOP, "customers/update", ida.gid, { triggeredAt: later() });
    await eventually("delivered", settled);
    expect(lastHit().events[0]).toMatchObject({ name: "crm_sync", params: { source: "storefront_webhook" } });
    expect(lastHit().user_properties?.provider).toBeUndefined();
    expect(service.sandbox.analytics.violations()).toEqual([]);
  });
});
