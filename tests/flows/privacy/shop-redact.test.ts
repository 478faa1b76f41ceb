import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { readHome } from "../../../app/domain/merchant/home/read-home.ts";
import { recordConsent } from "../../../app/domain/consent/record-consent.ts";
import {
  ADA,
  findEverywhere,
  privacy,
  redactBody,
  shopBody,
  seedPersonEverywhere,
  startPrivacyService,
} from "../../support/privacy.ts";
import { install } from "../../support/storefront/storefront.ts";
import { eventually, OTHER_SHOP, SHOP, type Service } from "../../support/service.ts";

let service: Service;

beforeAll(async () => {
  service = await startPrivacyService();
});
afterAll(() => service.stop());

async function fill(shop: string): Promise<void> {
  await service.addTenant(shop);
  const userId = await seedPersonEverywhere(service, shop);
  await service.ctx.home
    .forTenant(shop)
    .transaction((sql) =>
      recordConsent(sql, { connection: {} }, [
        { userId, consentType: "tos", action: "granted", method: "signup", consentId: "c" },
      ]),
    );
  await service.database.query(
    `INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type,
      entity_id, destinations, priority, payload_sha256, occurred_at)
      VALUES ($1, $2, 'k', 'wms', 'unit.received', 'inventory', 's', '[]', 2, 'x', now())`,
    [shop, `unit-${shop}`],
  );
  await service.database.query(
    "INSERT INTO kv (shop, key, value) VALUES ($1, 'storefront_check', '{}')",
    [shop],
  );
  await service.database.query(
    "INSERT INTO cookie_entries (shop, provider, name) VALUES ($1, 'Shopify', 'cart')",
    [shop],
  );
  const archive = service.ctx.archive.ofStore(shop);
  await archive.put(`events/archive/2026-01-01/unit-1.json`, JSON.stringify({ serial: 1 }));
  await archive.put("anything/else.json", "{}");
  // The path of a store's objects before each store had its own root.
  await service.objects.put(
    `events/archive/2025-01-01/unit-${shop}.json`,
    JSON.stringify({ tenant_shop: shop }),
  );
  await service.objects.put(`consent/checkpoints/${shop}/000000000001.json`, "{}");
  await service.objects.put(`gdpr/${shop}/1.json`, "{}");
}

/** Row counts of a store by table, without empty tables and the marks of a scheduled run beside the test. */
async function rowsOf(shop: string): Promise<Record<string, number>> {
  const tables = await service.database.query(
    `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public'
      AND column_name = 'shop'`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [{ n }] = await service.database.query(
      `SELECT count(*)::int AS n FROM "${name}" AS stored WHERE shop = $1
        AND coalesce(to_jsonb(stored)->>'key', '') !~ '^(lease|retention):'`,
      [shop],
    );
    if (n > 0) counts[name] = n;
  }
  return counts;
}

const finished = (count: number) =>
  eventually(
    "the store's request is finished",
    async () => {
      const rows = await service.database.query(
        `SELECT * FROM privacy_requests WHERE kind = 'shop_redact'
          AND state IN ('done', 'retained', 'failed') ORDER BY id`,
      );
      return rows.length === count && rows;
    },
    20_000,
  );

/** The platform's request about the store, once it is worked. */
async function redact(
  shop: string,
  headers: Record<string, string> = {},
): Promise<Record<string, any>> {
  const { length } = await service.database.query(
    "SELECT 1 FROM privacy_requests WHERE kind = 'shop_redact'",
  );
  const answer = await privacy(service, "shop-redact", shopBody(shop), { shop, headers });
  expect([answer.status, answer.json]).toEqual([200, { ok: true }]);
  return (await finished(length + 1)).at(-1) as Record<string, any>;
}

describe("shop/redact", () => {
  it("deletes every row and object of the store, keeps all of another store, and keeps a proof that names neither", async () => {
    await fill(SHOP);
    await fill(OTHER_SHOP);
    const others = await rowsOf(OTHER_SHOP);
    const objects = (await service.objects.list("")).filter((path) => !path.includes(SHOP));
    expect(objects.filter((path) => path.includes(OTHER_SHOP)).length).toBeGreaterThan(4);
    expect(Object.keys(others)).toEqual(
      expect.arrayContaining([
        "access_log",
        "consent_records",
        "event_ledger",
        "kv",
        "storefront_users",
        "integration_queue",
      ]),
    );

    expect(await redact(SHOP)).toMatchObject({
      shop: "*",
      state: "done",
      payload: {},
      evidence: { deleted: { consent_records: 1, event_ledger: 1, storefront_users: 1 } },
    });
    expect(await rowsOf(SHOP)).toEqual({});
    expect(await findEverywhere(service, [`"${SHOP}`, `/${SHOP}/`])).toEqual([]);
    expect(await rowsOf(OTHER_SHOP)).toEqual(others);
    expect((await service.objects.list("")).sort()).toEqual(objects.sort());
    expect((await service.call("GET", `/config?shop=${SHOP}`)).status).toBe(404);
    const listed = await service.call("GET", `/admin/privacy-requests?shop=${SHOP}`);
    expect(listed.json.requests).toMatchObject([{ kind: "shop_redact", state: "done" }]);
  });

  it("answers 200 to later requests for the store, and still stores nothing of it", async () => {
    const shop = "gone-store.myshopify.com";
    await fill(shop);
    await redact(shop);
    const customerRequest = redactBody(ADA, shop);
    expect((await privacy(service, "customer-redact", customerRequest, { shop })).status).toBe(200);
    await redact(shop);
    expect(await rowsOf(shop)).toEqual({});
    expect(await findEverywhere(service, [ADA.id])).not.toEqual(
      expect.arrayContaining([expect.stringContaining("privacy_requests")]),
    );
  });

  it("keeps a store that was installed again after the request", async () => {
    const shop = "again-store.myshopify.com";
    await fill(shop);
    await service.database.query(
      `UPDATE kv SET value = value || jsonb_build_object('connection',
        jsonb_build_object('installed_at', $1::text)), version = version + 1 WHERE key = 'tenant:${shop}'`,
      [new Date().toISOString()],
    );
    const before = await rowsOf(shop);
    const aMinuteAgo = new Date(Date.now() - 60_000).toISOString();
    expect(await redact(shop, { "X-Shopify-Triggered-At": aMinuteAgo })).toMatchObject({
      state: "retained",
      evidence: { kept_because: ["the store installed the app again"] },
    });
    expect(await rowsOf(shop)).toEqual(before);
  });

  it("keeps an installed store when an old signed request is sent again", async () => {
    const shop = "old-request-store.myshopify.com";
    await fill(shop);
    const grant = service.sandbox.storefront.install(shop);
    await service.call("POST", `/config?shop=${shop}`, {
      body: {
        storefront_admin_token: grant.access_token,
        storefront_refresh_token: grant.refresh_token,
        storefront_token_expires_at: new Date(Date.now() + 3_600_000).toISOString(),
      },
    });
    const before = await rowsOf(shop);
    expect(await redact(shop)).toMatchObject({ state: "retained" });
    expect(await rowsOf(shop)).toEqual(before);
  });
});

describe("a store that has the app installed", () => {
  const KNOWN = ["consent_records", "event_ledger", "storefront_users", "kv"];
  const uninstall = async (shop: string) => {
    await service.sandbox.storefront.uninstall(shop);
    await eventually(
      "the uninstall is known",
      async () => (await getTenant(service.ctx, shop)).connection.uninstalled_at,
    );
  };
  /** Installed, uninstalled and installed again, just now. */
  const installTwice = async (shop: string) => {
    await install(service, shop);
    await uninstall(shop);
    await install(service, shop);
    await fill(shop);
  };
  const healthOf = async (shop: string) =>
    (await readHome(service.ctx, shop, await getTenant(service.ctx, shop))).health;

  it("keeps everything, also at the first request and after an earlier uninstall, and the home page says so", async () => {
    const [shop, neighbour] = ["now-store.myshopify.com", "neighbour-store.myshopify.com"];
    await service.addTenant(neighbour);
    await installTwice(shop);
    const before = await rowsOf(shop);
    expect((await healthOf(shop)).keptDataAt).toBeUndefined();
    const request = await redact(shop, { "X-Shopify-Triggered-At": new Date().toISOString() });
    expect(request).toMatchObject({
      state: "retained",
      evidence: { kept_because: [expect.stringContaining("installed")] },
    });
    expect(await rowsOf(shop)).toEqual(before);
    expect((await healthOf(shop)).keptDataAt).toBe(request.completed_at.toISOString());
    expect((await healthOf(neighbour)).keptDataAt).toBeUndefined();
  });

  it("keeps everything although its token is rejected", async () => {
    const shop = "rejected-store.myshopify.com";
    await installTwice(shop);
    service.sandbox.storefront.revokeRefreshToken(shop);
    service.sandbox.storefront.expireAccessTokens(shop);
    const before = await rowsOf(shop);
    expect(await redact(shop)).toMatchObject({ state: "retained" });
    expect(await rowsOf(shop)).toEqual(before);
  });

  it("is deleted as soon as it is uninstalled, and the home page of a later install does not mention it", async () => {
    const shop = "leaving-store.myshopify.com";
    await installTwice(shop);
    expect(await redact(shop)).toMatchObject({ state: "retained" });
    await uninstall(shop);
    expect(Object.keys(await rowsOf(shop))).toEqual(expect.arrayContaining(KNOWN));
    expect(await redact(shop)).toMatchObject({ state: "done" });
    expect(await rowsOf(shop)).toEqual({});
    await install(service, shop);
    expect((await healthOf(shop)).keptDataAt).toBeUndefined();
  });

  it("is deleted when its uninstall and the request arrive together, in either order", async () => {
    const together = "together-store.myshopify.com";
    await install(service, together);
    await fill(together);
    // In the sandbox the token stays valid: only the webhook says that the app was uninstalled.
    await service.database.query(
      `INSERT INTO webhook_inbox (shop, delivery_id, topic, body, next_attempt_at)
        VALUES ($1, 'late', 'app/uninstalled', '{}', clock_timestamp() + interval '1 second')`,
      [together],
    );
    expect(await redact(together)).toMatchObject({ state: "done" });
    expect(await rowsOf(together)).toEqual({});
  });

  it("whose uninstall webhook was lost is deleted: its token is rejected", async () => {
    const silent = "silent-store.myshopify.com";
    await install(service, silent);
    await fill(silent);
    await service.sandbox.storefront.uninstall(silent, { silent: true });
    expect(await redact(silent)).toMatchObject({ state: "done" });
    expect(await rowsOf(silent)).toEqual({});
  });

  describe("that it installed again, days ago", () => {
    const installAgain = async (shop: string) => {
      await installTwice(shop);
      await service.database.query(
        `UPDATE kv SET version = version + 1, value = jsonb_set(jsonb_set(value,
            '{connection,installed_at}', to_jsonb($2::text)), '{connection,last_uninstalled_at}', to_jsonb($3::text))
          WHERE key = 'tenant:' || $1`,
        [shop, daysAgo(4), daysAgo(5)],
      );
    };
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

    it("is deleted when the webhook of its last uninstall was lost: its token is rejected", async () => {
      const left = "left-store.myshopify.com";
      await installAgain(left);
      await service.sandbox.storefront.uninstall(left, { silent: true });
      expect(await redact(left)).toMatchObject({ state: "done" });
      expect(await rowsOf(left)).toEqual({});
    });

    it.each([
      ["no data", { data: {} }],
      [
        "an error of its own",
        { errors: [{ message: "oops", extensions: { code: "INTERNAL_SERVER_ERROR" } }] },
      ],
    ])(
      "is kept when its token is answered with %s: a rejected one would be 401",
      async (what, body) => {
        const answered = `answered-${what.length}.myshopify.com`;
        await service.addTenant(answered, { storefront_admin_token: "shpat_answered_0123456789" });
        service.sandbox.failNext(
          "storefront",
          { status: 200, body, match: `${answered}/admin/api/` },
          Infinity,
        );
        expect(await redact(answered)).toMatchObject({ state: "retained" });
        service.sandbox.clearFaults("storefront");
      },
    );

    it("is kept while its token answers, and at a request that may be an old one sent again", async () => {
      const stayed = "stayed-store.myshopify.com";
      await installAgain(stayed);
      const before = await rowsOf(stayed);
      expect(await redact(stayed)).toMatchObject({ state: "retained" });
      service.sandbox.storefront.revokeRefreshToken(stayed);
      service.sandbox.storefront.expireAccessTokens(stayed);
      expect(await redact(stayed)).toMatchObject({ state: "retained" });
      expect(await rowsOf(stayed)).toEqual(before);
    });
  });

  it("is not deleted while the platform does not answer", async () => {
    const unsure = "unsure-store.myshopify.com";
    await install(service, unsure);
    await fill(unsure);
    const before = await rowsOf(unsure);
    service.sandbox.failNext("storefront", { status: 503 }, 50);
    await privacy(service, "shop-redact", shopBody(unsure), { shop: unsure });
    await eventually("an attempt that failed", async () => {
      const [row] = await service.database.query(
        "SELECT state, attempts FROM privacy_requests WHERE kind = 'shop_redact' ORDER BY id DESC LIMIT 1",
      );
      return row.state === "received" && row.attempts > 0;
    });
    expect(await rowsOf(unsure)).toEqual(before);
    service.sandbox.clearFaults();
    await service.database.query("UPDATE privacy_requests SET next_attempt_at = now()");
    const rows = await eventually("the answer", async () => {
      const all = await service.database.query(
        "SELECT state FROM privacy_requests WHERE kind = 'shop_redact' ORDER BY id DESC LIMIT 1",
      );
      return all[0].state === "retained" && all;
    });
    expect(rows).toHaveLength(1);
    expect(await rowsOf(unsure)).toEqual(before);
  });
});

describe("the append-only tables", () => {
  const REFUSED = /is append-only/;
  const TABLES = ["consent_records", "event_ledger"];
  const GUARDED = "guarded-store.myshopify.com";
  beforeAll(() => fill(GUARDED));

  it.each(TABLES)("%s still reject every other UPDATE, DELETE and TRUNCATE", async (table) => {
    const { query } = service.database;
    await expect(query(`DELETE FROM ${table}`)).rejects.toThrow(REFUSED);
    await expect(query(`DELETE FROM ${table} WHERE shop = $1`, [GUARDED])).rejects.toThrow(REFUSED);
    await expect(query(`DELETE FROM ${table} WHERE false`)).rejects.toThrow(REFUSED);
    await expect(query(`UPDATE ${table} SET shop = shop`)).rejects.toThrow(REFUSED);
    await expect(query(`TRUNCATE ${table}`)).rejects.toThrow(REFUSED);
  });

  it.each(TABLES)(
    "%s reject a deletion for a store without a request, or for another store than the requested one",
    async (table) => {
      const { query } = service.database;
      const deleting = (named: string) =>
        query(
          `DO $$ BEGIN PERFORM set_config('compliance.redacted_shop', '${named}', true); DELETE
            FROM ${table} WHERE shop = '${GUARDED}'; END $$`,
        );
      await expect(deleting(GUARDED)).rejects.toThrow(REFUSED);
      await query(
        `INSERT INTO privacy_requests (shop, kind, delivery_id, payload, state, due_by,
          locked_until) VALUES ('*', 'shop_redact', 'held', $1, 'running',
          now() + interval '30 days', now() + interval '1 hour')`,
        [JSON.stringify({ shop: SHOP })],
      );
      await expect(deleting(GUARDED)).rejects.toThrow(REFUSED);
      await expect(deleting(SHOP)).rejects.toThrow(REFUSED);
      await query("DELETE FROM privacy_requests WHERE delivery_id = 'held'");
      expect((await rowsOf(GUARDED))[table]).toBe(1);
    },
  );
});
