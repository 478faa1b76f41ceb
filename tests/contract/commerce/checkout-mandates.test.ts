// A checkout under a mandate: reserving, spending and releasing the mandate's amount.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  act,
  CART_API,
  checkoutAs,
  completed,
  itemsOf,
  expireNow,
  makeCheckout,
  mandateRow,
  newMandate,
  newPayer,
  reasonOf,
  refusedMandate,
  seedProducts,
  closeCarts,
  openCarts,
  type Shelf,
  UNTOUCHED,
} from "../../support/agents/checkout.ts";
import { consent, type Shopper } from "../../support/agents/commerce.ts";
import { verify } from "../../support/consent.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import { inboxIsWorked } from "../../support/storefront/storefront.ts";
import { runScheduledNow } from "../../../app/domain/scheduled-run/scheduled-run.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService({ background: true });
  shelf = await seedProducts(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  shopper = await newPayer(service);
});
afterEach(() => service.sandbox.clearFaults());

const buy = (mandate: string, items: object[] = itemsOf(shelf.camera)) =>
  makeCheckout(service, shopper, { line_items: items, mandate_id: mandate });
const bought = async (mandate: string, items?: object[]) => (await buy(mandate, items)).json;
const step = (id: string, verb: "update" | "complete" | "cancel", body: object = {}) =>
  act(service, shopper, id, verb, body);
const setPrice = (price: string, stock = 500) =>
  service.sandbox.storefront.putProduct(SHOP, {
    gid: shelf.cameraProduct,
    title: "Trail Camera",
    variants: [{ gid: shelf.camera, sku: "CAM-9", price, stock }],
  });

describe("a checkout with a mandate", () => {
  it("reserves its total, is ready, and spends it when its order arrives", async () => {
    const mandate = await newMandate(service, shopper);
    const made = await buy(mandate);
    expect([made.status, made.json]).toMatchObject([
      201,
      { status: "ready_for_complete", mandate_id: mandate, totals: { total: "40.00" } },
    ]);
    expect(await mandateRow(service, mandate)).toEqual({
      spent_amount: "0.00",
      reserved_amount: "40.00",
      reservations: 1,
      status: "active",
    });
    const asked = await step(made.json.id, "complete");
    expect([asked.status, asked.json]).toEqual([
      200,
      { ...made.json, status: "complete_in_progress" },
    ]);
    expect(
      (await step(made.json.id, "update", { line_items: itemsOf(shelf.lamp) })).json.code,
    ).toBe("checkout_closed");
    const { order } = await service.sandbox.storefront.pay(SHOP, made.json.checkout_url);
    expect(await completed(service, made.json.id)).toMatchObject({ order_id: order.gid });
    expect(await mandateRow(service, mandate)).toEqual({
      spent_amount: "40.00",
      reserved_amount: "0.00",
      reservations: 0,
      status: "used",
    });
    expect(reasonOf(await buy(mandate))).toEqual(refusedMandate("used"));
  });

  it("is completed once by an order that is delivered twice", async () => {
    const mandate = await newMandate(service, shopper, { usage: "multi" });
    const { id, checkout_url } = await bought(mandate);
    const { order } = await service.sandbox.storefront.pay(SHOP, checkout_url);
    await completed(service, id);
    for (let times = 0; times < 2; times += 1)
      await service.webhook(
        "orders-create",
        JSON.stringify({
          admin_graphql_api_id: order.gid,
          note_attributes: [{ name: "checkout_id", value: id }],
        }),
        { headers: { "X-Shopify-Webhook-Id": randomUUID() } },
      );
    await inboxIsWorked(service);
    expect(await mandateRow(service, mandate)).toEqual({
      spent_amount: "40.00",
      reserved_amount: "0.00",
      reservations: 0,
      status: "active",
    });
    const rows = await service.database.query(
      `SELECT event_type FROM integration_queue WHERE channel = 'web_analytics' AND entity_id = $1
        AND event_type = 'checkout.completed'`,
      [String(shopper.id)],
    );
    expect(rows).toHaveLength(1);
  });

  it("commits the analytics row and the audit row with the checkout", async () => {
    const before = service.sandbox.analytics.hits().length;
    const mandate = await newMandate(service, shopper);
    const { checkout_url, id } = await bought(mandate);
    await service.sandbox.storefront.pay(SHOP, checkout_url);
    await completed(service, id);
    const names = () =>
      service.sandbox.analytics
        .hits()
        .slice(before)
        .flatMap(({ body }: any) => body.events.map(({ name }: any) => name));
    await eventually("the four events", () =>
      [
        "ucp_mandate_created",
        "ucp_mandate_used",
        "ucp_checkout_created",
        "ucp_checkout_completed",
      ].every((name) => names().includes(name)),
    );
    const rows = await service.database.query(
      `SELECT consent_type, action, consent_id FROM consent_records WHERE user_id = $1
        AND consent_id = $2 ORDER BY seq`,
      [shopper.id, mandate],
    );
    expect(rows).toEqual([
      { consent_type: "ap2", action: "mandate_created", consent_id: mandate },
      { consent_type: "ap2", action: "mandate_used", consent_id: mandate },
    ]);
    expect((await verify(service)).ok).toBe(true);
  });

  it("adjusts the reservation when its items change, and keeps it when the change is rejected", async () => {
    const mandate = await newMandate(service, shopper);
    const { id } = await bought(mandate);
    expect((await step(id, "update", { line_items: itemsOf(shelf.camera, 2) })).json).toMatchObject(
      { status: "ready_for_complete", totals: { total: "80.00" } },
    );
    expect(await mandateRow(service, mandate)).toMatchObject({
      reserved_amount: "80.00",
      reservations: 1,
    });
    expect(reasonOf(await step(id, "update", { line_items: itemsOf(shelf.camera, 3) }))).toEqual(
      refusedMandate("exceeded"),
    );
    expect(await mandateRow(service, mandate)).toMatchObject({
      reserved_amount: "80.00",
      reservations: 1,
    });
    expect((await checkoutAs(service, id)).totals.total).toBe("80.00");
  });

  it("releases its reservation when it is canceled, once", async () => {
    const mandate = await newMandate(service, shopper, { usage: "multi" });
    const { id } = await bought(mandate);
    await bought(mandate);
    for (let times = 0; times < 3; times += 1) await step(id, "cancel");
    expect(await mandateRow(service, mandate)).toMatchObject({
      reserved_amount: "40.00",
      reservations: 1,
    });
  });

  it("releases it after its expiry: for the next checkout at once, in the ledger by the scheduled run", async () => {
    const mandate = await newMandate(service, shopper);
    const { id } = await bought(mandate);
    expect(reasonOf(await buy(mandate))).toEqual(refusedMandate("used"));
    await expireNow(service, id);
    const next = await bought(mandate);
    expect(next.status).toBe("ready_for_complete");
    await expireNow(service, next.id);
    const report = await runScheduledNow(service.ctx);
    expect(report.steps.checkouts).toBeDefined();
    expect(await mandateRow(service, mandate)).toMatchObject({ ...UNTOUCHED, status: "active" });
    expect((await checkoutAs(service, next.id)).status).toBe("canceled");
  });

  it("counts an order that arrives after the cancellation", async () => {
    const mandate = await newMandate(service, shopper);
    const { id, checkout_url } = await bought(mandate);
    await step(id, "cancel");
    await service.sandbox.storefront.pay(SHOP, checkout_url);
    await completed(service, id);
    expect(await mandateRow(service, mandate)).toEqual({
      spent_amount: "40.00",
      reserved_amount: "0.00",
      reservations: 0,
      status: "used",
    });
  });

  it.each(["multi", "single"])(
    "of a %s mandate keeps its reservation when the order of a canceled one arrives",
    async (usage) => {
      const mandate = await newMandate(service, shopper, { usage, max_amount: "70.00" });
      const canceled = await bought(mandate);
      await step(canceled.id, "cancel");
      const held = await bought(mandate);
      await service.sandbox.storefront.pay(SHOP, canceled.checkout_url);
      await completed(service, canceled.id);
      expect(await mandateRow(service, mandate)).toEqual({
        spent_amount: "30.00",
        reserved_amount: "40.00",
        reservations: 1,
        status: "active",
      });
      expect((await step(held.id, "complete")).json.status).toBe("complete_in_progress");
      await service.sandbox.storefront.pay(SHOP, held.checkout_url);
      await completed(service, held.id);
      expect(await mandateRow(service, mandate)).toEqual({
        spent_amount: "70.00",
        reserved_amount: "0.00",
        reservations: 0,
        status: "used",
      });
    },
  );

  it.each(["canceled", "expired"])(
    "of a single mandate that an earlier order used leaves it used when it is %s",
    async (ending) => {
      const mandate = await newMandate(service, shopper, { max_amount: "70.00" });
      const paid = await bought(mandate);
      await step(paid.id, "cancel");
      const held = await bought(mandate);
      await service.sandbox.storefront.pay(SHOP, paid.checkout_url);
      await completed(service, paid.id);
      if (ending === "canceled") await step(held.id, "cancel");
      else {
        await expireNow(service, held.id);
        await runScheduledNow(service.ctx);
      }
      expect(await mandateRow(service, mandate)).toEqual({
        spent_amount: "40.00",
        reserved_amount: "0.00",
        reservations: 0,
        status: "used",
      });
      expect(reasonOf(await buy(mandate))).toEqual(refusedMandate("used"));
    },
  );

  it("counts the paid total when the cart was paid before an update", async () => {
    const mandate = await newMandate(service, shopper, { usage: "multi" });
    const { id, checkout_url } = await bought(mandate, itemsOf(shelf.camera, 2));
    await step(id, "update", { line_items: itemsOf(shelf.camera) });
    await service.sandbox.storefront.pay(SHOP, checkout_url);
    await completed(service, id);
    expect(await mandateRow(service, mandate)).toMatchObject({
      spent_amount: "80.00",
      reserved_amount: "0.00",
    });
  });
});

describe("a store that switched Shopify Flow on", () => {
  const switchFlow = (flow_enabled: boolean) =>
    service.call("POST", `/config?shop=${SHOP}`, { body: { flow_enabled } });
  beforeAll(() => switchFlow(true));
  afterAll(() => switchFlow(false));

  it("gets one trigger for a checkout under a mandate, whatever happens to the checkout later", async () => {
    const mandate = await newMandate(service, shopper, { usage: "multi" });
    const { id, checkout_url } = await bought(mandate);
    await step(id, "update", { line_items: itemsOf(shelf.camera, 2) });
    await service.sandbox.storefront.pay(SHOP, checkout_url);
    await completed(service, id);
    await eventually("Flow's events to be delivered", async () => {
      const waiting = await service.database.query(
        "SELECT 1 FROM integration_queue WHERE channel = 'flow' AND status <> 'delivered'",
      );
      return waiting.length === 0;
    });
    const used = service.sandbox.storefront
      .flowTriggers(SHOP)
      .filter(({ handle }) => handle === "mandate-used");
    expect(used.map(({ payload }) => payload)).toEqual([
      {
        customer_id: shopper.gid.split("/").at(-1),
        "Mandate id": mandate,
        Amount: 40,
        Currency: "EUR",
        "Change id": expect.any(String),
      },
    ]);
  });
});

describe("a price that changes before the checkout is completed", () => {
  afterEach(() => setPrice("40.00"));

  it.each(["cart", "draft_order"])(
    "requires the shopper's review (%s) until an update accepts the new one",
    async (source) => {
      if (source === "draft_order") closeCarts(service);
      const mandate = await newMandate(service, shopper);
      const { id, source: made } = await bought(mandate);
      expect(made).toBe(source);
      setPrice("45.50");
      for (let times = 0; times < 2; times += 1)
        expect((await step(id, "complete")).json).toMatchObject({
          status: "requires_escalation",
          totals: { total: "40.00" },
          messages: [{ code: "price_changed", severity: "requires_buyer_review" }],
        });
      expect((await checkoutAs(service, id)).messages).toMatchObject([
        { code: "price_changed", severity: "requires_buyer_review" },
      ]);
      expect(await mandateRow(service, mandate)).toMatchObject({ reserved_amount: "40.00" });
      expect((await step(id, "update", { line_items: itemsOf(shelf.camera) })).json).toMatchObject({
        status: "ready_for_complete",
        totals: { total: "45.50" },
      });
      expect((await checkoutAs(service, id)).messages).toBeUndefined();
      expect((await step(id, "complete")).json.status).toBe("complete_in_progress");
      expect(await mandateRow(service, mandate)).toMatchObject({ reserved_amount: "45.50" });
      openCarts(service);
    },
  );

  it("is not assumed unchanged when the storefront does not answer", async () => {
    const { id } = await bought(await newMandate(service, shopper));
    service.sandbox.failNext("storefront", { status: 503, match: CART_API });
    expect((await step(id, "complete")).json).toMatchObject({
      status: "requires_escalation",
      messages: [{ code: "offer_unconfirmed" }],
    });
    expect((await step(id, "complete")).json.status).toBe("complete_in_progress");
  });

  it("is not assumed after a confirmation when the storefront does not answer: what was accepted stays", async () => {
    const { id } = await bought(await newMandate(service, shopper));
    const confirmed = (await step(id, "complete")).json;
    service.sandbox.failNext("storefront", { status: 503, match: CART_API });
    const repeated = await step(id, "complete");
    openCarts(service);
    expect([repeated.status, repeated.json]).toEqual([200, confirmed]);
    expect(await checkoutAs(service, id)).toMatchObject({ status: "complete_in_progress" });
    const change = await step(id, "update", { line_items: itemsOf(shelf.lamp) });
    expect(change.json.code).toBe("checkout_closed");
    setPrice("45.50");
    expect((await step(id, "complete")).json).toMatchObject({
      status: "requires_escalation",
      messages: [{ code: "price_changed" }],
    });
  });
});

it.each(["cart", "draft_order"])(
  "an item that is sold out before the checkout is completed requires the shopper's review (%s)",
  async (source) => {
    if (source === "draft_order") closeCarts(service);
    const { id, source: made } = await bought(await newMandate(service, shopper));
    expect(made).toBe(source);
    setPrice("40.00", 0);
    expect((await step(id, "complete")).json).toMatchObject({
      status: "requires_escalation",
      messages: [{ code: "out_of_stock", severity: "requires_buyer_review" }],
    });
    setPrice("40.00");
    expect((await step(id, "complete")).json.status).toBe("complete_in_progress");
    openCarts(service);
  },
);

it("a paid draft order whose webhook was lost is found when its checkout is completed, or by the scheduled run", async () => {
  closeCarts(service);
  const mandate = await newMandate(service, shopper, { usage: "multi" });
  const [asked, forgotten] = [await bought(mandate), await bought(mandate)];
  openCarts(service);
  for (const { checkout_url } of [asked, forgotten])
    await service.sandbox.storefront.pay(SHOP, checkout_url, { uri: "http://127.0.0.1:1/nowhere" });
  expect((await step(asked.id, "complete")).json).toMatchObject({
    status: "completed",
    order_id: expect.stringContaining("/Order/"),
  });
  await expireNow(service, forgotten.id);
  await runScheduledNow(service.ctx);
  expect(await checkoutAs(service, forgotten.id)).toMatchObject({
    status: "completed",
    order_id: expect.stringContaining("/Order/"),
  });
  expect(await mandateRow(service, mandate)).toMatchObject({
    spent_amount: "80.00",
    reserved_amount: "0.00",
    reservations: 0,
  });
});

describe("concurrency", () => {
  it("a revocation during a checkout neither fails nor leaves an open checkout on a revoked mandate", async () => {
    for (let times = 0; times < 8; times += 1) {
      const person = await newPayer(service);
      const mandate = await newMandate(service, person, { usage: "multi" });
      const answers = await Promise.all(
        [1, 2, 3]
          .map(() =>
            makeCheckout(service, person, {
              line_items: itemsOf(shelf.camera),
              mandate_id: mandate,
            }),
          )
          .concat(consent(service, person, { consent_ap2: false }) as never),
      );
      for (const answer of answers.slice(0, 3)) expect([201, 403]).toContain(answer.status);
      const held = answers.slice(0, 3).filter(({ status }) => status === 201).length;
      expect(await mandateRow(service, mandate)).toMatchObject({
        status: "revoked",
        reservations: held,
      });
    }
  });

  it("complete, cancel and the order never count twice", async () => {
    for (let times = 0; times < 6; times += 1) {
      const mandate = await newMandate(service, shopper, { usage: "multi", max_amount: "1000.00" });
      const { id, checkout_url } = await bought(mandate);
      await Promise.all([
        service.sandbox.storefront.pay(SHOP, checkout_url),
        step(id, "cancel"),
        step(id, "complete"),
        step(id, "update", { line_items: itemsOf(shelf.camera) }),
      ]);
      await completed(service, id);
      expect(await mandateRow(service, mandate)).toMatchObject({
        spent_amount: "40.00",
        reserved_amount: "0.00",
        reservations: 0,
      });
    }
  });
});
