// Region rules at the platform, and customers' decisions written back to the store: against the sandbox's
// Admin API, which asks for the scopes and refuses as the platform does.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  disablePlatformBanner,
  readRegionPolicies,
  writeRegionPolicies,
} from "../../../app/domain/consent/region-policies.ts";
import { toSubmission } from "../../../app/domain/consent/consent-input.ts";
import { writeConsents } from "../../../app/domain/consent/write/write-consents.ts";
import { fetchCustomer } from "../../../app/domain/customers/refetch.ts";
import { applyStorefrontChange } from "../../../app/domain/customers/from-storefront.ts";
import type { CustomerChange } from "../../../app/domain/customers/customer-change.ts";
import { saveRegionRules } from "../../../app/domain/merchant/region-rules.ts";
import {
  REGION_GROUPS,
  REGION_PRESETS,
  type ConsentRegions,
} from "../../../app/domain/tenants/consent-regions.ts";
import { versionOf } from "../../../app/domain/tenants/settings/field-versions.ts";
import { clearAccount } from "../../../app/domain/identity/clear-account.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { addCustomer } from "../../support/bus/queue.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { installStore } from "../../support/storefront/synced-store.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ background: true });
  for (const shop of [SHOP, OTHER_SHOP]) await installStore(service, shop);
});
afterAll(() => service.stop());

const tenant = (shop = SHOP) => getTenant(service.ctx, shop);
const read = async () => readRegionPolicies(service.ctx, await tenant());
const RULES = { ...REGION_PRESETS.recommended, exceptions: [] };

describe("the store's region rules", () => {
  it("need a scope, then the platform's own banner off, and are then written once", async () => {
    const save = async (version?: string, rules: ConsentRegions | null = RULES) =>
      saveRegionRules(service.ctx, await tenant(), {
        rules,
        version: version ?? versionOf(service.ctx, await tenant(), "consent_regions"),
      });
    const before = versionOf(service.ctx, await tenant(), "consent_regions");
    // Without rules of its own nothing is written.
    expect(await save(undefined, null)).toEqual({ outcome: "written", count: 0 });
    expect(await save()).toEqual({ outcome: "not_allowed" });
    expect((await tenant()).config.consent_regions).toEqual(RULES);
    expect(await save(before)).toEqual({ outcome: "not_allowed" });
    const others = { ...REGION_PRESETS.strict, exceptions: [] };
    await expect(save(before, others)).rejects.toMatchObject({ code: "conflict" });
    expect((await tenant()).config.consent_regions).toEqual(RULES);
    expect(await read()).toMatchObject({ state: "not_allowed" });

    await service.sandbox.storefront.grantScopes(SHOP, ["write_privacy_settings"]);
    expect(await writeRegionPolicies(service.ctx, SHOP)).toEqual({ outcome: "banner_on" });
    expect(await read()).toMatchObject({
      state: "known",
      hasPlatformBanner: true,
      differing: expect.arrayContaining(["BR", "CA-QC", "US-OR"]),
    });
    expect(await disablePlatformBanner(service.ctx, SHOP)).toMatchObject({ outcome: "written" });
    expect(await read()).toMatchObject({
      hasPlatformBanner: false,
      differing: [],
      applied: expect.arrayContaining([
        { name: "eea", modes: [{ mode: "opt_in", count: REGION_GROUPS.eea.length }] },
        { name: "us_states", modes: [{ mode: "opt_out", count: REGION_GROUPS.us_states.length }] },
      ]),
    });
    expect(await writeRegionPolicies(service.ctx, SHOP)).toEqual({ outcome: "written", count: 0 });
    expect(await readRegionPolicies(service.ctx, await tenant(OTHER_SHOP))).toMatchObject({
      state: "not_allowed",
    });
  });

  it("of two changes at the same moment the later is the platform's, also when the earlier one is written last", async () => {
    const shop = "ruled-store.myshopify.com";
    await installStore(service, shop);
    await service.sandbox.storefront.grantScopes(shop, ["write_privacy_settings"]);
    await disablePlatformBanner(service.ctx, shop);
    const set = (rules: ConsentRegions) =>
      service.call("POST", `/config?shop=${shop}`, { body: { consent_regions: rules } });
    await set({ ...REGION_PRESETS.europe, exceptions: [] });
    let release!: () => void;
    const replyAfter = new Promise<void>((done) => (release = done));
    const before = service.sandbox.requests("storefront").length;
    service.sandbox.failNext("storefront", { replyAfter, match: /graphql/ });
    const earlier = writeRegionPolicies(service.ctx, shop);
    await eventually("the earlier one to read", async () =>
      service.sandbox.requests("storefront").length > before ? true : undefined,
    );
    await set({ ...REGION_PRESETS.strict, exceptions: [] });
    expect(await writeRegionPolicies(service.ctx, shop)).toMatchObject({ outcome: "written" });
    release();
    expect(await earlier).toMatchObject({ outcome: "written" });
    expect(await readRegionPolicies(service.ctx, await tenant(shop))).toMatchObject({
      differing: [],
    });
  });

  it("hostile and damaged rules are refused, and say which", async () => {
    const save = (rules: unknown) =>
      service.call("POST", `/config?shop=${OTHER_SHOP}`, { body: { consent_regions: rules } });
    for (const exceptions of [
      [{ region: "</script>", mode: "none" }],
      [{ region: "JP", mode: "maybe" }],
      [
        { region: "JP", mode: "none" },
        { region: "jp", mode: "opt_in" },
      ],
    ])
      expect((await save({ ...RULES, exceptions })).status).toBe(400);
    expect((await save({ ...RULES, mars: "none" })).status).toBe(400);
    expect((await tenant(OTHER_SHOP)).saved.consent_regions).toBeUndefined();
  });
});

describe("a customer's decision", () => {
  let count = 0;
  async function customer(patch: object = {}): Promise<{ userId: number; gid: string }> {
    const email = `ada-${(count += 1)}@example.com`;
    const { gid } = service.sandbox.storefront.putCustomer(SHOP, {
      email,
      phone: `+4930123456${count}`,
      ...patch,
    });
    const userId = await addCustomer(service.database, SHOP, { email });
    await service.database.query(
      "UPDATE storefront_users SET storefront_customer_gid = $2, email_verified = true WHERE id = $1",
      [userId, gid],
    );
    return { userId, gid };
  }
  async function subscriber(): Promise<{ userId: number; gid: string }> {
    const person = await customer({
      emailMarketingState: "SUBSCRIBED",
      emailMarketingUpdatedAt: "2026-01-01T00:00:00Z",
      smsMarketingState: "SUBSCRIBED",
      smsMarketingUpdatedAt: "2026-01-01T00:00:00Z",
    });
    await service.database.query(
      `UPDATE storefront_users SET email_subscription_status = 'subscribed',
        sms_subscription_status = 'subscribed' WHERE id = $1`,
      [person.userId],
    );
    return person;
  }
  const decide = async (userId: number, method: string, isGranted: boolean, gpc = false) =>
    writeConsents(service.ctx, await tenant(), {
      subject: { userId },
      submission: toSubmission(
        { consent_marketing: isGranted, method },
        {
          consentId: crypto.randomUUID(),
          userAgent: null,
          gpc,
          consentVersion: null,
          policyHash: null,
        },
      ),
    });
  const there = (gid: string) => service.sandbox.storefront.customer(SHOP, gid);
  const idle = () =>
    eventually("an empty queue", async () => {
      const [row] = await service.database.query(
        "SELECT count(*)::int AS open FROM integration_queue WHERE status IN ('pending', 'processing', 'ready')",
      );
      return row?.open === 0;
    });
  const rowsOf = (userId: number) =>
    service.database.query(
      "SELECT action, method FROM consent_records WHERE user_id = $1 AND consent_type = 'marketing' ORDER BY seq",
      [userId],
    );

  it("about marketing subscribes and unsubscribes at the store; a banner subscribes nobody", async () => {
    const { userId, gid } = await customer();
    await decide(userId, "banner", true);
    await idle();
    expect(there(gid)?.emailMarketingState).toBe("NOT_SUBSCRIBED");
    await decide(userId, "dashboard", false);
    await decide(userId, "dashboard", true);
    await eventually("the subscription", () => there(gid)?.emailMarketingState === "SUBSCRIBED");
    await idle();
    expect(there(gid)?.smsMarketingState).toBe("NOT_SUBSCRIBED");
    service.sandbox.storefront.putCustomer(SHOP, {
      gid,
      smsMarketingState: "SUBSCRIBED",
      smsMarketingUpdatedAt: "2026-01-01T00:00:00Z",
    });
    await decide(userId, "dashboard", false);
    await eventually("the end", () => there(gid)?.smsMarketingState === "UNSUBSCRIBED");
    expect(there(gid)?.emailMarketingState).toBe("UNSUBSCRIBED");
    await idle();
    expect(await rowsOf(userId)).toHaveLength(4);
  });

  it("against marketing on the privacy page unsubscribes at the store; one in favour subscribes nobody", async () => {
    const { userId, gid } = await subscriber();
    await decide(userId, "banner", false);
    await idle();
    expect(there(gid)?.emailMarketingState).toBe("SUBSCRIBED");
    await decide(userId, "compliance-page", true);
    await decide(userId, "compliance-page", false);
    await eventually("the end by SMS", () => there(gid)?.smsMarketingState === "UNSUBSCRIBED");
    expect(there(gid)?.emailMarketingState).toBe("UNSUBSCRIBED");
    await idle();
    await decide(userId, "compliance-page", true);
    await idle();
    expect(there(gid)?.emailMarketingState).toBe("UNSUBSCRIBED");
  });

  it("that Global Privacy Control makes on the privacy page ends no subscription by mail", async () => {
    const { userId, gid } = await subscriber();
    await decide(userId, "compliance-page", false, true);
    await eventually("the objection", () => there(gid)?.dataSaleOptOut === true);
    await idle();
    expect(there(gid)?.emailMarketingState).toBe("SUBSCRIBED");
  });

  it("about marketing is followed by the tag of its state, here and at the store", async () => {
    await service.call("POST", `/admin/init-tag-system?shop=${SHOP}`);
    const { userId, gid } = await customer();
    for (const [isGranted, tag] of [
      [true, "email_subscribed"],
      [false, "email_unsubscribed"],
      [true, "email_subscribed"],
    ] as const) {
      await decide(userId, "dashboard", isGranted);
      await eventually(`the tag ${tag}`, async () => {
        const held = await service.database.query(
          `SELECT t.slug FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
           WHERE m.user_id = $1 AND t.slug LIKE 'email\\_%'`,
          [userId],
        );
        const shown = there(gid)?.tags.filter((name) => name.startsWith("email_"));
        return held.length === 1 && held[0].slug === tag && shown?.join() === tag;
      });
    }
  });

  it("that reaches the store while the account is deleted leaves nothing in the emptied row", async () => {
    const { userId, gid } = await customer();
    service.sandbox.failNext("storefront", { delayMs: 200, match: "graphql" }, 20);
    await decide(userId, "dashboard", true);
    await eventually("the call", () =>
      service.sandbox.requests("storefront").some(({ body }) => {
        const text = JSON.stringify(body);
        return text.includes("EmailMarketingConsentUpdate") && text.includes(gid);
      }),
    );
    const region = service.ctx.regions.get("default");
    await region
      .forTenant(SHOP)
      .transaction((sql, prisma) => clearAccount({ sql, prisma }, userId));
    await eventually("the subscription", () => there(gid)?.emailMarketingState === "SUBSCRIBED");
    await idle();
    service.sandbox.clearFaults();
    expect(
      await service.database.query(
        "SELECT status, email_subscription_status FROM storefront_users WHERE id = $1",
        [userId],
      ),
    ).toEqual([{ status: "deleted", email_subscription_status: null }]);
  });

  it("does not undo a newer one at the store", async () => {
    const { userId, gid } = await customer({
      emailMarketingState: "UNSUBSCRIBED",
      emailMarketingUpdatedAt: "2099-01-01T00:00:00Z",
    });
    await decide(userId, "dashboard", true);
    await idle();
    expect(there(gid)?.emailMarketingState).toBe("UNSUBSCRIBED");
  });

  it("against the sale of data reaches the store, and one made there is recorded here once", async () => {
    const one = await customer();
    await decide(one.userId, "sale-opt-out", false);
    await eventually("the objection", () => there(one.gid)?.dataSaleOptOut === true);
    const other = await customer({ dataSaleOptOut: true });
    const apply = async (change: CustomerChange) =>
      applyStorefrontChange(service.ctx, await tenant(), change, {
        eventId: crypto.randomUUID(),
        eventType: "customer.updated",
      });
    for (const { gid } of [other, other, one])
      await apply((await fetchCustomer(service.ctx, await tenant(), gid)) as CustomerChange);
    expect(await rowsOf(other.userId)).toEqual([
      { action: "revoked", method: "storefront-sale-opt-out" },
    ]);
    expect(await rowsOf(one.userId)).toHaveLength(1);
  });

  it("in favour of marketing stands when the store's objection is older, also of a customer who is new here", async () => {
    const { gid } = service.sandbox.storefront.putCustomer(SHOP, {
      email: "objector@example.com",
      dataSaleOptOut: true,
    });
    const apply = async () =>
      applyStorefrontChange(
        service.ctx,
        await tenant(),
        (await fetchCustomer(service.ctx, await tenant(), gid)) as CustomerChange,
        { eventId: crypto.randomUUID(), eventType: "customer.updated" },
      );
    const { userId } = await apply();
    await decide(userId as number, "dashboard", true);
    await apply();
    expect(await rowsOf(userId as number)).toEqual([
      { action: "revoked", method: "storefront-sale-opt-out" },
      { action: "granted", method: "dashboard" },
    ]);
  });
});
