// Personal data in messages for analytics, the profile platform and the mail provider.
import { hash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { profilePlatformChannel } from "../../app/domain/channels/profile-platform.ts";
import { toUserPropertyValue } from "../../app/domain/channels/web-analytics/limits.ts";
import { getTenant } from "../../app/domain/tenants/tenant.ts";
import { SECRETS, startChannelApp, type ChannelApp } from "../support/bus/channels.ts";
import { addCustomer } from "../support/bus/queue.ts";
import { SHOP } from "../support/service.ts";

const OTHER = "other-store.myshopify.com";
const PERSONAL = /ann|example\.com|Example|\+49/i;
let app: ChannelApp;

beforeAll(async () => {
  app = await startChannelApp();
});
afterAll(() => app.stop());
beforeEach(() => app.reset());

type Hit = {
  client_id: string;
  user_id?: string;
  user_properties?: Record<string, { value: string }>;
  consent: Record<string, string>;
  events: { name: string; params: Record<string, unknown> }[];
};
const hits = () => app.service.sandbox.analytics.hits().map(({ body }) => body as Hit);

async function tag(
  shop: string,
  userId: number,
  tags: [slug: string, category: string][],
): Promise<void> {
  for (const [slug, category] of tags) {
    const [row] = await app.service.database.query(
      "INSERT INTO crm_tags (shop, name, slug, category) VALUES ($1, $2, $2, $3) RETURNING id",
      [shop, slug, category],
    );
    await app.service.database.query(
      "INSERT INTO user_tag_map (shop, user_id, tag_id, source) VALUES ($1, $2, $3, 'system')",
      [shop, userId, row.id],
    );
  }
}

async function hitOf(userId: number, shop = SHOP): Promise<Hit> {
  const before = hits().length;
  expect(await app.settled(await app.send("web_analytics", userId, { shop }))).toMatchObject({
    status: "delivered",
  });
  return hits()[before] as Hit;
}

describe("web analytics", () => {
  test("user properties are sent only with analytics consent; the event is sent without them", async () => {
    const refused = await hitOf(await addCustomer(app.service.database, SHOP, { marketing: true }));
    expect(refused.user_properties).toBeUndefined();
    expect(refused.events).toMatchObject([{ name: "crm_sync" }]);
    const granted = await hitOf(
      await addCustomer(app.service.database, SHOP, { email: "b@example.com", cookie: true }),
    );
    expect(Object.keys(granted.user_properties ?? {}).sort()).toEqual([
      "consent_marketing",
      "consent_tos",
      "crm_campaign",
      "crm_segment",
      "crm_status",
      "crm_tags",
      "crm_tier",
    ]);
    expect(granted.consent).toEqual({ ad_user_data: "DENIED", ad_personalization: "DENIED" });
    expect(refused.consent).toEqual({ ad_user_data: "GRANTED", ad_personalization: "GRANTED" });
  });

  test("values are whole slugs of at most 36 characters, and the product's limits hold", async () => {
    const userId = await addCustomer(app.service.database, SHOP, { cookie: true });
    const slugs = [
      "active",
      "vip",
      ...Array.from({ length: 30 }, (_, n) => `newsletter_2026_${n}`),
    ];
    await tag(
      SHOP,
      userId,
      slugs.map((slug, n) => [
        slug,
        ["status", "tier", "segment", "campaign"][Math.min(n, 3)] as string,
      ]),
    );
    const { user_properties: properties = {} } = await hitOf(userId);
    for (const { value } of Object.values(properties)) {
      expect(value.length).toBeLessThanOrEqual(36);
      expect(
        value.split(",").filter((slug) => slug && ![...slugs, "granted", "denied"].includes(slug)),
      ).toEqual([]);
    }
    expect(properties.crm_tags?.value).toBe("active,vip,newsletter_2026_0");
    expect(app.service.sandbox.analytics.violations()).toEqual([]);
  });

  test.each([
    [["a".repeat(36)], "a".repeat(36)],
    [["a".repeat(37)], ""],
    [["a".repeat(18), "b".repeat(17)], `${"a".repeat(18)},${"b".repeat(17)}`],
    [["a".repeat(18), "b".repeat(18)], "a".repeat(18)],
    [[], ""],
  ])("a value of %j is cut at a slug's boundary", (slugs, value) => {
    expect(toUserPropertyValue(slugs)).toBe(value);
  });

  test("nothing personal is sent, nor an id by which the storefront or the service knows the person", async () => {
    const userId = await addCustomer(app.service.database, SHOP, { cookie: true });
    await app.service.database.query(
      `UPDATE storefront_users
        SET storefront_customer_gid = 'gid://shopify/Customer/706405506930370084', country = 'DE' WHERE id = $1`,
      [userId],
    );
    const hit = await hitOf(userId);
    expect(JSON.stringify(hit)).not.toMatch(PERSONAL);
    expect(JSON.stringify(hit)).not.toContain("706405506930370084");
    expect(hit.user_id).toBeUndefined();
  });

  test("events of one person have one client id in the product's format; people and stores differ", async () => {
    await app.service.addTenant(OTHER, { ...SECRETS, email_from: "Other <a@b.example>" });
    const first = await addCustomer(app.service.database, SHOP);
    const second = await addCustomer(app.service.database, SHOP, { email: "b@example.com" });
    const twin = await addCustomer(app.service.database, OTHER);
    await app.service.database.query("DELETE FROM user_claims WHERE user_id = $1", [twin]);
    await app.service.database.query(
      "UPDATE storefront_users SET id = $2 WHERE shop = $3 AND id = $1",
      [twin, first, OTHER],
    );
    const ids = [
      (await hitOf(first)).client_id,
      (await hitOf(first)).client_id,
      (await hitOf(second)).client_id,
      (await hitOf(first, OTHER)).client_id,
    ];
    expect(ids[0]).toMatch(/^\d+\.\d+$/);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
  });
});

describe("the profile platform", () => {
  test("receives the SHA-256 of the lower-case address and nothing else that is personal", async () => {
    const userId = await addCustomer(app.service.database, SHOP, { email: "Ann@Example.com" });
    const row = await app.settled(await app.send("profile_platform", userId));
    expect(row.status).toBe("delivered");
    const profile = app.service.sandbox.profilePlatform.profile(
      `Email_LC_SHA256:${hash("sha256", "ann@example.com")}`,
    );
    expect(profile).toBeDefined();
    const sent = app.service.sandbox.requests("profilePlatform").at(-1);
    expect(JSON.stringify([sent?.body, row.transformed_payload])).not.toMatch(PERSONAL);
  });

  test("receives nothing until the store enables it, even when a destination list names it", async () => {
    await app.service.call("POST", `/config?shop=${SHOP}`, {
      body: { profile_platform_enabled: false, enabled_channels: ["profile_platform"] },
    });
    expect(profilePlatformChannel.isEnabled(await getTenant(app.service.ctx, SHOP))).toBe(false);
    const before = app.calls("profile_platform");
    expect(
      await app.settled(
        await app.send("profile_platform", await addCustomer(app.service.database, SHOP)),
      ),
    ).toMatchObject({ status: "dead_letter", last_error: expect.stringContaining("not enabled") });
    expect(app.calls("profile_platform")).toBe(before);
  });

  test("a customer without an address is skipped", async () => {
    const before = app.calls("profile_platform");
    expect(
      await app.settled(
        await app.send(
          "profile_platform",
          await addCustomer(app.service.database, SHOP, { email: null }),
        ),
      ),
    ).toMatchObject({ status: "delivered" });
    expect(app.calls("profile_platform")).toBe(before);
  });

  test("the same change twice after a lost response leaves one profile", async () => {
    app.service.sandbox.failNext("profilePlatform", { dropReply: true });
    const eventId = await app.send(
      "profile_platform",
      await addCustomer(app.service.database, SHOP, { email: "once@example.org" }),
    );
    await app.settled(eventId);
    expect((await app.retry(eventId)).status).toBe("delivered");
    const sent = app.service.sandbox.profilePlatform
      .messages()
      .filter(({ entity }) => entity._id === eventId);
    expect(sent.length).toBe(2);
    expect(new Set(sent.map(({ entity }) => JSON.stringify(entity.identityMap))).size).toBe(1);
  });
});

describe("mail", () => {
  test("a lost response does not send the welcome mail twice, and the mailed link is valid", async () => {
    const email = `welcome-${Math.random()}@example.org`;
    app.service.sandbox.failNext("email", { dropReply: true });
    const userId = await addCustomer(app.service.database, SHOP, { email });
    const eventId = await app.send("email", userId);
    expect(await app.settled(eventId)).toMatchObject({ status: "pending", retry_count: 1 });
    expect(await app.retry(eventId)).toMatchObject({ status: "delivered" });
    const mails = app.service.sandbox.email.mailsTo(email);
    expect(mails).toHaveLength(1);
    const token = /token=([\w-]+)/.exec(mails[0]?.text ?? "")?.[1] ?? "";
    const [link] = await app.service.database.query(
      "SELECT value, expires_at > clock_timestamp() AS live FROM kv WHERE key = $1",
      [`password_link:${hash("sha256", token)}`],
    );
    expect(link).toEqual({
      value: { user_id: userId, epoch: null, email_hmac: expect.stringMatching(/^[0-9a-f]{64}$/) },
      live: true,
    });
  });

  test("a name with a line break or markup adds no header and no element", async () => {
    const email = `odd-${Math.random()}@example.org`;
    await app.settled(
      await app.send(
        "email",
        await addCustomer(app.service.database, SHOP, {
          email,
          firstName: "A\r\nBcc: x@y.z <b>",
        }),
      ),
    );
    const [mail] = app.service.sandbox.email.mailsTo(email);
    expect(mail?.subject).not.toMatch(/[\r\n]/);
    expect(mail?.html).not.toContain("<b>");
  });
});
