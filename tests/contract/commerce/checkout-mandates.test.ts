// A checkout under a mandate: what it holds, what refuses it, and what becomes of the money.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { act, CART_API, checkoutAs, completed, itemsOf, letExpire, makeCheckout, mandateRow, newMandate, newPayer, openShelf, setCartToken, type Shelf } from "../../support/checkout.ts";
import { asAgent, consent, type Shopper } from "../../support/commerce.ts";
import { verify } from "../../support/consent.ts";
import { eventually, SHOP, startService, type Service } from "../../support/service.ts";
import { runScheduledNow } from "../../../app/domain/scheduled-run.ts";
import { forgot, mailedToken, reset } from "../identity/people.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService({ background: true });
  shelf = await openShelf(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  shopper = await newPayer(service);
});
afterEach(() => service.sandbox.clearFaults());

const buy = (mandate: string, items: object[] = itemsOf(shelf.camera)) => makeCheckout(service, shopper, { line_items: items, mandate_id: mandate });
const bought = async (mandate: string, items?: object[]) => (await buy(mandate, items)).json;
const act_ = (id: string, verb: "update" | "complete" | "cancel", body: object = {}) => act(service, shopper, id, verb, body);
const UNTOUCHED = { spent_amount: "0.00", reserved_amount: "0.00", reservations: 0 };
const reasonOf = ({ status, json }: { status: number; json: any }) => [status, json.error, json.code, json.reason];
const refused = (reason: string) => [403, "Forbidden", "mandate_refused", reason];
const setPrice = (price: string) => service.sandbox.storefront.putProduct(SHOP, { gid: shelf.cameraProduct, title: "Trail Camera", variants: [{ gid: shelf.camera, sku: "CAM-9", price, stock: 500 }] });
const sessions = async (): Promise<number> => (await service.database.query("SELECT count(*)::int AS n FROM checkout_sessions WHERE customer_id = $1", [shopper.id]))[0].n;

describe("a checkout with a mandate", () => {
  it("holds its total, is ready, and spends it when its order comes", async () => {
    const mandate = await newMandate(service, shopper);
    const made = await buy(mandate);
    expect([made.status, made.json]).toMatchObject([201, { status: "ready_for_complete", mandate_id: mandate, totals: { total: "40.00" } }]);
    expect(await mandateRow(service, mandate)).toEqual({ spent_amount: "0.00", reserved_amount: "40.00", reservations: 1, status: "active" });
    const asked = await act_(made.json.id, "complete");
    expect([asked.status, asked.json]).toEqual([200, { ...made.json, status: "complete_in_progress" }]);
    expect((await act_(made.json.id, "update", { line_items: itemsOf(shelf.lamp) })).json.code).toBe("checkout_closed");
    const { order } = await service.sandbox.storefront.pay(SHOP, made.json.checkout_url);
    expect(await completed(service, made.json.id)).toMatchObject({ order_id: order.gid });
    expect(await mandateRow(service, mandate)).toEqual({ spent_amount: "40.00", reserved_amount: "0.00", reservations: 0, status: "used" });
    expect(reasonOf(await buy(mandate))).toEqual(refused("used"));
  });

  it("is completed once by an order that is told twice", async () => {
    const mandate = await newMandate(service, shopper, { usage: "multi" });
    const { id, checkout_url } = await bought(mandate);
    const { order } = await service.sandbox.storefront.pay(SHOP, checkout_url);
    await completed(service, id);
    for (let times = 0; times < 2; times += 1) await service.webhook("orders-create", JSON.stringify({ admin_graphql_api_id: order.gid, note_attributes: [{ name: "checkout_id", value: id }] }), { headers: { "X-Shopify-Webhook-Id": randomUUID() } });
    await eventually("the orders worked", async () => (await service.database.query("SELECT 1 FROM webhook_inbox WHERE status <> 'done'")).length === 0);
    expect(await mandateRow(service, mandate)).toEqual({ spent_amount: "40.00", reserved_amount: "0.00", reservations: 0, status: "active" });
    const told = await service.database.query("SELECT event_type FROM integration_queue WHERE channel = 'web_analytics' AND entity_id = $1 AND event_type = 'checkout.completed'", [String(shopper.id)]);
    expect(told).toHaveLength(1);
  });

  it("tells analytics and writes the audit row in the same breath", async () => {
    const before = service.sandbox.analytics.hits().length;
    const mandate = await newMandate(service, shopper);
    const { checkout_url, id } = await bought(mandate);
    await service.sandbox.storefront.pay(SHOP, checkout_url);
    await completed(service, id);
    const names = () => service.sandbox.analytics.hits().slice(before).flatMap(({ body }: any) => body.events.map(({ name }: any) => name));
    await eventually("the four events", () => ["ucp_mandate_created", "ucp_mandate_used", "ucp_checkout_created", "ucp_checkout_completed"].every((name) => names().includes(name)));
    const rows = await service.database.query("SELECT consent_type, action, consent_id FROM consent_records WHERE user_id = $1 AND consent_id = $2 ORDER BY seq", [shopper.id, mandate]);
    expect(rows).toEqual([{ consent_type: "ap2", action: "mandate_created", consent_id: mandate }, { consent_type: "ap2", action: "mandate_used", consent_id: mandate }]);
    expect((await verify(service)).ok).toBe(true);
  });

  it("moves what it holds when its items change, and keeps it when they may not", async () => {
    const mandate = await newMandate(service, shopper);
    const { id } = await bought(mandate);
    expect((await act_(id, "update", { line_items: itemsOf(shelf.camera, 2) })).json).toMatchObject({ status: "ready_for_complete", totals: { total: "80.00" } });
    expect(await mandateRow(service, mandate)).toMatchObject({ reserved_amount: "80.00", reservations: 1 });
    expect(reasonOf(await act_(id, "update", { line_items: itemsOf(shelf.camera, 3) }))).toEqual(refused("exceeded"));
    expect(await mandateRow(service, mandate)).toMatchObject({ reserved_amount: "80.00", reservations: 1 });
    expect((await checkoutAs(service, id)).totals.total).toBe("80.00");
  });

  it("gives back what it holds when it is canceled, once", async () => {
    const mandate = await newMandate(service, shopper, { usage: "multi" });
    const { id } = await bought(mandate);
    await bought(mandate);
    for (let times = 0; times < 3; times += 1) await act_(id, "cancel");
    expect(await mandateRow(service, mandate)).toMatchObject({ reserved_amount: "40.00", reservations: 1 });
  });

  it("gives it back after its time: to the next checkout at once, to the ledger by the scheduled run", async () => {
    const mandate = await newMandate(service, shopper);
    const { id } = await bought(mandate);
    expect(reasonOf(await buy(mandate))).toEqual(refused("used"));
    await letExpire(service, id);
    const next = await bought(mandate);
    expect(next.status).toBe("ready_for_complete");
    await letExpire(service, next.id);
    const report = await runScheduledNow(service.ctx);
    expect(report.steps.checkouts).toBeDefined();
    expect(await mandateRow(service, mandate)).toMatchObject({ ...UNTOUCHED, status: "active" });
    expect((await checkoutAs(service, next.id)).status).toBe("canceled");
  });

  it("counts an order that comes after it was canceled", async () => {
    const mandate = await newMandate(service, shopper);
    const { id, checkout_url } = await bought(mandate);
    await act_(id, "cancel");
    await service.sandbox.storefront.pay(SHOP, checkout_url);
    await completed(service, id);
    expect(await mandateRow(service, mandate)).toEqual({ spent_amount: "40.00", reserved_amount: "0.00", reservations: 0, status: "used" });
  });

  it("counts what was paid for when that is the basket before an update", async () => {
    const mandate = await newMandate(service, shopper, { usage: "multi" });
    const { id, checkout_url } = await bought(mandate, itemsOf(shelf.camera, 2));
    await act_(id, "update", { line_items: itemsOf(shelf.camera) });
    await service.sandbox.storefront.pay(SHOP, checkout_url);
    await completed(service, id);
    expect(await mandateRow(service, mandate)).toMatchObject({ spent_amount: "80.00", reserved_amount: "0.00" });
  });
});

describe("a price that changes before the checkout is completed", () => {
  afterEach(() => setPrice("40.00"));

  it.each(["cart", "draft_order"])("is for the shopper to look at (%s), until an update takes the new one", async (source) => {
    if (source === "draft_order") await setCartToken(service, null);
    const mandate = await newMandate(service, shopper);
    const { id, source: made } = await bought(mandate);
    expect(made).toBe(source);
    setPrice("45.50");
    for (let times = 0; times < 2; times += 1) expect((await act_(id, "complete")).json).toMatchObject({ status: "requires_escalation", totals: { total: "40.00" }, messages: [{ code: "price_changed", severity: "requires_buyer_review" }] });
    expect(await mandateRow(service, mandate)).toMatchObject({ reserved_amount: "40.00" });
    expect((await act_(id, "update", { line_items: itemsOf(shelf.camera) })).json).toMatchObject({ status: "ready_for_complete", totals: { total: "45.50" } });
    expect((await act_(id, "complete")).json.status).toBe("complete_in_progress");
    expect(await mandateRow(service, mandate)).toMatchObject({ reserved_amount: "45.50" });
    await setCartToken(service, "public-token-of-the-store");
  });

  it("is not taken for unchanged when the storefront does not say", async () => {
    const { id } = await bought(await newMandate(service, shopper));
    service.sandbox.failNext("storefront", { status: 503, match: CART_API });
    expect((await act_(id, "complete")).json).toMatchObject({ status: "requires_escalation", messages: [{ code: "offer_unconfirmed" }] });
    expect((await act_(id, "complete")).json.status).toBe("complete_in_progress");
  });
});

it("a draft order that was paid for without a word is found when its checkout is completed, or by the scheduled run", async () => {
  await setCartToken(service, null);
  const mandate = await newMandate(service, shopper, { usage: "multi" });
  const [asked, forgotten] = [await bought(mandate), await bought(mandate)];
  await setCartToken(service, "public-token-of-the-store");
  for (const { checkout_url } of [asked, forgotten]) await service.sandbox.storefront.pay(SHOP, checkout_url, { uri: "http://127.0.0.1:1/nowhere" });
  expect((await act_(asked.id, "complete")).json).toMatchObject({ status: "completed", order_id: expect.stringContaining("/Order/") });
  await letExpire(service, forgotten.id);
  await runScheduledNow(service.ctx);
  expect(await checkoutAs(service, forgotten.id)).toMatchObject({ status: "completed", order_id: expect.stringContaining("/Order/") });
  expect(await mandateRow(service, mandate)).toMatchObject({ spent_amount: "80.00", reserved_amount: "0.00", reservations: 0 });
});

describe("a mandate refuses", () => {
  it.each<[string, object, (() => object[])?]>([
    ["exceeded", { max_amount: "39.99" }], ["currency_mismatch", { currency: "USD" }], ["wrong_scope", { scope: "collection:home" }], ["wrong_scope", { scope: "collection:nowhere" }], ["wrong_scope", { scope: "product:gid://shopify/Product/1" }],
    ["wrong_scope", { scope: "collection:outdoor" }, () => [...itemsOf(shelf.camera), ...itemsOf(shelf.lamp)]],
  ])("%s: %j", async (reason, fields, items) => {
    const mandate = await newMandate(service, shopper, fields);
    expect(reasonOf(await buy(mandate, items?.()))).toEqual(refused(reason));
    expect(await mandateRow(service, mandate)).toMatchObject({ ...UNTOUCHED, status: "active" });
    expect(await sessions()).toBe(0);
  });

  it.each(["all", "collection:outdoor", () => `product:${shelf.cameraProduct}`])("nothing within its scope: %s", async (scope) => {
    expect((await buy(await newMandate(service, shopper, { scope: typeof scope === "function" ? scope() : scope }))).status).toBe(201);
  });

  it("an update beyond its scope", async () => {
    const { id } = await bought(await newMandate(service, shopper, { scope: "collection:outdoor" }));
    expect(reasonOf(await act_(id, "update", { line_items: itemsOf(shelf.lamp) }))).toEqual(refused("wrong_scope"));
    expect((await checkoutAs(service, id)).totals.total).toBe("40.00");
  });

  it("after its time, at every step", async () => {
    const mandate = await newMandate(service, shopper, { usage: "multi" });
    const { id } = await bought(mandate);
    await service.database.query("UPDATE mandates SET expires_at = now() - interval '1 second' WHERE mandate_id = $1", [mandate]);
    for (const answer of [await buy(mandate), await act_(id, "update", { line_items: itemsOf(shelf.camera) }), await act_(id, "complete")]) expect(reasonOf(answer)).toEqual(refused("expired"));
    expect((await act_(id, "cancel")).json.status).toBe("canceled");
  });

  it.each<[string, () => Promise<unknown>]>([
    ["consent_ap2 was withdrawn", () => consent(service, shopper, { consent_ap2: false })],
    ["consent_ap2 was withdrawn and given again", async () => { await consent(service, shopper, { consent_ap2: false }); await consent(service, shopper, { consent_ap2: true }); }],
    ["the shopper revoked it", async () => { for (const { mandate_id } of (await asAgent(service, shopper, "GET", "/commerce/mandates")).json.mandates) await asAgent(service, shopper, "DELETE", `/commerce/mandates/${mandate_id}`); }],
  ])("as revoked at every step after %s between making and completing", async (_what, withdraw) => {
    const mandate = await newMandate(service, shopper, { usage: "multi" });
    const { id } = await bought(mandate);
    await withdraw();
    for (const answer of [await act_(id, "complete"), await act_(id, "update", { line_items: itemsOf(shelf.camera) }), await buy(mandate)]) expect(reasonOf(answer)).toEqual(refused("revoked"));
    expect((await checkoutAs(service, id)).status).toBe("ready_for_complete");
    expect((await act_(id, "cancel")).json.status).toBe("canceled");
    expect(await mandateRow(service, mandate)).toMatchObject({ ...UNTOUCHED, status: "revoked" });
  });

  it("whoever is somebody else, as if it were not there", async () => {
    const theirs = await newMandate(service, await newPayer(service));
    expect((await buy(theirs)).json.code).toBe("not_found");
    expect(await mandateRow(service, theirs)).toMatchObject(UNTOUCHED);
  });

  it("everything where the store takes no payments by agents, and after a password reset", async () => {
    const mandate = await newMandate(service, shopper);
    const { id } = await bought(mandate);
    await service.call("POST", `/config?shop=${SHOP}`, { body: { agent_payments_enabled: false } });
    expect([(await buy(mandate)).json.code, (await act_(id, "complete")).json.code]).toEqual(["agent_payments_disabled", "agent_payments_disabled"]);
    await service.call("POST", `/config?shop=${SHOP}`, { body: { agent_payments_enabled: true } });
    await forgot(service, shopper.email);
    await reset(service, await mailedToken(service, shopper.email, "/auth/password/reset"), "another horse battery");
    expect((await act_(id, "complete")).status).toBe(401);
    expect(await mandateRow(service, mandate)).toMatchObject({ status: "revoked" });
  });
});

describe("at once", () => {
  it("a withdrawal never meets a checkout half way: nothing fails, nothing open is left on a dead mandate's word", async () => {
    for (let times = 0; times < 8; times += 1) {
      const person = await newPayer(service);
      const mandate = await newMandate(service, person, { usage: "multi" });
      const answers = await Promise.all([1, 2, 3].map(() => makeCheckout(service, person, { line_items: itemsOf(shelf.camera), mandate_id: mandate })).concat(consent(service, person, { consent_ap2: false }) as never));
      for (const answer of answers.slice(0, 3)) expect([201, 403]).toContain(answer.status);
      const held = answers.slice(0, 3).filter(({ status }) => status === 201).length;
      expect(await mandateRow(service, mandate)).toMatchObject({ status: "revoked", reservations: held });
    }
  });

  it("completing, canceling and the order never count twice", async () => {
    for (let times = 0; times < 6; times += 1) {
      const mandate = await newMandate(service, shopper, { usage: "multi", max_amount: "1000.00" });
      const { id, checkout_url } = await bought(mandate);
      await Promise.all([service.sandbox.storefront.pay(SHOP, checkout_url), act_(id, "cancel"), act_(id, "complete"), act_(id, "update", { line_items: itemsOf(shelf.camera) })]);
      await completed(service, id);
      expect(await mandateRow(service, mandate)).toMatchObject({ spent_amount: "40.00", reserved_amount: "0.00", reservations: 0 });
    }
  });
});
