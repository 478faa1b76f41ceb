import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_TAGS } from "../../app/domain/tags/catalog.ts";
import { addToCatalog } from "../support/storefront/tag-catalog.ts";
import { eventually, SHOP, startService, type Answer, type Service } from "../support/service.ts";
import {
  taggedStore,
  withoutRuleTags,
  type Person,
  type TaggedStore,
} from "../support/storefront/tagged-store.ts";

let service: Service;
let store: TaggedStore;
let initialised: Answer;
const DEFINITIONS = 6;
/** The tags of a person who joined by three forms. */
const SUBSCRIPTIONS = ["waitlist_subscribed", "waitlist_2026_11_21", "email_subscribed"];
const init = () => service.call("POST", `/admin/init-tag-system?shop=${SHOP}`);

beforeAll(async () => {
  service = await startService({ background: true });
  store = taggedStore(service);
  await store.install(SHOP);
  initialised = await init();
});
afterAll(() => service.stop());

describe("the tag system is initialised", () => {
  it("creates definitions, a collection and items, stores the ids, and creates nothing the second time", async () => {
    expect(initialised.json).toMatchObject({
      ok: true,
      created: 17 + DEFINITIONS + 17,
      existing: 0,
    });
    const config = await service.call("GET", `/config?shop=${SHOP}`);
    const id = config.json.config.cms_tags_collection_id;
    expect(
      service.sandbox.cms.collections().find((collection) => collection.id === id),
    ).toMatchObject({ displayName: "CRM Tags", slug: "crm-tags" });
    expect(
      service.sandbox.cms
        .items(id)
        .map(({ fieldData, isDraft }) => [fieldData.slug, fieldData.category, isDraft]),
    ).toContainEqual(["vip", "tier", true]);
    expect(
      await service.database.query(
        "SELECT 1 FROM crm_tags WHERE shop = $1 AND cms_item_id IS NOT NULL AND slug = ANY($2)",
        [SHOP, DEFAULT_TAGS.map(({ slug }) => slug)],
      ),
    ).toHaveLength(17);
    const { length } = service.sandbox.cms.items(id);
    const second = await init();
    expect(second.json).toMatchObject({ ok: true, created: 0, existing: 17 + DEFINITIONS + 17 });
    expect(service.sandbox.cms.items(id)).toHaveLength(length);
    expect(
      service.sandbox.cms.collections().filter(({ slug }) => slug === "crm-tags"),
    ).toHaveLength(1);
  });

  it("finds the collection of an earlier run whose id was not stored, and stores the items' ids in the tags that it needs", async () => {
    await service.call("POST", `/config?shop=${SHOP}`, { body: { cms_tags_collection_id: null } });
    await service.database.query("DELETE FROM crm_tags WHERE shop = $1", [SHOP]);
    expect(
      (await service.call("POST", `/admin/init-tag-system?shop=${SHOP}&step=cms`)).json,
    ).toEqual({ ok: true, step: "cms", created: 0, existing: 17 });
    const stored = "SELECT 1 FROM crm_tags WHERE shop = $1 AND cms_item_id IS NOT NULL";
    expect(await service.database.query(stored, [SHOP])).toHaveLength(17);
  });

  it.each([
    ["no list", { metafieldDefinitions: null }],
    ["nothing", {}],
  ])("reads no more of an answer than it uses: %s of definitions", async (_, data) => {
    const fields = [{ slug: "category" }, { slug: "tag-refs" }];
    service.sandbox.failNext("cms", {
      status: 200,
      body: { fields },
      match: /\/collections\/\w+$/,
    });
    service.sandbox.failNext("storefront", {
      status: 200,
      body: { data },
      match: "graphql",
    });
    expect((await service.call("POST", `/admin/init-tag-system?shop=${SHOP}`)).json).toMatchObject({
      ok: true,
      created: 0,
      existing: 17 + DEFINITIONS + 17,
    });
  });
});

describe("a CMS that does not describe its collections", () => {
  it.each([
    ["404", { status: 404, body: { message: "not found" } }],
    ["without fields", { status: 200, body: {} }],
  ])("%s still gets a tags collection with all the default tags", async (_how, answer) => {
    await service.call("POST", `/config?shop=${SHOP}`, { body: { cms_tags_collection_id: null } });
    await service.database.query("UPDATE crm_tags SET cms_item_id = NULL WHERE shop = $1", [SHOP]);
    const match = /\/collections\/[^/]+(\/fields)?$/;
    service.sandbox.failNext("cms", { ...answer, match }, Infinity);
    const { json } = await service.call("POST", `/admin/init-tag-system?shop=${SHOP}&step=cms`);
    service.sandbox.clearFaults();
    expect(json).toEqual({ ok: true, step: "cms", created: 0, existing: 17 });
  });
});

describe("a system that stops one step of it", () => {
  const stepsAfter = async () => {
    const { json } = await service.call("POST", `/admin/init-tag-system?shop=${SHOP}`);
    service.sandbox.clearFaults();
    return (json.steps as { error?: { code: string; message: string } }[]).map(
      ({ error }) => error && [error.code, error.message],
    );
  };

  it.each([
    [
      "storefront",
      [undefined, ["storefront_unavailable", expect.stringMatching(/503/)], undefined],
    ],
    ["cms", [undefined, undefined, ["cms_unavailable", expect.stringMatching(/503.*no site/)]]],
  ] as const)("%s is named, and the other steps are done", async (system, steps) => {
    service.sandbox.failNext(system, { status: 503, body: { message: "no site" } }, Infinity);
    expect(await stepsAfter()).toEqual(steps);
  });

  it("defines a field of ours as something else: nothing is defined beside it", async () => {
    const nodes = [{ key: "crm_tags", type: { name: "single_line_text_field" } }];
    service.sandbox.failNext("storefront", {
      status: 200,
      body: { data: { metafieldDefinitions: { nodes } } },
      match: "graphql",
    });
    const calls = service.sandbox.requests("storefront").length;
    expect(await stepsAfter()).toEqual([
      undefined,
      ["conflict", expect.stringContaining("custom.crm_tags")],
      undefined,
    ]);
    expect(service.sandbox.requests("storefront")).toHaveLength(calls + 1);
  });
});

describe("a person changes their own tags", () => {
  let ada: Person;
  beforeAll(async () => {
    ada = await store.signUp(SHOP, "ada@example.com", { consent_cookie: true });
    await addToCatalog(service, [
      "visited",
      "red, green, blue",
      "patience",
      "refused",
      "healing",
      "healed",
      "quiet",
    ]);
  });

  /** A person who has just joined by three forms. */
  const subscriber = async (email: string): Promise<Person> => {
    const person = await store.signUp(SHOP, email, { consent_cookie: true });
    await store.change(person, { add: SUBSCRIPTIONS });
    return person;
  };

  it("reaches backend, storefront, CMS and analytics within one request", async () => {
    const email = "anna@example.com";
    const anna = await store.signUp(SHOP, email, { consent_cookie: true });
    const answer = await store.change(anna, {
      add: ["Waitlist_subscribed", "waitlist_2026-11-21", "email subscribed"],
    });
    expect(answer.json.channels).toEqual({
      backend: "ok",
      storefront: "ok",
      cms: "ok",
      web_analytics: "ok",
    });
    expect(answer.json.tags).toEqual(expect.arrayContaining(SUBSCRIPTIONS));

    const customer = store.customerOf(SHOP, email);
    expect(customer?.tags).toEqual(expect.arrayContaining([...SUBSCRIPTIONS, "accepts_waitlist"]));
    expect(
      JSON.parse(customer?.metafields.find(({ key }) => key === "crm_tags")?.value ?? ""),
    ).toEqual(expect.arrayContaining(SUBSCRIPTIONS));

    const [item] = service.sandbox.cms.items().filter(({ fieldData }) => fieldData.email === email);
    const tagItems = service.sandbox.cms
      .collections()
      .flatMap((collection) =>
        collection.slug === "crm-tags" ? Object.values(collection.items) : [],
      );
    const referred = ((item?.fieldData["tag-refs"] ?? []) as string[]).map(
      (id) => tagItems.find((tag) => tag.id === id)?.fieldData.slug,
    );
    expect(referred).toEqual(expect.arrayContaining(SUBSCRIPTIONS));
    expect(service.sandbox.cms.liveCalls()).toEqual([]);

    expect(store.lastHit().events[0]?.params).not.toHaveProperty("session_id");
    expect(store.lastHit().events[0]).toMatchObject({
      name: "crm_tags_updated",
      params: {
        tags_added: SUBSCRIPTIONS.join(","),
        tags_removed: "",
        campaign_tags: "waitlist_subscribed,waitlist_2026_11_21",
      },
    });
    expect(store.lastHit().user_properties).toMatchObject({
      crm_campaign: { value: "waitlist_subscribed" },
      consent_tos: { value: "granted" },
    });
    expect(store.lastHit().user_properties?.provider).toBeUndefined();
    expect(service.sandbox.analytics.violations()).toEqual([]);
  });

  it("sends to analytics the session of the browser it was made in, and rejects an invalid session", async () => {
    expect(
      (await store.change(ada, { add: ["visited"], ga_session_id: "1732150000" })).json.channels
        .web_analytics,
    ).toBe("ok");
    expect(store.lastHit().events[0]).toMatchObject({
      name: "crm_tags_updated",
      params: { tags_added: "visited", session_id: "1732150000" },
    });
    expect(
      (await store.change(ada, { remove: ["visited"], ga_session_id: "ada@example.com" })).status,
    ).toBe(400);
    await store.change(ada, { remove: ["visited"] });
    expect(service.sandbox.analytics.violations()).toEqual([]);
    await service.sandbox.storefront.echoesSent();
  });

  it("causes nothing further when the storefront's own webhooks arrive", async () => {
    const emma = await subscriber("emma@example.com");
    const before = await store.queued();
    const calls = service.sandbox.requests("storefront").length;
    await service.sandbox.storefront.echoesSent();
    await store.announce(emma.gid);
    await store.announce(emma.gid, store.later());
    expect(await store.queued()).toBe(before);
    expect(
      service.sandbox
        .requests("storefront")
        .slice(calls)
        .map(({ body }) => JSON.stringify(body))
        // The theme's values are written in the background when the store is set up.
        .filter((body) => body.includes("mutation") && !body.includes("AppInstallation")),
    ).toEqual([]);
    expect(await store.held(emma)).toEqual([
      "email_subscribed ucp",
      "waitlist_2026_11_21 ucp",
      "waitlist_subscribed ucp",
    ]);
  });

  it("removes its tags and the form's customer tag, and keeps the merchant's", async () => {
    const email = "ines@example.com";
    const ines = await subscriber(email);
    service.sandbox.storefront.putCustomer(SHOP, {
      gid: ines.gid,
      tags: [...(store.customerOf(SHOP, email)?.tags ?? []), "Wholesale north", "accepts_dogs"],
    });
    const answer = await store.change(ines, { remove: SUBSCRIPTIONS });
    expect(answer.json).toMatchObject({ channels: { storefront: "ok" } });
    expect(withoutRuleTags(answer.json.tags)).toEqual([]);
    const customer = store.customerOf(SHOP, email);
    expect(withoutRuleTags(customer?.tags)).toEqual(["Wholesale north", "accepts_dogs"]);
    expect(customer?.metafields.map(({ key }) => key).sort()).toEqual([
      "crm_consent_marketing",
      "crm_consent_tos",
      "crm_segment",
      "crm_status",
      "crm_tags",
      "crm_tier",
    ]);
  });

  it("leaves a form's customer tag that the store had set before", async () => {
    const dora = await store.signUp(SHOP, "dora@example.com");
    const atStore = () => store.customerOf(SHOP, "dora@example.com")?.tags ?? [];
    service.sandbox.storefront.putCustomer(SHOP, {
      gid: dora.gid,
      tags: [...atStore(), "accepts_dogs"],
    });
    await service.database.query(
      `UPDATE storefront_users SET tags = tags || '["accepts_dogs"]' WHERE id = $1`,
      [dora.id],
    );
    for (const change of [{ add: ["dogs_subscribed"] }, { remove: ["dogs_subscribed"] }])
      expect((await store.change(dora, change)).json.channels.storefront).toBe("ok");
    expect(atStore()).toContain("accepts_dogs");
  });

  it("sends no comma to the storefront, whatever the name", async () => {
    await store.change(ada, { add: ["red, green, blue"] });
    expect(store.customerOf(SHOP, "ada@example.com")?.tags).toContain("red_green_blue");
    const sent = service.sandbox
      .requests("storefront")
      .map(({ body }) => (body as { variables?: { tags?: string[] } }).variables?.tags ?? []);
    expect(sent.flat().filter((tag) => tag.includes(","))).toEqual([]);
  });

  it("does not wait for a hanging CMS, and loses nothing", async () => {
    service.sandbox.failNext("cms", { hang: 7_000 });
    const started = performance.now();
    const answer = await store.change(ada, { add: ["patience"] });
    expect(performance.now() - started).toBeLessThan(6_000);
    expect(answer.json.channels).toEqual({
      backend: "ok",
      storefront: "ok",
      cms: "queued",
      web_analytics: "ok",
    });
    const [row] = await eventually(
      "the CMS row is back in the queue",
      async () => {
        const rows = await service.database.query(
          "SELECT * FROM integration_queue WHERE channel = 'cms' AND status = 'pending'",
        );
        return rows.length === 1 && rows;
      },
      12_000,
    );
    await service.database.query(
      "UPDATE integration_queue SET next_attempt_at = now() WHERE id = $1",
      [row.id],
    );
    await eventually("the CMS has the tag", () =>
      service.sandbox.cms
        .items()
        .some(({ fieldData }) => String(fieldData.tags).includes("patience")),
    );
  }, 30_000);

  it("answers `failed` where a system rejects permanently", async () => {
    service.sandbox.failNext("cms", { status: 403, body: {} });
    expect((await store.change(ada, { add: ["refused"] })).json.channels).toMatchObject({
      cms: "failed",
      storefront: "ok",
    });
  });

  it("repairs the references when a tag's item was deleted by hand", async () => {
    await store.change(ada, { add: ["healing"] });
    const [tag] = await service.database.query(
      "SELECT cms_item_id FROM crm_tags WHERE shop = $1 AND slug = 'healing'",
      [SHOP],
    );
    for (const collection of service.sandbox.cms.collections())
      delete collection.items[tag.cms_item_id];
    expect((await store.change(ada, { add: ["healed"] })).json.channels.cms).toBe("ok");
  });

  it("sends no user properties without analytics consent", async () => {
    const grace = await store.signUp(SHOP, "grace@example.com");
    await store.change(grace, { add: ["quiet"] });
    expect(store.lastHit().events[0]?.name).toBe("crm_tags_updated");
    expect(store.lastHit().user_properties).toBeUndefined();
  });
});

/** The tags of a sign-up without orders. */
const RULE_TAGS = ["active", "prospect", "accepts_tou", "accepts_privacy", "new_customer"];

describe("concurrent changes", () => {
  it("ten for one person are all applied, in every system", async () => {
    const slugs = [...Array.from({ length: 10 }, (_, at) => `burst_${at}`), "burst_all"].sort();
    await addToCatalog(service, slugs);
    const rosa = await store.signUp(SHOP, "rosa@example.com");
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        store.change(rosa, { add: [`burst_${at}`, "burst_all"] }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.filter(({ json }) => json.added.includes("burst_all"))).toHaveLength(1);
    await store.delivered(20_000);
    expect(await store.held(rosa)).toEqual(slugs.map((slug) => `${slug} ucp`));
    expect(store.customerOf(SHOP, "rosa@example.com")?.tags).toEqual(expect.arrayContaining(slugs));
    const [item] = service.sandbox.cms
      .items()
      .filter(({ fieldData }) => fieldData.email === "rosa@example.com");
    expect(item?.fieldData["tag-refs"]).toHaveLength(11 + RULE_TAGS.length);
  }, 40_000);
});
