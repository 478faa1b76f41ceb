import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { BACKEND_SECRET, ERP_TOKEN, ingest, order, TENANT_KEY } from "../../support/bus/events.ts";
import {
  APP_SECRET,
  OTHER_SHOP,
  SHOP,
  sign,
  startService,
  type Service,
} from "../../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  await service.database.truncate();
  await service.addTenant(SHOP, { erp_token: ERP_TOKEN, admin_key: TENANT_KEY });
  await service.addTenant(OTHER_SHOP);
});

/** The envelope's fields that most senders leave out. */
const ENVELOPE_REST = {
  event_id: "",
  idempotency_key: "",
  tenant_shop: "",
  received_at: "",
  destinations: [],
  priority: 1,
};

const query = (sql: string, values: unknown[] = []) => service.database.query(sql, values);
const isEmpty = async () =>
  (
    await query(
      `SELECT 1 FROM integration_queue UNION ALL SELECT 1 FROM event_ledger UNION ALL SELECT 1
        FROM kv WHERE key LIKE 'evt:%'`,
    )
  ).length === 0;
const ledger = async () =>
  (await query("SELECT * FROM event_ledger"))[0] as Record<string, unknown>;

describe("the source of an event", () => {
  const signedHeaders = (raw: string, secret = APP_SECRET) => ({
    "X-Storefront-Hmac-SHA256": sign(raw, secret),
  });
  const raw = () => JSON.stringify(order({ source: undefined }));
  const from = (source: string) => ({ query: `&source=${source}` });

  test("storefront requires the signature over the raw bytes", async () => {
    const body = raw();
    expect(
      (
        await ingest(service, body, {
          ...from("storefront"),
          key: null,
          headers: signedHeaders(body),
        })
      ).status,
    ).toBe(202);
    expect((await ledger()).source).toBe("storefront");
    for (const [headers, key] of [
      [signedHeaders(body, "another-secret-0123456789"), null],
      [signedHeaders(`${body} `), null],
      [{}, TENANT_KEY],
    ] as const) {
      const { status, json } = await ingest(service, body, { ...from("storefront"), key, headers });
      expect({ status, error: json.error, method: json.method }).toEqual({
        status: 401,
        error: "Unauthorized",
        method: "hmac",
      });
    }
  });

  test.each(["customers/redact", "customers/data_request", "shop/redact"])(
    "that asks for privacy is no event, and its error says where such requests go: %s",
    async (topic) => {
      const body = raw();
      const { status, json } = await ingest(service, body, {
        ...from("storefront"),
        key: null,
        headers: { ...signedHeaders(body), "X-Shopify-Topic": topic },
      });
      expect([status, json.code]).toEqual([400, "invalid_request"]);
      expect(json.message).toContain("/gdpr/");
      expect(await isEmpty()).toBe(true);
    },
  );

  test("is storefront whenever there is a storefront signature, whatever the request claims", async () => {
    const body = raw();
    const { status, json } = await ingest(service, body, {
      ...from("erpsys"),
      key: ERP_TOKEN,
      headers: signedHeaders(body, "another-secret-0123456789"),
    });
    expect({ status, method: json.method }).toEqual({ status: 401, method: "hmac" });
  });

  test("erpsys requires the store's ERP token", async () => {
    expect((await ingest(service, order(), { ...from("erpsys"), key: ERP_TOKEN })).status).toBe(
      202,
    );
    expect((await ledger()).source).toBe("erpsys");
    for (const [key, shop] of [
      ["wrong-token-0123456789", SHOP],
      [TENANT_KEY, SHOP],
      [null, SHOP],
      [ERP_TOKEN, OTHER_SHOP],
    ] as const) {
      const { status, json } = await ingest(service, order(), { ...from("erpsys"), key, shop });
      expect({ status, method: json.method }).toEqual({ status: 401, method: "oauth2" });
    }
  });

  test("backend requires the shared secret, also when only the task id names it", async () => {
    expect(
      (
        await ingest(service, order(), {
          key: null,
          headers: { "x-backend-task-id": "7", "x-backend-webhook-secret": BACKEND_SECRET },
        })
      ).status,
    ).toBe(202);
    expect((await ledger()).source).toBe("backend");
    const { status, json } = await ingest(service, order(), {
      ...from("backend"),
      headers: { "x-backend-webhook-secret": "wrong-secret-0123456789" },
    });
    expect({ status, method: json.method }).toEqual({ status: 401, method: "shared_secret" });
  });

  test.each(["cms", "erp", "wms", "manual"])(
    "%s is accepted with an admin key, in the header or the body",
    async (source) => {
      const event =
        source === "wms" ? { event_type: "unit.packed", payload: { serial: "1" } } : order();
      expect(
        (
          await ingest(
            service,
            { ...event, source: "manual" },
            { key: TENANT_KEY, headers: { "x-event-source": source } },
          )
        ).status,
      ).toBe(202);
      expect((await ledger()).source).toBe(source);
    },
  );

  test("testing requires the operator's key and becomes manual in the envelope", async () => {
    expect(
      (await ingest(service, order({ source: undefined }), { ...from("testing"), key: TENANT_KEY }))
        .status,
    ).toBe(202);
    expect((await ledger()).source).toBe("manual");
  });

  test("may send the fields that it has no value for as null", async () => {
    const nulls = Object.fromEntries(
      Object.keys({ ...order(), ...ENVELOPE_REST }).map((name) => [name, null]),
    );
    const event = { ...nulls, event_type: "order.created", payload: { id: 5 } };
    expect((await ingest(service, event, { key: TENANT_KEY })).status).toBe(202);
    expect(await ledger()).toMatchObject({
      source: "manual",
      entity_type: "order",
      entity_id: "5",
      priority: 2,
    });
    const { status, json } = await ingest(
      service,
      { ...event, payload: null },
      { key: TENANT_KEY },
    );
    expect([status, Object.keys(json.fields)]).toEqual([400, ["entity_id"]]);
  });

  test.each(["storefront", "erpsys", "backend"])(
    "%s in the body alone becomes manual with an admin key",
    async (source) => {
      expect((await ingest(service, order({ source }), { key: TENANT_KEY })).status).toBe(202);
      expect((await ledger()).source).toBe("manual");
    },
  );

  test.each([
    ["another store's key", TENANT_KEY, OTHER_SHOP, "admin_key"],
    ["a wrong key", "wrong-key-0123456789", SHOP, "admin_key"],
    ["no key", null, SHOP, "none"],
  ])("is not proven by %s", async (_, key, shop, method) => {
    const { status, json } = await ingest(service, order(), { key, shop });
    expect({ status, error: json.error, method: json.method }).toEqual({
      status: 401,
      error: "Unauthorized",
      method,
    });
    expect(await isEmpty()).toBe(true);
  });

  test("is authenticated before anything about the store is disclosed, also before a malformed shop", async () => {
    const body = raw();
    expect(
      (
        await service.call("POST", "/events/ingest?source=storefront&shop=no-shop", {
          body,
          key: null,
          headers: signedHeaders(body, "another-secret-0123456789"),
        })
      ).json,
    ).toMatchObject({ code: "unauthorized", method: "hmac" });
    expect((await service.call("POST", "/events/ingest?shop=no-shop", { body })).json.code).toBe(
      "invalid_shop",
    );
  });

  test("of a `shared` store can only be storefront", async () => {
    await service.call("POST", `/config?shop=${OTHER_SHOP}`, { body: { access_role: "shared" } });
    expect((await ingest(service, order(), { shop: OTHER_SHOP })).status).toBe(403);
    const body = raw();
    expect(
      (
        await ingest(service, body, {
          ...from("storefront"),
          shop: OTHER_SHOP,
          key: null,
          headers: signedHeaders(body),
        })
      ).status,
    ).toBe(202);
  });

  test("that names no priority for an analytics batch gets the lowest", async () => {
    const event = order({ event_type: "analytics.batch", entity_type: "customer" });
    expect((await ingest(service, event)).status).toBe(202);
    expect(await query("SELECT DISTINCT priority, max_retries FROM integration_queue")).toEqual([
      { priority: 5, max_retries: 2 },
    ]);
  });

  test.each<[what: string, enabled: string[] | null, destinations: string[]]>([
    ["names no list of enabled channels", null, ["data_lake", "archive"]],
    ["enabled it", ["data_lake"], ["data_lake", "archive"]],
    ["enabled others only", ["archive"], ["archive"]],
  ])(
    "that a route sends to an unknown destination follows the list of a store that %s",
    async (_, enabled_channels, destinations) => {
      await service.call("PUT", `/admin/destinations?shop=${SHOP}`, {
        body: {
          event_routes: [
            { event_type: "order.*", channels: ["data_lake", "archive", "erpsys", "warehouse"] },
          ],
          enabled_channels,
        },
      });
      const { json } = await ingest(service, order());
      expect(json.destinations).toEqual(destinations);
      const kept = await query(
        "SELECT channel, delivery_config->>'method' AS method FROM integration_queue ORDER BY id",
      );
      expect(kept).toEqual(
        destinations.map((channel) => ({
          channel,
          method: channel === "data_lake" ? "ARCHIVE" : null,
        })),
      );
    },
  );

  test("with a key that another process just changed requires the new one", async () => {
    expect((await ingest(service, order(), { key: TENANT_KEY })).status).toBe(202);
    await query(
      'UPDATE kv SET value = value || \'{"admin_key": "fresh-admin-key-0123456789"}\', version = version + 1 WHERE key = $1',
      [`tenant:${SHOP}`],
    );
    expect((await ingest(service, order(), { key: TENANT_KEY })).status).toBe(401);
    await query(
      'UPDATE kv SET value = value || \'{"admin_key": "newest-admin-key-0123456789"}\', version = version + 1 WHERE key = $1',
      [`tenant:${SHOP}`],
    );
    expect((await ingest(service, order(), { key: "newest-admin-key-0123456789" })).status).toBe(
      202,
    );
  });
});
