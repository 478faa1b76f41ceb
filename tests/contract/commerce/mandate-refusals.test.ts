// Every rejection of a mandate at every step of a checkout, with its reason; a rejection changes
// nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  act,
  checkoutAs,
  itemsOf,
  makeCheckout,
  mandateRow,
  newMandate,
  newPayer,
  reasonOf,
  refusedMandate,
  seedProducts,
  type Shelf,
  UNTOUCHED,
} from "../../support/agents/checkout.ts";
import { asAgent, consent, type Shopper } from "../../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";
import { forgot, mailedToken, reset } from "../identity/people.ts";

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

const buy = (mandate: string, items: object[] = itemsOf(shelf.camera)) =>
  makeCheckout(service, shopper, { line_items: items, mandate_id: mandate });
const bought = async (mandate: string, items?: object[]) => (await buy(mandate, items)).json;
const step = (id: string, verb: "update" | "complete" | "cancel", body: object = {}) =>
  act(service, shopper, id, verb, body);
const sessions = async (): Promise<number> =>
  (
    await service.database.query(
      "SELECT count(*)::int AS n FROM checkout_sessions WHERE customer_id = $1",
      [shopper.id],
    )
  )[0].n;

describe("a mandate", () => {
  it.each<[string, object, (() => object[])?]>([
    ["exceeded", { max_amount: "39.99" }],
    ["currency_mismatch", { currency: "USD" }],
    ["wrong_scope", { scope: "collection:home" }],
    ["wrong_scope", { scope: "collection:nowhere" }],
    ["wrong_scope", { scope: "product:gid://shopify/Product/1" }],
    [
      "wrong_scope",
      { scope: "collection:outdoor" },
      () => [...itemsOf(shelf.camera), ...itemsOf(shelf.lamp)],
    ],
  ])("rejects a checkout as %s: %j", async (reason, fields, items) => {
    const mandate = await newMandate(service, shopper, fields);
    expect(reasonOf(await buy(mandate, items?.()))).toEqual(refusedMandate(reason));
    expect(await mandateRow(service, mandate)).toMatchObject({ ...UNTOUCHED, status: "active" });
    expect(await sessions()).toBe(0);
  });

  it.each<[what: string, scope: () => string]>([
    ["all", () => "all"],
    ["its collection", () => "collection:outdoor"],
    ["its product", () => `product:${shelf.cameraProduct}`],
  ])("accepts an item when its scope is %s", async (_what, scope) => {
    const mandate = await newMandate(service, shopper, { scope: scope() });
    expect((await buy(mandate)).status).toBe(201);
  });

  it("accepts a checkout of a hundred items of its collection", async () => {
    const { variants } = service.sandbox.storefront.putProduct(SHOP, {
      title: "Beads",
      collections: ["beads"],
      variants: Array.from({ length: 100 }, () => ({ price: "0.10" })),
    });
    const answer = await buy(
      await newMandate(service, shopper, { scope: "collection:beads" }),
      variants.flatMap(({ gid }) => itemsOf(gid)),
    );
    expect([answer.status, answer.json.totals]).toEqual([
      201,
      { subtotal: "10.00", total: "10.00" },
    ]);
  });

  it("rejects an update beyond its scope", async () => {
    const { id } = await bought(
      await newMandate(service, shopper, { scope: "collection:outdoor" }),
    );
    expect(reasonOf(await step(id, "update", { line_items: itemsOf(shelf.lamp) }))).toEqual(
      refusedMandate("wrong_scope"),
    );
    expect((await checkoutAs(service, id)).totals.total).toBe("40.00");
  });

  it("rejects every checkout step but the cancellation after its expiry", async () => {
    const mandate = await newMandate(service, shopper, { usage: "multi" });
    const { id } = await bought(mandate);
    await service.database.query(
      "UPDATE mandates SET expires_at = now() - interval '1 second' WHERE mandate_id = $1",
      [mandate],
    );
    for (const answer of [
      await buy(mandate),
      await step(id, "update", { line_items: itemsOf(shelf.camera) }),
      await step(id, "complete"),
    ])
      expect(reasonOf(answer)).toEqual(refusedMandate("expired"));
    expect((await step(id, "cancel")).json.status).toBe("canceled");
  });

  it.each<[string, () => Promise<unknown>]>([
    ["consent_ap2 was withdrawn", () => consent(service, shopper, { consent_ap2: false })],
    [
      "consent_ap2 was withdrawn and given again",
      async () => {
        await consent(service, shopper, { consent_ap2: false });
        await consent(service, shopper, { consent_ap2: true });
      },
    ],
    [
      "the shopper revoked it",
      async () => {
        for (const { mandate_id } of (await asAgent(service, shopper, "GET", "/commerce/mandates"))
          .json.mandates)
          await asAgent(service, shopper, "DELETE", `/commerce/mandates/${mandate_id}`);
      },
    ],
  ])(
    "rejects every step but the cancellation when %s between creation and completion",
    async (_what, withdraw) => {
      const mandate = await newMandate(service, shopper, { usage: "multi" });
      const { id } = await bought(mandate);
      await withdraw();
      for (const answer of [
        await step(id, "complete"),
        await step(id, "update", { line_items: itemsOf(shelf.camera) }),
        await buy(mandate),
      ])
        expect(reasonOf(answer)).toEqual(refusedMandate("revoked"));
      expect((await checkoutAs(service, id)).status).toBe("ready_for_complete");
      expect((await step(id, "cancel")).json.status).toBe("canceled");
      expect(await mandateRow(service, mandate)).toMatchObject({ ...UNTOUCHED, status: "revoked" });
    },
  );

  it("is not found for another person", async () => {
    const theirs = await newMandate(service, await newPayer(service));
    expect((await buy(theirs)).json.code).toBe("not_found");
    expect(await mandateRow(service, theirs)).toMatchObject(UNTOUCHED);
  });

  it("rejects every step while the store disables payments by agents, and after a password reset", async () => {
    const mandate = await newMandate(service, shopper);
    const { id } = await bought(mandate);
    await service.call("POST", `/config?shop=${SHOP}`, { body: { agent_payments_enabled: false } });
    expect([(await buy(mandate)).json.code, (await step(id, "complete")).json.code]).toEqual([
      "agent_payments_disabled",
      "agent_payments_disabled",
    ]);
    await service.call("POST", `/config?shop=${SHOP}`, { body: { agent_payments_enabled: true } });
    await forgot(service, shopper.email);
    await reset(
      service,
      await mailedToken(service, shopper.email, "/auth/password/reset"),
      "another horse battery",
    );
    expect((await step(id, "complete")).status).toBe(401);
    expect(await mandateRow(service, mandate)).toMatchObject({ status: "revoked" });
  });
});
