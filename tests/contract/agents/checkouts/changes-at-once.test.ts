// Two calls for one checkout at the same moment: a shopper's new address, an agent's new quantity, a completion.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  act,
  checkoutAs,
  itemsOf,
  makeCheckout,
  newMandate,
  newPayer,
  seedProducts,
  sentAs,
  type Shelf,
} from "../../../support/agents/checkout.ts";
import type { Shopper } from "../../../support/agents/commerce.ts";
import { SHOP, startService, type Answer, type Service } from "../../../support/service.ts";
import { statementsWait } from "../../../support/processes/locked-rows.ts";

let service: Service;
let shelf: Shelf;
let shopper: Shopper;

beforeAll(async () => {
  service = await startService({ background: true });
  shelf = await seedProducts(service);
  shopper = await newPayer(service);
});
afterAll(() => service.stop());
beforeEach(() =>
  service.sandbox.storefront.putDelivery(SHOP, {
    rates: [{ title: "Standard", code: "STD", price: "4.90" }],
  }),
);

const addressIn = (city: string) => ({
  street_address: "Hinterhof-Allee 7",
  address_locality: city,
  postal_code: "50667",
  address_country: "DE",
});
const cityOf = ({ input }: any): string | undefined =>
  input.delivery?.addresses?.[0]?.address?.deliveryAddress?.city;

/** Both calls have read the checkout before the first of them changes it. */
async function atOnce(
  id: string,
  first: () => Promise<Answer>,
  second: () => Promise<Answer>,
): Promise<[Answer, Answer]> {
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  try {
    await holder.query("BEGIN");
    await holder.query("SELECT 1 FROM checkout_sessions WHERE id = $1 FOR UPDATE", [id]);
    const earlier = first();
    await statementsWait(service.database, 1);
    const later = second();
    await statementsWait(service.database, 2);
    await holder.query("COMMIT");
    return [await earlier, await later];
  } finally {
    await holder.end();
  }
}

it("two updates at once both count: the last cart has the new address and the new quantity", async () => {
  const made = await makeCheckout(service, shopper, {
    line_items: itemsOf(shelf.camera),
    delivery: { address: addressIn("Bonn") },
  });
  const { id } = made.json;
  const [moved, doubled] = await atOnce(
    id,
    () =>
      act(service, shopper, id, "update", {
        line_items: itemsOf(shelf.camera),
        delivery: { address: addressIn("Aachen") },
      }),
    () => act(service, shopper, id, "update", { line_items: itemsOf(shelf.camera, 2) }),
  );
  expect([moved.status, doubled.status]).toEqual([200, 200]);
  expect((await checkoutAs(service, id)).line_items[0].quantity).toBe(2);
  expect(cityOf(sentAs(service, "CartCreate").at(-1))).toBe("Aachen");
});

it("a completion does not confirm a cart that replaced the one it has read", async () => {
  const mandate = await newMandate(service, shopper);
  const made = await makeCheckout(service, shopper, {
    line_items: itemsOf(shelf.camera),
    mandate_id: mandate,
  });
  const { id } = made.json;
  const [updated, asked] = await atOnce(
    id,
    () => act(service, shopper, id, "update", { line_items: itemsOf(shelf.camera) }),
    () => act(service, shopper, id, "complete"),
  );
  expect([updated.status, asked.status]).toEqual([200, 200]);
  expect(asked.json).toMatchObject({
    status: "requires_escalation",
    messages: [{ code: "offer_unconfirmed" }],
  });
  expect((await act(service, shopper, id, "complete")).json.status).toBe("complete_in_progress");
});
