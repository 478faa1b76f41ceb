// How the store names the customer that it created for a sign-up.
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { eventually, SHOP, startService, type Service } from "../support/service.ts";
import { connectStore } from "../support/storefront/storefront.ts";
import { around } from "../support/storefront/synced-store.ts";

let service: Service;
let restore = () => {};
beforeAll(async () => {
  service = await startService({ background: true });
  await connectStore(service);
});
afterAll(() => service.stop());
afterEach(() => {
  restore();
  service.sandbox.clearFaults();
});

/** The account of a sign-up whose customer the store answers as `customer`. */
async function signUp(customer: unknown): Promise<number> {
  restore = around(service, (_call, { document }) => {
    if (document.startsWith("mutation CustomerCreate("))
      service.sandbox.failNext("storefront", {
        status: 200,
        body: { data: { customerCreate: { customer, userErrors: [] } } },
        match: "graphql",
      });
  });
  const { json } = await service.call("POST", `/auth/signup?shop=${SHOP}`, {
    key: null,
    body: {
      email: `created-${crypto.randomUUID()}@example.com`,
      password: "a long password",
      first_name: "Ada",
      last_name: "King",
      consent_tos: true,
      consent_privacy: true,
    },
  });
  return json.user.id;
}

const query = async (statement: string, user: number) =>
  (await service.database.query(statement, [SHOP, String(user)]))[0];
const gidOf = async (user: number) =>
  (
    await query(
      "SELECT storefront_customer_gid AS gid FROM storefront_users WHERE shop = $1 AND id = $2::int",
      user,
    )
  ).gid;

it.each([9_911, "9912", "gid://shopify/Customer/9913"])(
  "a customer created as %j is stored by its gid",
  async (id) => {
    const user = await signUp({ id });
    const digits = String(id).split("/").pop();
    expect(await eventually("the customer's gid", () => gidOf(user))).toBe(
      `gid://shopify/Customer/${digits}`,
    );
  },
);

it.each([{}, { id: "somebody" }])(
  "a customer created as %j is stored under no id, and the delivery waits for its next attempt",
  async (customer) => {
    const user = await signUp(customer);
    const failed = await eventually("a failed delivery", () =>
      query(
        `SELECT status, last_error FROM integration_queue
         WHERE shop = $1 AND entity_id = $2 AND channel = 'storefront' AND retry_count > 0`,
        user,
      ),
    );
    expect(failed).toEqual({
      status: "pending",
      last_error: "the storefront's answer about a customer is incomplete",
    });
    expect(await gidOf(user)).toBeNull();
  },
);
