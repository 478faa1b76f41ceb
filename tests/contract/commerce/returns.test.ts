// Returns: reported by the warehouse for an order, shown to the order's customer.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  asAgent,
  asShopper,
  callsOf,
  consent,
  newShopper,
  openStore,
  type Shopper,
} from "../../support/agents/commerce.ts";
import { eventually, OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { signUp } from "../identity/people.ts";

let service: Service;
let shopper: Shopper;
beforeAll(async () => {
  service = await startService({ background: true });
  for (const shop of [SHOP, OTHER_SHOP]) await openStore(service, shop);
});
afterAll(() => service.stop());
beforeEach(async () => {
  shopper = await newShopper(service);
});

let cases = 0;
const orderOf = (gid: string) =>
  service.sandbox.storefront.putOrder(SHOP, { customerGid: gid, lines: [] });

/** The warehouse's event of a return. */
async function returned(
  orderRef: string | undefined,
  serials = ["SN-1"],
  shop = SHOP,
): Promise<string> {
  const rma = `RMA-${(cases += 1)}`;
  for (const serial of serials.map((name) => `${name}-of-${rma}`)) {
    const body = {
      event_type: "unit.returned",
      entity_type: "inventory",
      entity_id: serial,
      timestamp: "2026-11-20T10:00:00Z",
      payload: {
        serial,
        mpn: "CAM-9",
        movement: "return",
        rma_ref: rma,
        ...(orderRef && { order_ref: orderRef }),
      },
    };
    const answer = await service.call("POST", `/events/ingest?shop=${shop}&source=wms`, { body });
    if (answer.status !== 202) throw new Error(`the return was not taken: ${answer.text}`);
  }
  await eventually(
    "the return filed",
    async () =>
      (
        await service.database.query(
          "SELECT 1 FROM return_cases WHERE rma = $1 AND jsonb_array_length(units) = $2",
          [rma, serials.length],
        )
      ).length === 1,
  );
  return rma;
}

const get = (rma: string, person = shopper) =>
  asShopper(service, person, "GET", `/commerce/returns/${encodeURIComponent(rma)}`);

describe("GET /commerce/returns/:rma", () => {
  it("returns case and units to the order's customer", async () => {
    const { gid } = orderOf(shopper.gid);
    const rma = await returned(gid, ["SN-1", "SN-2"]);
    const answer = await get(rma);
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        return: {
          rma,
          order_id: gid,
          status: "received",
          units: ["SN-1", "SN-2"].map((name) => ({
            serial: `${name}-of-${rma}`,
            mpn: "CAM-9",
            received_at: expect.stringMatching(/^2026-11-20T10:00:00/),
          })),
        },
      },
    ]);
  });

  it.each<[string, (order: { gid: string; name: string }) => string]>([
    ["gid", ({ gid }) => gid],
    ["number", ({ gid }) => gid.split("/").pop() as string],
    ["name", ({ name }) => name],
    ["name without its sign", ({ name }) => name.slice(1)],
  ])("finds the order by its %s", async (_what, refOf) => {
    const rma = await returned(refOf(orderOf(shopper.gid)));
    expect((await get(rma)).status).toBe(200);
    const asked = () => callsOf(service, "Order") + callsOf(service, "CustomerOrders");
    const before = asked();
    expect((await get(rma)).status).toBe(200);
    expect(asked()).toBe(before);
  });

  it("of another customer's order, without an order, unknown, or of another store answers the same 404", async () => {
    const [theirs, none] = [
      await returned(orderOf((await newShopper(service)).gid).gid),
      await returned(undefined),
    ];
    const elsewhere = await returned(orderOf(shopper.gid).gid, ["SN-1"], OTHER_SHOP);
    for (const rma of [theirs, none, elsewhere, "RMA-nothing", "x".repeat(300), "%"])
      expect((await get(rma)).json.code).toBe("not_found");
  });

  it("is hidden from an account with an unverified address", async () => {
    const stranger = { ...(await signUp(service)), gid: shopper.gid };
    const rma = await returned(orderOf(shopper.gid).gid);
    await service.database.query(
      "UPDATE storefront_users SET storefront_customer_gid = NULL WHERE id = $1",
      [shopper.id],
    );
    await service.database.query(
      "UPDATE storefront_users SET storefront_customer_gid = $2 WHERE id = $1",
      [stranger.id, shopper.gid],
    );
    expect((await get(rma, stranger)).status).toBe(404);
    expect((await get(rma)).status).toBe(404);
  });

  it("is open to the admin key of its own store", async () => {
    const rma = await returned(undefined);
    expect(
      (await service.call("GET", `/commerce/returns/${rma}?shop=${SHOP}`)).json.return.rma,
    ).toBe(rma);
    expect((await service.call("GET", `/commerce/returns/${rma}?shop=${OTHER_SHOP}`)).status).toBe(
      404,
    );
    expect(
      (await service.call("GET", `/commerce/returns/${randomUUID()}?shop=${SHOP}`)).status,
    ).toBe(404);
  });

  it("requires a principal of this store, and for an agent the shopper's consent", async () => {
    const rma = await returned(orderOf(shopper.gid).gid);
    for (const key of [null, "nonsense"])
      expect(
        (await service.call("GET", `/commerce/returns/${rma}?shop=${SHOP}`, { key })).status,
      ).toBe(401);
    expect(
      (
        await service.call("GET", `/commerce/returns/${rma}?shop=${OTHER_SHOP}`, {
          key: shopper.token,
        })
      ).status,
    ).toBe(401);
    expect((await asAgent(service, shopper, "GET", `/commerce/returns/${rma}`)).json.code).toBe(
      "agent_consent_required",
    );
    await consent(service, shopper, { consent_a2a: true });
    expect((await asAgent(service, shopper, "GET", `/commerce/returns/${rma}`)).status).toBe(200);
  });

  it("answers 502, not 404, when the storefront does not answer", async () => {
    const rma = await returned(orderOf(shopper.gid).gid);
    service.sandbox.failNext("storefront", { status: 503, match: /admin\/api/ }, 20);
    expect((await get(rma)).status).toBe(502);
    service.sandbox.clearFaults();
    expect((await get(rma)).status).toBe(200);
  });
});
