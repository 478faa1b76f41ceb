// A shopper's identity and orders: only the shopper's own, and for agents only with the shopper's
// consent.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newClient, newTokens } from "../../support/agents/agent.ts";
import {
  asAgent,
  asShopper,
  callsOf,
  consent,
  newShopper,
  openStore,
  variantOf,
  type Shopper,
} from "../../support/agents/commerce.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { daysAgo } from "../../support/storefront/synced-store.ts";
import { signUp } from "../identity/people.ts";

let service: Service;
let variant: string;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService();
  await openStore(service);
  await openStore(service, OTHER_SHOP);
  variant = (await variantOf(service, "CAM-9")).id;
});
afterAll(() => service.stop());
beforeEach(async () => {
  shopper = await newShopper(service);
});

const order = (customerGid = shopper.gid, quantity = 2, createdAt = daysAgo(20)) =>
  service.sandbox.storefront.putOrder(SHOP, {
    customerGid,
    lines: [{ variantGid: variant, quantity }],
    createdAt,
    fulfillments: [
      {
        gid: "gid://shopify/Fulfillment/1",
        status: "SUCCESS",
        createdAt: "2026-11-02T10:00:00Z",
        tracking: [{ company: "DHL", number: "00340", url: "https://dhl.example/00340" }],
      },
    ],
  });

describe("GET /commerce/orders", () => {
  it("lists the shopper's own orders, newest first, and caches them per customer", async () => {
    const [older, newer] = [order(), order(shopper.gid, 1, daysAgo(16))];
    order((await newShopper(service)).gid);
    const first = await asShopper(service, shopper, "GET", "/commerce/orders");
    expect([first.status, first.headers.get("x-cache")]).toEqual([200, "miss"]);
    expect(first.json).toEqual({
      orders: [
        {
          id: newer.gid,
          name: newer.name,
          created_at: newer.createdAt,
          financial_status: "PAID",
          fulfillment_status: "UNFULFILLED",
          total: { amount: "40.00", currency: "EUR" },
          line_item_count: 1,
        },
        expect.objectContaining({ id: older.gid, total: { amount: "80.00", currency: "EUR" } }),
      ],
      next_cursor: null,
    });
    const calls = callsOf(service, "CustomerOrders");
    const second = await asShopper(service, shopper, "GET", "/commerce/orders");
    expect([
      second.headers.get("x-cache"),
      second.json,
      callsOf(service, "CustomerOrders"),
    ]).toEqual(["hit", first.json, calls]);
    expect(
      (await asShopper(service, shopper, "GET", "/commerce/orders?limit=1")).json.orders,
    ).toHaveLength(1);
    expect(
      (await asShopper(service, await newShopper(service), "GET", "/commerce/orders")).json.orders,
    ).toEqual([]);
  });

  it("asks the storefront again after five minutes", async () => {
    await asShopper(service, shopper, "GET", "/commerce/orders");
    const [row] = await service.database.query(
      "SELECT extract(epoch FROM expires_at - now())::float AS left FROM kv WHERE key LIKE $1",
      [`orders:${shopper.id}:%`],
    );
    expect(row.left).toBeGreaterThan(290);
    expect(row.left).toBeLessThanOrEqual(300);
    await service.database.query("UPDATE kv SET expires_at = now() WHERE key LIKE $1", [
      `orders:${shopper.id}:%`,
    ]);
    expect(
      (await asShopper(service, shopper, "GET", "/commerce/orders")).headers.get("x-cache"),
    ).toBe("miss");
  });

  it("pages by its own cursor", async () => {
    for (const days of [3, 2, 1]) order(shopper.gid, 1, daysAgo(days));
    const first = await asShopper(service, shopper, "GET", "/commerce/orders?limit=2");
    expect(first.json.orders).toHaveLength(2);
    const second = await asShopper(
      service,
      shopper,
      "GET",
      `/commerce/orders?limit=2&cursor=${first.json.next_cursor}`,
    );
    expect([second.json.orders.length, second.json.next_cursor]).toEqual([1, null]);
    const other = await newShopper(service);
    expect(
      (await asShopper(service, other, "GET", `/commerce/orders?cursor=${first.json.next_cursor}`))
        .json.code,
    ).toBe("invalid_cursor");
    for (const query of ["limit=0", "limit=101"])
      expect((await asShopper(service, shopper, "GET", `/commerce/orders?${query}`)).status).toBe(
        400,
      );
  });

  it("shows what the storefront shows the app: the orders of the last 60 days", async () => {
    const { gid: visible } = order(shopper.gid, 1, daysAgo(59));
    const { gid: older } = order(shopper.gid, 1, daysAgo(61));
    const { json } = await asShopper(service, shopper, "GET", "/commerce/orders");
    expect(json.orders.map(({ id }: { id: string }) => id)).toEqual([visible]);
    const path = (gid: string) => `/commerce/orders/${gid.split("/").pop()}`;
    expect((await asShopper(service, shopper, "GET", path(visible))).status).toBe(200);
    expect((await asShopper(service, shopper, "GET", path(older))).status).toBe(404);
  });

  it("shows nothing to an account with an unverified address", async () => {
    const { gid } = order();
    await service.database.query(
      "UPDATE storefront_users SET email_verified = false WHERE id = $1",
      [shopper.id],
    );
    expect((await asShopper(service, shopper, "GET", "/commerce/orders")).json).toEqual({
      orders: [],
      next_cursor: null,
    });
    expect(
      (await asShopper(service, shopper, "GET", `/commerce/orders/${encodeURIComponent(gid)}`))
        .status,
    ).toBe(404);
  });
});

describe("GET /commerce/orders/:id", () => {
  it("is found by gid and by number, with line items and fulfillments", async () => {
    const { gid, name } = order();
    // As it is, or after a proxy that joins slashes, too.
    const joined = gid.replace("//", "/");
    for (const id of [encodeURIComponent(gid), gid.split("/").pop(), gid, joined, `${gid}/`]) {
      const answer = await asShopper(service, shopper, "GET", `/commerce/orders/${id}`);
      expect(answer.json.order).toMatchObject({
        id: gid,
        name,
        line_item_count: 1,
        line_items: [
          {
            title: "Trail Camera",
            sku: "CAM-9",
            quantity: 2,
            price: { amount: "40.00", currency: "EUR" },
          },
        ],
        fulfillments: [
          {
            status: "SUCCESS",
            created_at: "2026-11-02T10:00:00Z",
            tracking: [{ company: "DHL", number: "00340", url: "https://dhl.example/00340" }],
          },
        ],
      });
    }
  });

  it("of another customer, unknown or malformed answers the same 404", async () => {
    const theirs = order((await newShopper(service)).gid);
    for (const id of [
      theirs.gid.split("/").pop(),
      "123",
      "x",
      encodeURIComponent("gid://shopify/Customer/1"),
    ])
      expect((await asShopper(service, shopper, "GET", `/commerce/orders/${id}`)).json.code).toBe(
        "not_found",
      );
  });
});

describe("GET /commerce/identity", () => {
  it("is the same person for all sign-in methods", async () => {
    expect((await asShopper(service, shopper, "GET", "/commerce/identity")).json).toEqual({
      user_id: shopper.id,
      email: shopper.email,
      linked_providers: ["email"],
      consents: {
        tos: true,
        privacy: true,
        cookie: false,
        marketing: false,
        a2a: false,
        ap2: false,
      },
      tags: expect.any(Array),
      segment: null,
      language: null,
    });
  });
});

describe.each(["/commerce/identity", "/commerce/orders", "/commerce/orders/1"])("%s", (path) => {
  const opened = path.endsWith("/1") ? 404 : 200;

  it("requires a sign-in at this store", async () => {
    for (const key of [null, "nonsense", "test-admin-key-0123456789"])
      expect((await service.call("GET", `${path}?shop=${SHOP}`, { key })).status).toBe(401);
    expect(
      (await service.call("GET", `${path}?shop=${OTHER_SHOP}`, { key: shopper.token })).status,
    ).toBe(401);
  });

  it("is the shopper's own with the cookie from a page of the store", async () => {
    expect((await asShopper(service, shopper, "GET", path)).status).toBe(opened);
    expect(
      (await asAgent(service, shopper, "GET", path, { headers: { Origin: `https://${SHOP}` } }))
        .status,
    ).toBe(opened);
  });

  it("opens to an agent with consent_a2a, and closes as soon as it is revoked", async () => {
    const asked = () => asAgent(service, shopper, "GET", path);
    expect((await asked()).json).toMatchObject({
      error: "Forbidden",
      code: "agent_consent_required",
    });
    await consent(service, shopper, { consent_a2a: true });
    expect((await asked()).status).toBe(opened);
    await consent(service, shopper, { consent_a2a: false });
    expect((await asked()).json.code).toBe("agent_consent_required");
  });

  it("treats callers that declare themselves agents as agents despite the cookie, and foreign pages too", async () => {
    for (const headers of [
      { "UCP-Agent": 'profile="https://agent.example/p"' },
      { "A2A-Version": "1.0" },
    ] as Record<string, string>[])
      expect((await asShopper(service, shopper, "GET", path, { headers })).json.code).toBe(
        "agent_consent_required",
      );
    expect(
      (
        await asAgent(service, shopper, "GET", path, {
          headers: { Origin: "https://evil.example" },
        })
      ).json.code,
    ).toBe("agent_consent_required");
  });

  it("opens to an agent's own token within its scopes", async () => {
    const client = await newClient(service);
    const tokens = await newTokens(service, client, shopper.token);
    expect((await service.call("GET", path, { key: tokens.access_token })).status).toBe(opened);
    const narrow = await newTokens(service, client, shopper.token, {
      scope: "dev.ucp.shopping.checkout:manage",
    });
    expect((await service.call("GET", path, { key: narrow.access_token })).json.code).toBe(
      "insufficient_scope",
    );
  });
});

it("a store that disables agents answers only the shopper", async () => {
  await service.call("POST", `/config?shop=${OTHER_SHOP}`, {
    body: { agent_access_enabled: false },
  });
  const person = await signUp(service, {}, OTHER_SHOP);
  await consent(service, person, { consent_a2a: true }, OTHER_SHOP);
  expect((await asAgent(service, person, "GET", "/commerce/identity")).json.code).toBe(
    "agent_access_disabled",
  );
});
