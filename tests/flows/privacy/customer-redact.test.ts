import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  recordConsent,
  chainHash,
  CHAIN_START,
} from "../../../app/domain/consent/record-consent.ts";
import { sealSubject } from "../../../app/domain/compliance/requests/privacy-requests.ts";
import { isDeletedHere } from "../../../app/domain/customers/tombstones.ts";
import {
  ADA,
  expectNowhere,
  findEverywhere,
  privacy,
  redactBody,
  settled,
  seedPersonEverywhere,
  startPrivacyService,
  redact,
} from "../../support/privacy.ts";
import { customerPayload, CUSTOMER_2024_10 } from "../../support/storefront/payloads.ts";
import { eventually, OTHER_SHOP, SHOP, type Service } from "../../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startPrivacyService();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
});
afterAll(() => service.stop());

const digitsOnly = (raw: string) => raw.replaceAll("706405506930370084", ADA.id);
const webhookOf = (email: string) =>
  digitsOnly(
    customerPayload(
      { email: JSON.stringify(email), first_name: '"Ada"', last_name: '"Lovelace"' },
      CUSTOMER_2024_10,
    ),
  )
    .replaceAll("Bob Biller", "Ada Lovelace")
    .replaceAll('"Biller"', '"Lovelace"');

async function consent(shop: string, userId: number): Promise<void> {
  await service.ctx.home.forTenant(shop).transaction((sql) =>
    recordConsent(
      sql,
      { connection: {} },
      ["tos", "privacy"].map((consentType) => ({
        userId,
        consentType,
        action: "granted",
        method: "signup",
        consentId: "c-1",
        timestamp: "2026-01-01T00:00:00Z",
      })),
    ),
  );
}

/** The place of a row that no append wrote, far behind the chain. */
const UNCHAINED = 1_000_000;
const chained = (shop: string) =>
  service.database.query(
    "SELECT * FROM consent_records WHERE shop = $1 AND seq < $2 ORDER BY seq",
    [shop, UNCHAINED],
  );

async function expectValidChain(shop: string, rows: number): Promise<void> {
  const records = await chained(shop);
  expect(records).toHaveLength(rows);
  let previous = CHAIN_START;
  for (const row of records) {
    const entry = {
      userId: row.user_id,
      visitorId: row.visitor_id,
      consentType: row.consent_type,
      action: row.action,
      method: row.method,
      consentVersion: row.consent_version,
      consentId: row.consent_id,
      userAgent: row.user_agent,
      gaSessionId: row.ga_session_id,
      timestamp: row.timestamp,
      formType: row.form_type,
      sourcePage: row.source_page,
      policyHash: row.policy_hash,
      gpc: row.gpc,
    };
    expect(row.prev_hash).toBe(previous);
    expect(row.hash).toBe(chainHash(previous, Number(row.seq), entry, row.created_at));
    previous = row.hash;
  }
}

describe("customers/redact", () => {
  it.each([
    ["the storefront's id", { id: ADA.id }],
    ["the address, spelled otherwise", { email: ADA.email.toUpperCase() }],
    ["the phone number, written otherwise", { phone: "+442079460018" }],
    ["all three", { id: ADA.id, email: ADA.email, phone: ADA.phone }],
  ])(
    "found by %s, leaves address, name and phone nowhere in the database or the archive",
    async (_, named) => {
      const before = (await chained(SHOP)).length;
      const archived = await service.objects.list("");
      const userId = await seedPersonEverywhere(service, SHOP);
      await consent(SHOP, userId);
      const answer = await privacy(service, "customer-redact", redactBody(named));
      expect(answer.status).toBe(200);
      const request = await settled(service, answer.json.request_id);
      expect(request).toMatchObject({
        state: "done",
        payload: {},
        evidence: { residual: 0, consent_records_kept: 2 },
      });
      await expectNowhere(service);
      const [user] = await service.database.query(
        "SELECT * FROM storefront_users WHERE shop = $1 AND id = $2",
        [SHOP, userId],
      );
      expect(user).toMatchObject({
        status: "deleted",
        email: null,
        full_name: null,
        storefront_customer_gid: null,
        phone_hash: null,
        storefront_name_hash: null,
        password_hash: "",
        federated_sub: null,
        tags: [],
        storefront_slugs: [],
        storefront_tagged_at: null,
      });
      expect(
        await service.database.query("SELECT action FROM access_log WHERE user_id = $1", [userId]),
      ).toEqual([{ action: "viewed" }]);
      for (const table of [
        "user_claims",
        "user_extras",
        "user_tag_map",
        "tag_run_members",
        "tag_run_refusals",
        "identity_links",
      ])
        expect(
          await service.database.query(`SELECT 1 FROM ${table} WHERE shop = $1 AND user_id = $2`, [
            SHOP,
            userId,
          ]),
        ).toEqual([]);
      expect(
        await service.database.query("SELECT 1 FROM integration_queue WHERE payload ? 'sealed_to'"),
      ).toEqual([]);
      const left = await service.objects.list("");
      expect(left.filter((path) => !archived.includes(path))).toEqual([]);
      await expectValidChain(SHOP, before + 2);
    },
  );

  it("keeps the same person in another store", async () => {
    await seedPersonEverywhere(service, OTHER_SHOP);
    const before = await findEverywhere(service, [ADA.email, "Lovelace"]);
    expect(before.length).toBeGreaterThan(5);
    await seedPersonEverywhere(service, SHOP);
    await redact(service, { id: ADA.id, email: ADA.email });
    expect((await findEverywhere(service, [ADA.email, "Lovelace"])).sort()).toEqual(before.sort());
    await service.database.query("DELETE FROM kv WHERE shop = $1 AND key <> 'tenant:' || shop", [
      OTHER_SHOP,
    ]);
    const again = await privacy(
      service,
      "customer-redact",
      redactBody({ email: ADA.email }, OTHER_SHOP),
      { shop: OTHER_SHOP },
    );
    await settled(service, again.json.request_id);
    await expectNowhere(service);
  });

  it("deletes the CMS item and the profile, and late webhooks do not restore them", async () => {
    const email = "ada.two@example.com";
    const raw = webhookOf(email).replaceAll(ADA.id, "706405506930371111");
    await service.webhook("customer-update", raw, {
      headers: { "X-Shopify-Webhook-Id": "late-1" },
    });
    await eventually("the CMS item", () =>
      service.sandbox.cms.items().find((item) => JSON.stringify(item).includes(email)),
    );
    const { json } = await privacy(
      service,
      "customer-redact",
      redactBody({ id: "706405506930371111" }),
    );
    await service.webhook("customer-update", raw, {
      headers: { "X-Shopify-Webhook-Id": "late-2" },
    });
    await settled(service, json.request_id);
    await service.webhook("customer-update", raw, {
      headers: { "X-Shopify-Webhook-Id": "late-3" },
    });
    await eventually(
      "all webhooks handled",
      async () =>
        (
          await service.database.query(
            "SELECT 1 FROM webhook_inbox WHERE status IN ('pending', 'processing')",
          )
        ).length === 0,
    );
    expect(await findEverywhere(service, [email])).toEqual([]);
    expect(JSON.stringify(service.sandbox.cms.items())).not.toContain(email);
    expect(service.sandbox.profilePlatform.deletions().length).toBeGreaterThan(0);
    expect(service.sandbox.requests("storefront")).toEqual([]);
  });

  it("finds by the id alone a person that the storefront deleted before", async () => {
    const userId = await seedPersonEverywhere(service, SHOP);
    await service.webhook(
      "customers-delete",
      `{"id":${ADA.id},"admin_graphql_api_id":"${ADA.gid}"}`,
      { headers: { "X-Shopify-Webhook-Id": "deleted-first" } },
    );
    await eventually(
      "the gid is gone",
      async () =>
        (
          await service.database.query(
            "SELECT 1 FROM storefront_users WHERE id = $1 AND storefront_customer_gid IS NULL",
            [userId],
          )
        ).length === 1,
    );
    await redact(service, { id: ADA.id });
    await expectNowhere(service);
  });

  it.each(["address", "id"] as const)(
    "finds by the %s alone an account that its person deleted before, with what was archived of it",
    async (named) => {
      const email = `grace-${named}@redact.example`;
      const { gid } = service.sandbox.storefront.putCustomer(SHOP, { email });
      const { json } = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
        key: null,
        body: {
          email,
          password: "correct horse battery",
          first_name: "Grace",
          last_name: "Redactable",
          consent_tos: true,
          consent_privacy: true,
        },
      });
      const userId = json.user.id as number;
      await service.database.query(
        `UPDATE storefront_users SET email = $2, unproven_email = NULL, email_verified = true,
          storefront_customer_gid = $3 WHERE id = $1`,
        [userId, email, gid],
      );
      await service.call("POST", `/ucp/tags?shop=${SHOP}`, {
        key: json.token,
        body: { add: ["newsletter_subscribed"] },
      });
      await eventually("the deliveries", async () => {
        const [row] = await service.database.query(
          "SELECT count(*)::int AS open FROM integration_queue WHERE status <> 'delivered' AND entity_id = $1",
          [String(userId)],
        );
        return row.open === 0;
      });
      expect((await findEverywhere(service, [email])).join()).toContain("events/cms/");
      const gone = await service.call("DELETE", `/auth/me?shop=${SHOP}`, {
        key: json.token,
        body: { password: "correct horse battery" },
      });
      expect(gone.status).toBe(200);
      await service.database.query(
        `INSERT INTO identity_links (shop, user_id, provider, issuer, sub)
          VALUES ($1, $2, 'federated', 'https://idp.example', $3)`,
        [SHOP, userId, `sub-${named}`],
      );
      const who = named === "id" ? { id: gid.split("/").at(-1) as string } : { email };
      const request = await redact(service, who);
      expect(request.evidence.looked.accounts).toBeGreaterThan(0);
      expect(await findEverywhere(service, [email, "Redactable", `sub-${named}`])).toEqual([]);
    },
  );

  it("also holds where a person who had not verified the address had deleted the account before", async () => {
    const email = "unverified@redact.example";
    const { gid } = service.sandbox.storefront.putCustomer(SHOP, { email });
    const { json } = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
      key: null,
      body: {
        email,
        password: "correct horse battery",
        consent_tos: true,
        consent_privacy: true,
      },
    });
    await service.database.query(
      "UPDATE storefront_users SET email = $2, unproven_email = NULL, storefront_customer_gid = $3 WHERE id = $1",
      [json.user.id, email, gid],
    );
    const gone = await service.call("DELETE", `/auth/me?shop=${SHOP}`, {
      key: json.token,
      body: { password: "correct horse battery" },
    });
    expect(gone.status).toBe(200);
    const isDeleted = () =>
      isDeletedHere(service.ctx, service.ctx.home.forTenant(SHOP).sql, SHOP, gid);
    expect(await isDeleted()).toBe(false);
    const id = gid.split("/").at(-1) as string;
    await redact(service, { id, email });
    expect(await isDeleted()).toBe(true);
  });

  it("does not erase another person with the same phone number or name", async () => {
    await seedPersonEverywhere(service, SHOP);
    const [other] = await service.database.query(
      `INSERT INTO storefront_users (shop, email, full_name, storefront_customer_gid, phone_hash)
        SELECT shop, 'augusta@example.com', 'Ada Lovelace', 'gid://shopify/Customer/5', phone_hash
        FROM storefront_users WHERE shop = $1 AND email = $2 RETURNING id`,
      [SHOP, ADA.email],
    );
    await redact(service, { id: ADA.id, email: ADA.email, phone: ADA.phone });
    expect(
      await service.database.query(
        "SELECT email, full_name, status FROM storefront_users WHERE id = $1",
        [other.id],
      ),
    ).toEqual([{ email: "augusta@example.com", full_name: "Ada Lovelace", status: "active" }]);
    await service.database.query("DELETE FROM storefront_users WHERE id = $1", [other.id]);
    await service.database.query("UPDATE delivery_attempts SET error = NULL");
    await service.database.query("DELETE FROM integration_queue");
  });

  it("leaves nothing behind of concurrent deliveries", async () => {
    const email = "ada.three@example.com";
    const raw = webhookOf(email).replaceAll(ADA.id, "706405506930372222");
    const { messages, deletions } = service.sandbox.profilePlatform;
    const sent = messages().length;
    for (const system of ["cms", "profilePlatform"] as const)
      service.sandbox.failNext(system, { delayMs: 1_500 }, 1);
    await service.webhook("customer-update", raw, {
      headers: { "X-Shopify-Webhook-Id": "flight-1" },
    });
    await eventually(
      "both deliveries are under way",
      async () =>
        (
          await service.database.query(
            `SELECT 1 FROM integration_queue WHERE channel IN ('cms', 'profile_platform')
              AND status = 'ready'`,
          )
        ).length === 2,
    );
    expect(await redact(service, { email })).toMatchObject({ state: "done" });
    const profile = await eventually("the profile was sent", () => messages()[sent]);
    expect(Date.parse(deletions().at(-1)?.at ?? "")).toBeGreaterThanOrEqual(Date.parse(profile.at));
    expect(await findEverywhere(service, [email])).toEqual([]);
    expect(JSON.stringify(service.sandbox.cms.items())).not.toContain(email);
  });

  it("clears the stored data of an order to redact, even where it names no person, and of a row that an address names", async () => {
    await service.database.query(
      "INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload, status, max_retries) VALUES ($1, 'o-1', 'unheard_of', 'storefront', 'order.created', 'order', '280263', '{\"shipping\":{\"city\":\"Marylebone\"}}', 'delivered', 3), ($1, 'o-2', 'unheard_of', 'storefront', 'order.created', 'order', '280264', '{\"shipping\":{\"city\":\"Elsewhere\"}}', 'delivered', 3)",
      [SHOP],
    );
    const email = "ada.four@example.com";
    await service.database.query(
      `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload,
        status, max_retries) VALUES ($1, 'c-1', 'unheard_of', 'manual', 'customer.updated', 'customer', $2, '{}',
        'delivered', 3)`,
      [SHOP, email],
    );
    await redact(service, { email });
    expect(await findEverywhere(service, ["Marylebone", email])).toEqual([]);
    expect(await findEverywhere(service, ["Elsewhere"])).toHaveLength(1);
  });

  it("reports what it kept, and why, where the address is in append-only evidence", async () => {
    const email = "ada.five@example.com";
    // A row of an earlier version, which did not yet keep addresses out of the log.
    await service.database.query(
      `INSERT INTO consent_records (shop, visitor_id, consent_type, action, method, consent_id,
        source_page, gpc, seq, prev_hash, hash)
        VALUES ($1, 'v', 'newsletter', 'granted', 'newsletter_form', 'n', $2, false, $3, 'a', 'b')`,
      [SHOP, `https://x.example/?e=${email}`, UNCHAINED],
    );
    const request = await redact(service, { email });
    expect(request).toMatchObject({
      state: "retained",
      payload: {},
      evidence: { residual: 1, kept_because: [expect.stringContaining("consent_records")] },
    });
    expect(JSON.stringify(request)).not.toContain(email);
  });

  it.each([
    [
      "an export, which could archive",
      `INSERT INTO privacy_requests (shop, kind, delivery_id, due_by, state, locked_until)
        VALUES ($1, 'data_request', md5($2), now() + interval '30 days', 'running', now() + interval '1 hour')`,
      "UPDATE privacy_requests SET locked_until = now() WHERE delivery_id = md5($1)",
    ],
    [
      "a webhook, which could store",
      `INSERT INTO webhook_inbox (shop, delivery_id, topic, body, status, locked_until)
        VALUES ($1, 'under way', 'customers/update', $2, 'processing', now() + interval '1 hour')`,
      "UPDATE webhook_inbox SET locked_until = now() WHERE body = $1",
    ],
  ])("waits for %s what it had read of the person", async (what, begin, end) => {
    const email = `${what.split(",")[0]?.replace(" ", "-")}@example.com`;
    await service.database.query(begin, [SHOP, email]);
    const { json } = await privacy(service, "customer-redact", redactBody({ email }));
    await eventually(
      "its third pass",
      async () =>
        (
          await service.database.query(
            `SELECT 1 FROM privacy_requests WHERE id = $1 AND (evidence->>'passes')::int >= 3
              AND completed_at IS NULL`,
            [json.request_id],
          )
        ).length === 1,
    );
    await service.database.query(end, [email]);
    expect(await settled(service, json.request_id)).toMatchObject({ state: "done" });
  });

  it("says of a failure of its own nothing but that it was one", async () => {
    const broken = sealSubject(service.ctx, SHOP, { subject: {}, known: {} });
    const [request] = await service.database.query(
      `INSERT INTO privacy_requests (shop, kind, delivery_id, due_by, payload)
        VALUES ($1, 'customer_redact', 'broken', now() + interval '30 days', $2) RETURNING id`,
      [SHOP, JSON.stringify(broken)],
    );
    const find = async () =>
      (
        await service.database.query(
          "SELECT last_error FROM privacy_requests WHERE id = $1 AND attempts = 1",
          [request.id],
        )
      )[0];
    expect(await eventually("it is postponed", find)).toEqual({ last_error: "internal_error" });
    await service.database.query("DELETE FROM privacy_requests WHERE id = $1", [request.id]);
  });

  it("retries while the CMS is down, without the person's address in the error", async () => {
    await seedPersonEverywhere(service, SHOP);
    service.sandbox.failNext(
      "cms",
      { status: 503, body: { message: `no item for ${ADA.email}` } },
      1,
    );
    const { json } = await privacy(service, "customer-redact", redactBody({ id: ADA.id }));
    await eventually(
      "it is postponed",
      async () =>
        (
          await service.database.query(
            `SELECT 1 FROM privacy_requests WHERE id = $1 AND state = 'received' AND attempts = 1
              AND last_error = 'cms: status 503'`,
            [json.request_id],
          )
        ).length === 1,
    );
    expect(await settled(service, json.request_id)).toMatchObject({ state: "done", attempts: 1 });
    await expectNowhere(service);
  });

  it("records each system's step with its time and count, the proof last, and without the person", async () => {
    const { email } = ADA;
    const userId = await seedPersonEverywhere(service, SHOP);
    const request = await redact(service, { id: ADA.id, email });
    expect(request.steps).toMatchObject({
      tables: { outcome: "erased", count: expect.any(Number) },
      storefront: { outcome: "by_store" },
      queue: { outcome: "erased" },
      cms: { outcome: "nothing_found" },
      profile_platform: { outcome: "erased", count: 1 },
      web_analytics: { outcome: "pseudonymous" },
      archive: { outcome: "erased" },
      search: { outcome: "proven", count: request.evidence.searched.columns },
    });
    expect(request.steps.archive.count).toBe(request.evidence.erased.archive_objects);
    expect(request.user_ids).toContain(userId);
    expect(request.payload).toEqual({});
    const { search, ...erasures } = request.steps as Record<string, { at: string }>;
    for (const { at } of Object.values(erasures))
      expect(Date.parse(at)).toBeLessThanOrEqual(Date.parse(search?.at ?? ""));
    expect(JSON.stringify(request.steps)).not.toContain(email);
  });

  it("logs nothing about the person", () => {
    const lines = JSON.stringify(service.logged);
    for (const word of [ADA.email, "Lovelace", ADA.phone, "ada.two", "ada.three"])
      expect(lines).not.toContain(word);
  });
});
