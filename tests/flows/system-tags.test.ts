// The tags that rules set, from every place that changes a fact to the systems that show tags.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { updateDueTags } from "../../app/domain/customers/system-tags/due-tags.ts";
import { readSubmission } from "../../app/domain/consent/submit/submission.ts";
import {
  writeConsents,
  writeConsentsWithin,
} from "../../app/domain/consent/write/write-consents.ts";
import { findStorefrontPerson } from "../../app/domain/customers/storefront-person.ts";
import type { CustomerPatch } from "../../app/sandbox/storefront/customers.ts";
import { dataOf, getTenant } from "../../app/domain/tenants/tenant.ts";
import { syncAnonymous } from "../support/consent.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../support/service.ts";
import { runStep } from "../support/processes/scheduled-step.ts";
import { taggedStore, type TaggedStore } from "../support/storefront/tagged-store.ts";

let service: Service;
let store: TaggedStore;

beforeAll(async () => {
  service = await startService({ background: true });
  store = taggedStore(service);
  await store.install(SHOP);
  await service.call("POST", `/admin/init-tag-system?shop=${SHOP}&step=backend`);
});
afterAll(() => service.stop());

const assigned = async (email: string, source = "system", shop = SHOP): Promise<string[]> => {
  const rows = await service.database.query(
    `SELECT t.slug FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
      JOIN storefront_users u ON u.shop = m.shop AND u.id = m.user_id
     WHERE u.shop = $1 AND u.email = $2 AND m.source = $3 ORDER BY t.slug`,
    [shop, email, source],
  );
  return rows.map(({ slug }) => slug as string);
};
const settled = async () => {
  await service.sandbox.storefront.echoesSent();
  await store.handled();
  await store.delivered();
};
const putCustomer = async (email: string, fields: CustomerPatch = {}) => {
  const { gid } = service.sandbox.storefront.putCustomer(SHOP, { email, ...fields });
  await store.announce(gid);
};
const SIGNED_UP = ["accepts_privacy", "accepts_tou", "active", "new_customer", "prospect"];

describe("a sign-up", () => {
  it("has its tags at once, and the storefront gets them", async () => {
    const ada = await store.signUp(SHOP, "ada@example.com", { consent_marketing: true });
    expect(await assigned("ada@example.com")).toEqual(["accepts_marketing", ...SIGNED_UP].sort());
    await settled();
    expect(store.customerOf(SHOP, "ada@example.com")?.tags).toEqual(
      expect.arrayContaining(["accepts_marketing", ...SIGNED_UP]),
    );
    expect(ada.id).toBeGreaterThan(0);
  });

  it("that is not proven does not learn the storefront's data from them", async () => {
    const eve = await store.signUp(SHOP, "eve@example.com");
    const mine = await service.call("GET", `/tags/mine?shop=${SHOP}`, { key: eve.token });
    const slugs = mine.json.tags.map(({ slug }: { slug: string }) => slug);
    expect(slugs).toEqual(expect.arrayContaining(["active", "new_customer", "accepts_tou"]));
    expect(slugs).not.toContain("prospect");
  });

  it("of a known customer's address has no tag until it is proven", async () => {
    await putCustomer("known@example.com");
    await store.signUp(SHOP, "known@example.com", { consent_marketing: true });
    const rows = await service.database.query(
      `SELECT 1 FROM user_tag_map m JOIN storefront_users u ON u.shop = m.shop AND u.id = m.user_id
        WHERE u.unproven_email = 'known@example.com'`,
    );
    expect(rows).toEqual([]);
    expect(await assigned("known@example.com")).toEqual(["active", "new_customer", "prospect"]);
  });

  it("in a store without the tag system has none", async () => {
    await store.install(OTHER_SHOP);
    await store.signUp(OTHER_SHOP, "ada@example.com");
    expect(await assigned("ada@example.com", "system", OTHER_SHOP)).toEqual([]);
  });
});

describe("an address that was entered in a form", () => {
  const EMAIL = "typed@example.com";
  const runRules = async () => {
    const { json } = await service.call("POST", `/admin/init-tag-system?shop=${SHOP}&step=backend`);
    expect(json.ok).toBe(true);
    await eventually(
      "the run over all customers has ended",
      async () =>
        (await service.database.query("SELECT 1 FROM tag_runs WHERE finished_at IS NULL"))
          .length === 0,
    );
    await settled();
  };
  const isAnywhere = async () => ({
    tags: await assigned(EMAIL),
    atStore: store.customerOf(SHOP, EMAIL) !== undefined,
    atCms: JSON.stringify(
      service.sandbox.cms.collections().map(({ id }) => service.sandbox.cms.items(id)),
    ).includes(EMAIL),
  });

  it("gets no tags and goes to no system before its owner confirms it, also by a run over all customers", async () => {
    const answer = await syncAnonymous(service, {
      method: "newsletter_form",
      form_type: "newsletter",
      consent_marketing: true,
      email: EMAIL,
    });
    expect(answer.json).toMatchObject({ pending_confirmation: true });
    await runRules();
    await service.call("POST", `/sync/cms?shop=${SHOP}`);
    await settled();
    expect(await isAnywhere()).toEqual({ tags: [], atStore: false, atCms: false });
  });

  it("gets both once its owner has confirmed it", async () => {
    const mail = await eventually("the mail with the link", () =>
      service.sandbox.email.mailsTo(EMAIL).at(-1),
    );
    const link = new URL(/http\S+/.exec(mail.text ?? "")?.[0] ?? "");
    const confirmed = await service.call("POST", `/auth/consent-confirm?shop=${SHOP}`, {
      key: null,
      body: { token: link.searchParams.get("token") },
    });
    expect(confirmed.status).toBe(200);
    await settled();
    expect((await isAnywhere()).tags).toEqual(
      expect.arrayContaining(["accepts_marketing", "active"]),
    );
    expect(store.customerOf(SHOP, EMAIL)?.tags).toContain("accepts_marketing");
  });
});

describe("a consent", () => {
  it("changes its tag in the same request, and every system that shows tags gets it", async () => {
    const ben = await store.signUp(SHOP, "ben@example.com", { consent_marketing: true });
    await settled();
    const answer = await service.call("POST", `/auth/consent-sync?shop=${SHOP}`, {
      key: ben.token,
      body: { consent_marketing: false, consent_cookie: true, method: "banner" },
    });
    expect(answer.status).toBe(200);
    const tags = await assigned("ben@example.com");
    expect(tags).toEqual(expect.arrayContaining(["rejects_marketing", "accepts_cookie"]));
    expect(tags).not.toContain("accepts_marketing");
    await settled();
    const there = store.customerOf(SHOP, "ben@example.com")?.tags ?? [];
    expect(there).toEqual(expect.arrayContaining(["rejects_marketing", "accepts_cookie"]));
    expect(there).not.toContain("accepts_marketing");
    const queued = await service.database.query(
      `SELECT DISTINCT channel FROM integration_queue WHERE event_type = 'customer.tags_changed'
        AND entity_id = $1 ORDER BY channel`,
      [String(ben.id)],
    );
    expect(queued.map(({ channel }) => channel)).toEqual([
      "cms",
      "profile_platform",
      "storefront",
      "web_analytics",
    ]);
  });
});

describe("two opposite consents at the same moment", () => {
  it("leave the tag of the one that was recorded last", async () => {
    const dan = await store.signUp(SHOP, "dan@example.com", { consent_marketing: true });
    const tenant = await getTenant(service.ctx, SHOP);
    const submit = (isGranted: boolean) =>
      readSubmission(
        service.ctx,
        tenant,
        { consent_marketing: isGranted, method: "banner" },
        { userAgent: null, gpc: false },
      );
    const [revoked, granted] = [await submit(false), await submit(true)];
    const subject = { userId: dan.id };
    const second = await dataOf(service.ctx, tenant).transaction(async (sql) => {
      await writeConsentsWithin(service.ctx, tenant, sql, { subject, submission: revoked });
      const written = writeConsents(service.ctx, tenant, { subject, submission: granted });
      await eventually("the second one waits for the first", async () => {
        const waiting = await service.database.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
            AND wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
      return { written };
    });
    await second.written;
    const tags = await assigned("dan@example.com");
    expect(tags).toContain("accepts_marketing");
    expect(tags).not.toContain("rejects_marketing");
  });
});

describe("the storefront's customer", () => {
  it("gets the tags of orders, money and subscriptions, once, and its echo changes nothing", async () => {
    await putCustomer("vip@example.com", {
      numberOfOrders: "3",
      amountSpent: "1200.00",
      emailMarketingState: "SUBSCRIBED",
      tags: ["Wholesale"],
    });
    await settled();
    const tags = await assigned("vip@example.com");
    expect(tags).toEqual(
      expect.arrayContaining(["active", "email_subscribed", "high_value", "returning", "vip"]),
    );
    expect(tags).not.toContain("prospect");
    expect(store.customerOf(SHOP, "vip@example.com")?.tags).toEqual(
      expect.arrayContaining(["Wholesale", "vip", "high_value"]),
    );
    const before = await store.queued();
    await settled();
    expect(await store.queued()).toBe(before);
    expect(await assigned("vip@example.com", "storefront")).toEqual([]);
  });

  it("has the tag of a subscription that came back with our own write", async () => {
    const { gid } = await store.signUp(SHOP, "fay@example.com");
    await settled();
    service.sandbox.storefront.putCustomer(SHOP, { gid, emailMarketingState: "SUBSCRIBED" });
    await store.announce(gid);
    expect(await assigned("fay@example.com")).toContain("email_subscribed");
    await settled();
    expect(store.customerOf(SHOP, "fay@example.com")?.tags).toContain("email_subscribed");
  });

  it("keeps a tag that the store had given before, whatever the rules say", async () => {
    await putCustomer("kept@example.com", { tags: ["VIP"] });
    await settled();
    expect(await assigned("kept@example.com", "storefront")).toEqual(["vip"]);
    expect(await assigned("kept@example.com")).not.toContain("prospect");
    expect(store.customerOf(SHOP, "kept@example.com")?.tags).toContain("VIP");
  });
});

describe("the customer of a stranger's sign-up", () => {
  it("gets an account of its own without the sign-up's tags, here and in the store", async () => {
    const zoe = await store.signUp(SHOP, "zoe@example.com", { consent_marketing: true });
    const { gid } = zoe;
    expect((await store.change(zoe, { add: ["sms_subscribed"] })).json.added).toHaveLength(1);
    await settled();
    const tenant = await getTenant(service.ctx, SHOP);
    await findStorefrontPerson(service.ctx, tenant, gid);
    await settled();
    await store.announce(gid, store.later());
    await settled();
    for (const source of ["storefront", "ucp"])
      expect(await assigned("zoe@example.com", source)).toEqual([]);
    expect(await assigned("zoe@example.com")).toEqual(["active", "new_customer", "prospect"]);
    expect(store.customerOf(SHOP, "zoe@example.com")?.tags.sort()).toEqual([
      "active",
      "new_customer",
      "prospect",
    ]);
  });
});

describe("by hand", () => {
  it("an operator's tag stays and keeps its opposite away, until the operator removes it", async () => {
    await store.signUp(SHOP, "hand@example.com");
    const assign = (body: object) =>
      service.call("POST", `/admin/tags/assign?shop=${SHOP}`, {
        body: { email: "hand@example.com", ...body },
      });
    await assign({ add: ["vip"] });
    expect(await assigned("hand@example.com", "admin")).toEqual(["vip"]);
    expect(await assigned("hand@example.com")).not.toContain("prospect");
    await assign({ remove: ["vip"] });
    expect(await assigned("hand@example.com")).toContain("prospect");
  });

  it("neither the operator nor the shopper removes a rule's tag; the operator may take it over", async () => {
    const cy = await store.signUp(SHOP, "cy@example.com");
    const answer = await service.call("POST", `/admin/tags/assign?shop=${SHOP}`, {
      body: { email: "cy@example.com", remove: ["active"], add: ["new_customer"] },
    });
    expect(answer.json.removed).toEqual([]);
    expect(await assigned("cy@example.com")).toContain("active");
    expect(await assigned("cy@example.com", "admin")).toEqual(["new_customer"]);
    const own = await service.call("POST", `/ucp/tags?shop=${SHOP}`, {
      key: cy.token,
      body: { remove: ["active"] },
    });
    expect([own.status, own.json.code]).toEqual([403, "tag_reserved"]);
  });
});

describe("a shopper's tag of an exclusive pair", () => {
  const choose = (key: string, body: object) =>
    service.call("POST", `/ucp/tags?shop=${SHOP}`, { key, body });

  it("replaces the opposite in the store too, and the event of the change names both", async () => {
    const gil = await store.signUp(SHOP, "gil@example.com");
    await choose(gil.token, { add: ["email_subscribed"] });
    await settled();
    expect(store.customerOf(SHOP, "gil@example.com")?.tags).toContain("email_subscribed");
    await choose(gil.token, { add: ["email_unsubscribed"] });
    await settled();
    const there = store.customerOf(SHOP, "gil@example.com")?.tags;
    expect(there).toContain("email_unsubscribed");
    expect(there).not.toContain("email_subscribed");
    const [last] = await service.database.query(
      `SELECT payload FROM integration_queue WHERE event_type = 'customer.tags_changed'
        AND entity_id = $1 AND channel = 'storefront' ORDER BY id DESC LIMIT 1`,
      [String(gil.id)],
    );
    expect(last?.payload).toMatchObject({
      tags_added: ["email_unsubscribed"],
      tags_removed: ["email_subscribed"],
    });
  });

  it("is not added while a rule sets the opposite", async () => {
    const { gid, token } = await store.signUp(SHOP, "hal@example.com");
    await settled();
    service.sandbox.storefront.putCustomer(SHOP, { gid, emailMarketingState: "SUBSCRIBED" });
    await store.announce(gid);
    const answer = await choose(token, { add: ["email_unsubscribed"] });
    expect([answer.status, answer.json.added, answer.json.removed]).toEqual([200, [], []]);
    expect(await assigned("hal@example.com")).toContain("email_subscribed");
    expect(await assigned("hal@example.com", "ucp")).toEqual([]);
  });
});

describe("time", () => {
  it.each([
    [400, ["at_risk", "inactive"]],
    [200, ["active", "at_risk"]],
  ])(
    "makes a customer who is silent for %i days %j in the scheduled run, and a sign-in brings them back",
    async (days, tags) => {
      const email = `away-${days}@example.com`;
      await store.signUp(SHOP, email);
      await service.database.query(
        `UPDATE storefront_users SET last_login_at = now() - make_interval(days => $2), created_at =
        now() - interval '500 days', number_of_orders = 1, last_active_at = NULL,
        storefront_created_at = NULL, storefront_updated_at = NULL,
        tags_due_at = now() - interval '1 day' WHERE email = $1`,
        [email, days],
      );
      const tenant = await getTenant(service.ctx, SHOP);
      const run = () => runStep(service.ctx, tenant, "system_tags");
      expect(await run()).toMatchObject({ customers: 1, changed: 1 });
      expect(await run()).toEqual({ customers: 0, changed: 0, runs: 0 });
      const away = await assigned(email);
      expect(away).toEqual(expect.arrayContaining(tags));
      expect(away).not.toContain("new_customer");
      const signIn = await service.call("POST", `/auth/login?shop=${SHOP}`, {
        key: null,
        body: { email, password: "correct horse" },
      });
      expect(signIn.status).toBe(200);
      const back = await assigned(email);
      expect(back).toContain("active");
      expect(back).not.toContain("at_risk");
    },
  );
});

describe("the scheduled run", () => {
  const runDue = async () => {
    const tenant = await getTenant(service.ctx, SHOP);
    return updateDueTags(service.ctx, tenant, new AbortController().signal);
  };

  it("reaches a due customer behind any number of deleted ones", async () => {
    await putCustomer("behind@example.com");
    await service.database.query(
      `INSERT INTO storefront_users (shop, status, tags_due_at)
        SELECT $1, 'deleted', now() - interval '9 days' FROM generate_series(1, 500)`,
      [SHOP],
    );
    await service.database.query(
      `UPDATE storefront_users SET storefront_created_at = now() - interval '40 days',
        tags_due_at = now() - interval '1 day' WHERE email = 'behind@example.com'`,
    );
    expect(await runDue()).toEqual({ customers: 1, changed: 1 });
    expect(await assigned("behind@example.com")).not.toContain("new_customer");
  });

  it.each([
    ["created_at", "new_customer", "created_at = now() - interval '31 days'"],
    ["last_login_at", "active", "last_login_at = now() - interval '366 days'"],
  ])(
    "follows when %s is set back by hand, without the time of the next change",
    async (column, tag, set) => {
      const email = `corrected-${column}@example.com`;
      await store.signUp(SHOP, email);
      expect(await assigned(email)).toContain(tag);
      await service.database.query(`UPDATE storefront_users SET ${set} WHERE email = $1`, [email]);
      expect(await runDue()).toEqual({ customers: 1, changed: 1 });
      expect(await assigned(email)).not.toContain(tag);
    },
  );

  it.each([
    ["number_of_orders = 1", "prospect", false],
    ["amount_spent = 1000", "vip", true],
    ["email_subscription_status = 'subscribed'", "email_subscribed", true],
    ["email_subscription_status = 'UNSUBSCRIBED'", "email_unsubscribed", true],
    ["sms_subscription_status = 'SUBSCRIBED'", "sms_subscribed", true],
  ])("follows what another program writes: %s", async (set, tag, isHeld) => {
    const email = `written-${tag}@example.com`;
    await store.signUp(SHOP, email);
    expect((await assigned(email)).includes(tag)).toBe(!isHeld);
    await service.database.query(`UPDATE storefront_users SET ${set} WHERE email = $1`, [email]);
    expect(await runDue()).toEqual({ customers: 1, changed: 1 });
    expect((await assigned(email)).includes(tag)).toBe(isHeld);
    expect(await runDue()).toEqual({ customers: 0, changed: 0 });
  });

  it("does not take our own write for activity of a customer from before the upgrade", async () => {
    await putCustomer("quiet@example.com");
    await settled();
    await service.database.query(
      `UPDATE storefront_users SET last_active_at = NULL, storefront_updated_at =
        now() - interval '400 days', tags_due_at = now() - interval '1 day'
       WHERE email = 'quiet@example.com'`,
    );
    await runDue();
    await settled();
    await service.database.query(
      "UPDATE storefront_users SET tags_due_at = now() WHERE email = 'quiet@example.com'",
    );
    await runDue();
    expect(await assigned("quiet@example.com")).toContain("inactive");
  });
});

describe("the thresholds", () => {
  it("are a setting: a change runs over all customers once, and an invalid one changes nothing", async () => {
    await putCustomer("small@example.com", {
      numberOfOrders: "1",
      amountSpent: "60.00",
    });
    expect(await assigned("small@example.com")).not.toContain("vip");
    const save = (rules: object) =>
      service.call("POST", `/config?shop=${SHOP}`, { body: { tag_rules: rules } });
    expect((await save({ vip_amount: 0 })).status).toBe(400);
    expect((await save({ vip_amount: 50 })).status).toBe(200);
    await eventually("the run tagged the customer", async () =>
      (await assigned("small@example.com")).includes("vip"),
    );
    const runs = () =>
      service.database.query("SELECT 1 FROM tag_runs WHERE shop = $1 AND kind = 'rules'", [SHOP]);
    const before = (await runs()).length;
    await save({ vip_amount: 50 });
    expect((await runs()).length).toBe(before);
    // As after a process that died between the change and its run.
    await service.database.query("DELETE FROM kv WHERE key = 'tag_rules'");
    const tenant = await getTenant(service.ctx, SHOP);
    for (const count of [1, 0])
      expect(await runStep(service.ctx, tenant, "system_tags")).toMatchObject({ runs: count });
    const shown = await service.call("GET", `/config?shop=${SHOP}`);
    expect(shown.json.config.tag_rules).toMatchObject({ vip_amount: 50, vip_orders: 10 });
  });

  it("that are reached earlier bring each customer's next check forward, also where no tag changes", async () => {
    const createdAt = new Date(Date.now() - 100 * 86_400_000).toISOString();
    await putCustomer("stays@example.com", { createdAt });
    const daysUntilDue = async () => {
      const [row] = await service.database.query(
        `SELECT round(extract(epoch FROM tags_due_at - now()) / 86400)::int AS days
          FROM storefront_users WHERE email = 'stays@example.com'`,
      );
      return row.days as number;
    };
    expect(await daysUntilDue()).toBe(365);
    const body = { tag_rules: { inactive_after_days: 300 } };
    expect((await service.call("POST", `/config?shop=${SHOP}`, { body })).status).toBe(200);
    await eventually("the run reached the customer", async () => (await daysUntilDue()) === 300);
  });
});
