import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { toSlug } from "../../app/domain/tags/catalog.ts";
import { addToCatalog } from "../support/storefront/tag-catalog.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";
import { assignedTags, beginTagStores, TENANT_KEY } from "../support/storefront/tag-stores.ts";
import { signUp } from "./identity/people.ts";

let service: Service;
let token = "";
let userId = 0;

const change = (body: unknown, key: string | null = token) =>
  service.call("POST", "/ucp/tags", { body, key });
const rowsOf = (shop: string) => assignedTags(service, shop);

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

beforeEach(async () => {
  ({ token, userId } = await beginTagStores(service));
});

describe("POST /ucp/tags", () => {
  it("adds tags as slugs of the category campaign and shows them in the profile and the user's tags", async () => {
    await addToCatalog(service, ["Summer Sale!"]);
    const answer = await change({
      add: ["Summer Sale!", "newsletter_subscribed", "newsletter_2026-11-21"],
    });
    expect(answer.status).toBe(200);
    const tags = ["summer_sale", "newsletter_subscribed", "newsletter_2026_11_21"];
    expect(answer.json).toEqual({
      ok: true,
      tags,
      added: tags,
      removed: [],
      channels: { backend: "ok", storefront: "skipped", cms: "skipped", web_analytics: "skipped" },
    });
    expect(await rowsOf(SHOP)).toEqual(
      tags.map((slug) => ({ slug, category: "campaign", source: "ucp", user_id: userId })),
    );
    const [user] = await service.database.query("SELECT tags FROM storefront_users WHERE id = $1", [
      userId,
    ]);
    expect(user.tags).toEqual(tags);
    const profile = await service.call("GET", "/auth/profile", { key: token });
    expect(profile.json.user.tags).toEqual(tags);
    expect((await service.call("GET", "/auth/me", { key: token })).json.user.tags).toEqual(tags);
    expect(profile.json.tags[0]).toEqual({
      slug: "summer_sale",
      name: "Summer Sale!",
      category: "campaign",
      source: "ucp",
      assigned_at: expect.any(String),
    });
  });

  it("removes tags, also those that are in both lists; adding twice adds once", async () => {
    await addToCatalog(service, ["one", "two", "three"]);
    await change({ add: ["one", "two"] });
    const answer = await change({ add: ["Two", "three", "ONE"], remove: ["two", "never had"] });
    expect(answer.json).toMatchObject({
      tags: ["one", "three"],
      added: ["three"],
      removed: ["two"],
    });
  });

  it("removes none that the operator assigned: they stay until the operator takes them away", async () => {
    const assign = (body: object) =>
      service.call("POST", `/admin/tags/assign?shop=${SHOP}`, {
        body: { user_id: userId, ...body },
        key: TENANT_KEY,
      });
    await assign({ add: ["newsletter_subscribed"] });
    const answer = await change({ add: [], remove: ["newsletter_subscribed"] });
    expect(answer.json).toMatchObject({ tags: ["newsletter_subscribed"], removed: [] });
    const taken = await assign({ add: [], remove: ["newsletter_subscribed"] });
    expect(taken.json).toMatchObject({ tags: [], removed: ["newsletter_subscribed"] });
  });

  it.each(["VIP", "Accepts Marketing", "active", "At Risk"])(
    "rejects the reserved tag %s before and after it is seeded, and writes nothing",
    async (name) => {
      await addToCatalog(service, ["fine"]);
      for (const step of ["unseeded", "seeded"]) {
        if (step === "seeded")
          await service.call("POST", `/admin/init-tag-system?shop=${SHOP}&step=backend`);
        for (const body of [{ add: ["fine", name] }, { remove: [name] }]) {
          const answer = await change(body);
          expect([answer.status, answer.json.code, Object.keys(answer.json.fields)]).toEqual([
            403,
            "tag_reserved",
            [toSlug(name)],
          ]);
        }
      }
      expect(await rowsOf(SHOP)).toEqual([]);
    },
  );

  it.each([
    "wholesale",
    "Tax Exempt",
    "tax_exempt",
    "VIP customer",
    "subscribed",
    "_2026_11_21",
    "news_2026_13_01",
    "news_2026_02_30",
    "accepts_newsletter",
  ])("rejects the unknown tag %s together with the other tags of the request", async (name) => {
    const answer = await change({ add: ["newsletter_subscribed", name] });
    expect([answer.status, answer.json.code, answer.json.fields]).toEqual([
      403,
      "tag_reserved",
      { [toSlug(name)]: "is not in the catalog" },
    ]);
    expect(await service.database.query("SELECT 1 FROM crm_tags")).toEqual([]);
    expect(await rowsOf(SHOP)).toEqual([]);
    expect(
      await service.database.query(
        "SELECT 1 FROM integration_queue WHERE event_type = 'customer.tags_changed'",
      ),
    ).toEqual([]);
  });

  it("accepts the tags of any form, whatever its name and length", async () => {
    const long = `${"waitlist-".repeat(4)}xyz`;
    const answer = await change({
      add: [
        "wholesale_subscribed",
        "wholesale_2026-11-21",
        `${long}_subscribed`,
        `${long}_2026-11-21`,
      ],
    });
    expect(answer.json.tags).toEqual([
      "wholesale_subscribed",
      "wholesale_2026_11_21",
      "waitlist_waitlist_waitlist_wa_subscribed",
      "waitlist_waitlist_waitlist_wa_2026_11_21",
    ]);
  });

  it.each(["tos", "privacy", "cookie", "marketing", "a2a", "AP2"])(
    "rejects the tags of a form named like the consent %s",
    async (form) => {
      for (const name of [`${form}_subscribed`, `${form}_2026-11-21`]) {
        const answer = await change({ add: ["newsletter_subscribed", name] });
        expect([answer.status, answer.json.code, Object.keys(answer.json.fields)]).toEqual([
          400,
          "invalid_request",
          ["add.1"],
        ]);
      }
      expect(await rowsOf(SHOP)).toEqual([]);
    },
  );

  it("rejects a form's tag that would give the customer a reserved tag at the storefront", async () => {
    await addToCatalog(service, ["Accepts net30"], { category: "tier" });
    await addToCatalog(service, ["Accepts mails"]);
    const answer = await change({ add: ["net30_subscribed", "mails_subscribed"] });
    expect([answer.status, answer.json.code, answer.json.fields]).toEqual([
      403,
      "tag_reserved",
      { net30_subscribed: "gives accepts_net30, which is a tier tag" },
    ]);
    expect(await rowsOf(SHOP)).toEqual([]);
    expect((await change({ add: ["mails_subscribed"] })).status).toBe(200);
  });

  it("adds no tag that only another store has", async () => {
    await addToCatalog(service, ["Trail club"], { shop: OTHER_SHOP });
    expect((await change({ add: ["Trail club"] })).json.code).toBe("tag_reserved");
  });

  it("opens the categories that the store lets customers choose", async () => {
    await service.call("POST", `/config?shop=${SHOP}`, {
      body: { self_service_tag_categories: ["tier"] },
    });
    expect((await change({ add: ["vip"] })).status).toBe(200);
    expect((await change({ add: ["anything"] })).json.code).toBe("tag_reserved");
  });

  it.each([
    ["a name of which nothing is left", { add: ["!!!"] }, "add.0"],
    [
      "more than 50 in all",
      {
        add: Array.from({ length: 30 }, (_, at) => `a${at}`),
        remove: Array.from({ length: 21 }, (_, at) => `b${at}`),
      },
      "add",
    ],
    ["a list that is none", { add: "vip" }, "add"],
    ["a name that is no text", { add: [7] }, "add.0"],
  ])("rejects %s", async (_, body, field) => {
    const answer = await change(body);
    expect([answer.status, answer.json.code, Object.keys(answer.json.fields)]).toEqual([
      400,
      "invalid_request",
      [field],
    ]);
    expect(await rowsOf(SHOP)).toEqual([]);
  });

  it("takes 50 in all", async () => {
    const remove = Array.from({ length: 50 }, (_, at) => `b${at}`);
    expect((await change({ remove })).status).toBe(200);
  });

  it("answers `queued` after 5 s when no worker delivers, with the rows stored", async () => {
    await service.call("POST", `/config?shop=${SHOP}`, {
      body: { cms_api_token: "cms-token-0123456789" },
    });
    await addToCatalog(service, ["patience"]);
    const started = performance.now();
    const answer = await change({ add: ["patience"] });
    expect(performance.now() - started).toBeLessThan(6_000);
    expect(answer.json).toMatchObject({
      added: ["patience"],
      channels: { backend: "ok", storefront: "skipped", cms: "queued", web_analytics: "skipped" },
    });
    const rows = await service.database.query(
      "SELECT channel, status, payload FROM integration_queue WHERE event_type = 'customer.tags_changed'",
    );
    expect(rows).toEqual([
      {
        channel: "cms",
        status: "pending",
        payload: {
          user_id: userId,
          cause: "tag_change",
          tags_added: ["patience"],
          tags_removed: [],
        },
      },
    ]);
  });

  it("keeps a person below the storefront's tag limit: deletes only the oldest dated form tags", async () => {
    await addToCatalog(service, [
      "kept_subscribed",
      ...Array.from({ length: 125 }, (_, at) => `tag_${at}`),
      ...Array.from({ length: 5 }, (_, at) => `more_${at}`),
    ]);
    await change({ add: ["kept_subscribed", "news_2020_01_01", "news_2020_01_02"] });
    for (let start = 0; start < 125; start += 25)
      await change({ add: Array.from({ length: 25 }, (_, at) => `tag_${start + at}`) });
    const slugs = (await rowsOf(SHOP)).map(({ slug }) => slug);
    expect(slugs).toHaveLength(128);
    const answer = await change({ add: ["news_2026_11_21"] });
    expect(answer.json).toMatchObject({ added: ["news_2026_11_21"], removed: ["news_2020_01_01"] });
    expect(answer.json.tags).toHaveLength(128);
    // With a form's tag of its own there, 250 of the store's and ours leave room for 127.
    await service.database.query(
      `UPDATE storefront_users SET tags = tags || (SELECT jsonb_agg('Merchant ' || n)
        FROM generate_series(1, 122) AS n) WHERE id = $1`,
      [userId],
    );
    const { json } = await change({ add: ["more_0"] });
    expect(json.removed.sort()).toEqual(["news_2020_01_02", "news_2026_11_21"]);
    expect(json.tags).toHaveLength(127);
    const refused = await change({ add: Array.from({ length: 5 }, (_, at) => `more_${at}`) });
    expect([refused.status, refused.json.code]).toEqual([400, "too_many_tags"]);
    expect(await rowsOf(SHOP)).toHaveLength(127);
  });
});

describe("reading tags", () => {
  it("GET /tags/catalog pages through the store's own tags and marks those a person may choose", async () => {
    await service.call("POST", `/admin/init-tag-system?shop=${SHOP}&step=backend`);
    const first = await service.call("GET", "/tags/catalog?limit=10", { key: token });
    const second = await service.call(
      "GET",
      `/tags/catalog?limit=10&cursor=${first.json.next_cursor}`,
      { key: token },
    );
    const tags = [...first.json.tags, ...second.json.tags];
    expect(second.json.next_cursor).toBeNull();
    expect(tags).toHaveLength(17);
    expect(tags).toContainEqual({
      slug: "vip",
      name: "VIP",
      category: "tier",
      self_service: false,
    });
    expect(tags).toContainEqual({
      slug: "sms_subscribed",
      name: "SMS Subscribed",
      category: "marketing",
      self_service: true,
    });
    const other = await signUp(service, { email: "ada@example.com" }, OTHER_SHOP);
    expect((await service.call("GET", "/tags/catalog", { key: other.token })).json).toEqual({
      tags: [],
      next_cursor: null,
    });
    expect(
      (
        await service.call("GET", `/tags/catalog?cursor=${first.json.next_cursor}`, {
          key: other.token,
        })
      ).status,
    ).toBe(400);
  });

  it("GET /tags/mine shows a merchant's assignment only to a verified customer", async () => {
    await addToCatalog(service, ["mine"]);
    await change({ add: ["mine"] });
    await service.database.query(
      "INSERT INTO crm_tags (shop, name, slug, category) VALUES ($1, 'At Risk', 'at_risk', 'segment')",
      [SHOP],
    );
    await service.database.query(
      `INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT $1, $2, id, 'storefront'
        FROM crm_tags WHERE slug = 'at_risk'`,
      [SHOP, userId],
    );
    const mine = async () =>
      (await service.call("GET", "/tags/mine", { key: token })).json.tags.map(
        ({ slug }: { slug: string }) => slug,
      );
    expect(await mine()).toEqual(["mine"]);
    expect((await service.call("GET", "/segment/current", { key: token })).json).toEqual({
      segment_id: null,
      segments: [],
    });
    await service.database.query("UPDATE storefront_users SET email_verified = true");
    expect(await mine()).toEqual(["mine", "at_risk"]);
    expect((await service.call("GET", "/segment/current", { key: token })).json).toEqual({
      segment_id: null,
      segments: ["at_risk"],
    });
  });
});

describe("POST /segment/assign", () => {
  it("returns the same label every time, stores it, and splits people into two halves", async () => {
    const assign = (experiment: string, key = token) =>
      service.call("POST", "/segment/assign", { body: { experiment }, key });
    const first = await assign("Checkout Button");
    expect(first.json).toEqual({
      ok: true,
      experiment: "checkout_button",
      label: expect.stringMatching(/^[AB]$/),
      segment_id: `checkout_button:${first.json.label}`,
      segments: [],
    });
    expect((await assign("checkout-button")).json).toEqual(first.json);
    expect((await service.call("GET", "/segment/current", { key: token })).json.segment_id).toBe(
      first.json.segment_id,
    );
    const labels = await Promise.all(
      Array.from({ length: 60 }, async (_, at) => (await assign(`experiment ${at}`)).json.label),
    );
    expect(labels.filter((label) => label === "A").length).toBeGreaterThan(12);
    expect(labels.filter((label) => label === "B").length).toBeGreaterThan(12);
  });

  it.each([{}, { experiment: "" }, { experiment: "!!" }, { experiment: 7 }])(
    "rejects %j",
    async (body) => {
      expect((await service.call("POST", "/segment/assign", { body, key: token })).json.code).toBe(
        "invalid_request",
      );
    },
  );
});

describe("POST /admin/tags/assign", () => {
  const assign = (body: unknown, key: string | null = TENANT_KEY, shop = SHOP) =>
    service.call("POST", `/admin/tags/assign?shop=${shop}`, { body, key });

  it.each([
    ["user_id", () => userId],
    ["email", () => "ADA@example.com"],
    ["gid", () => "gid://shopify/Customer/9007199254740993"],
  ])("assigns a tag of any category to the person named by %s", async (name, value) => {
    await service.database.query(
      `UPDATE storefront_users
        SET storefront_customer_gid = 'gid://shopify/Customer/9007199254740993' WHERE id = $1`,
      [userId],
    );
    const answer = await assign({ [name]: value(), add: ["VIP"] });
    expect(answer.json).toMatchObject({ ok: true, user_id: userId, tags: ["vip"], added: ["vip"] });
    expect(await rowsOf(SHOP)).toEqual([
      { slug: "vip", category: "tier", source: "admin", user_id: userId },
    ]);
  });

  it("rejects a missing person, two names for one person, an unknown person and another store's person", async () => {
    const other = await signUp(service, { email: "grace@example.com" }, OTHER_SHOP);
    expect((await assign({ add: ["vip"] })).status).toBe(400);
    expect((await assign({ user_id: userId, email: "ada@example.com", add: ["vip"] })).status).toBe(
      400,
    );
    expect((await assign({ user_id: other.id, add: ["vip"] })).status).toBe(404);
    expect((await assign({ email: "grace@example.com", add: ["vip"] })).status).toBe(404);
    expect([...(await rowsOf(SHOP)), ...(await rowsOf(OTHER_SHOP))]).toEqual([]);
  });
});

describe("POST /admin/init-tag-system", () => {
  const init = (query: string, key: string | null = TENANT_KEY) =>
    service.call("POST", `/admin/init-tag-system?shop=${SHOP}${query}`, { key });

  it("seeds the 17 tags in this store only, and changes nothing the second time", async () => {
    expect((await init("&step=backend")).json).toEqual({
      ok: true,
      step: "backend",
      created: 17,
      existing: 0,
    });
    const rows = await service.database.query("SELECT * FROM crm_tags ORDER BY id");
    expect((await init("&step=backend")).json).toEqual({
      ok: true,
      step: "backend",
      created: 0,
      existing: 17,
    });
    expect(await service.database.query("SELECT * FROM crm_tags ORDER BY id")).toEqual(rows);
    expect(new Set(rows.map(({ shop }) => shop))).toEqual(new Set([SHOP]));
  });

  it.each([
    ["storefront", "storefront_admin_token"],
    ["cms", "cms_api_token"],
  ])("step %s reports that %s is missing", async (step, field) => {
    const answer = await init(`&step=${step}`);
    expect([answer.status, answer.json.code, answer.json.fields]).toEqual([
      409,
      "setting_missing",
      { [field]: "is missing" },
    ]);
  });

  it("without a step runs what it can and reports the rest", async () => {
    const answer = await init("");
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ ok: false, step: "all", created: 17, existing: 0 });
    expect(
      answer.json.steps.map((step: { ok: boolean; step: string; error?: { code: string } }) => [
        step.step,
        step.ok,
        step.error?.code,
      ]),
    ).toEqual([
      ["backend", true, undefined],
      ["storefront", false, "setting_missing"],
      ["cms", false, "setting_missing"],
    ]);
  });

  it("rejects an unknown step", async () => {
    expect((await init("&step=everything")).json.code).toBe("invalid_request");
  });
});

describe("authorization", () => {
  it.each([
    ["POST", "/ucp/tags"],
    ["GET", "/tags/mine"],
    ["GET", "/tags/catalog"],
    ["GET", "/segment/current"],
    ["POST", "/segment/assign"],
  ])("%s %s requires a session of this store", async (method, path) => {
    const body = method === "POST" ? { add: ["x"], experiment: "x" } : undefined;
    const other = await signUp(service, { email: "grace@example.com" }, OTHER_SHOP);
    const keys = [null, TENANT_KEY, other.token];
    for (const key of keys)
      expect((await service.call(method, `${path}?shop=${SHOP}`, { body, key })).status).toBe(401);
    expect((await service.call(method, path, { body, key: null })).status).toBe(401);
    expect(await service.database.query("SELECT 1 FROM crm_tags")).toEqual([]);
  });

  it.each(["/admin/tags/assign", "/admin/init-tag-system"])(
    "POST %s requires an admin key of this store",
    async (path) => {
      for (const [key, shop] of [
        [null, SHOP],
        [token, SHOP],
        [TENANT_KEY, OTHER_SHOP],
      ] as const)
        expect(
          (
            await service.call("POST", `${path}?shop=${shop}`, {
              body: { user_id: userId, add: ["vip"] },
              key,
            })
          ).status,
        ).toBe(401);
      expect(await service.database.query("SELECT 1 FROM crm_tags")).toEqual([]);
    },
  );
});
