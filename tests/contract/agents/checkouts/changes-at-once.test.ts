// Two changes of one checkout at the same moment: a shopper's new address, an agent's new quantity.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  act,
  checkoutAs,
  itemsOf,
  makeCheckout,
  newPayer,
  seedProducts,
  sentAs,
  type Shelf,
} from "../../../support/agents/checkout.ts";
import type { Shopper } from "../../../support/agents/commerce.ts";
import { SHOP, startService, type Service } from "../../../support/service.ts";
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

it("keep what the other one changed: the last cart has the new address and the new quantity", async () => {
  const made = await makeCheckout(service, shopper, {
    line_items: itemsOf(shelf.camera),
    delivery: { address: addressIn("Bonn") },
  });
  const { id } = made.json;
  const holder = new pg.Client({ connectionString: service.database.url });
  await holder.connect();
  const waiting = (changes: number) => statementsWait(service.database, changes);
  try {
    await holder.query("BEGIN");
    await holder.query("SELECT 1 FROM checkout_sessions WHERE id = $1 FOR UPDATE", [id]);
    const moved = act(service, shopper, id, "update", {
      line_items: itemsOf(shelf.camera),
      delivery: { address: addressIn("Aachen") },
    });
    await waiting(1);
    const doubled = act(service, shopper, id, "update", { line_items: itemsOf(shelf.camera, 2) });
    await waiting(2);
    await holder.query("COMMIT");
    expect([(await moved).status, (await doubled).status]).toEqual([200, 200]);
  } finally {
    await holder.end();
  }
  expect((await checkoutAs(service, id)).line_items[0].quantity).toBe(2);
  expect(cityOf(sentAs(service, "CartCreate").at(-1))).toBe("Aachen");
});
