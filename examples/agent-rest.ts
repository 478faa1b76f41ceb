// An agent over REST: it finds what the store offers by its UCP profile, is let in by a shopper, and
// buys within a mandate.
import { getAgentToken } from "./client/agent-access.ts";
import { connect, expectData } from "./client/client.ts";

const anybody = connect();

// 1. Discovery: what the store offers, and where tokens come from.
const profile = expectData(await anybody.GET("/.well-known/ucp"));
const server = expectData(await anybody.GET("/.well-known/oauth-authorization-server"));
console.log(
  `${profile.name} offers ${Object.keys(profile.ucp.capabilities).join(", ")}; tokens come from ${server.issuer}.`,
);

// 2. The shopper allows it: their consent is in the store's log, and the agent has a token.
const agent = connect(
  await getAgentToken(
    "REST example",
    "identity:read dev.ucp.shopping.checkout:manage commerce.mandates:create",
  ),
);
const identity = expectData(await agent.GET("/commerce/identity"));
console.log(`Acts for ${identity.email}.`);

// 3. A mandate: the agent may spend up to an amount, once, and nobody else may spend it.
const mandate = expectData(
  await agent.POST("/commerce/mandates", {
    body: { max_amount: "100.00", currency: "EUR", scope: "all" },
  }),
);
console.log(`May spend ${mandate.max_amount} ${mandate.currency} until ${mandate.expires_at}.`);

// 4. A checkout under it. The same key again is the same checkout.
const { products } = expectData(await agent.GET("/commerce/products"));
const variant = products.flatMap(({ variants }) => variants).find(({ available }) => available);
if (!variant) throw new Error("the store has nothing to sell");
const checkout = expectData(
  await agent.POST("/commerce/checkout", {
    headers: { "Idempotency-Key": crypto.randomUUID() },
    body: {
      line_items: [{ variant_id: variant.id, quantity: 1 }],
      mandate_id: mandate.mandate_id,
    },
  }),
);

// 5. Its delivery: the storefront's options for an address, and the first of them.
const params = { path: { id: checkout.id } };
const line_items = [{ variant_id: variant.id, quantity: 1 }];
const address = {
  street_address: "Hafenstraße 12",
  address_locality: "Hamburg",
  postal_code: "20359",
  address_country: "DE",
};
const addressed = expectData(
  await agent.POST("/commerce/checkout/{id}/update", {
    params,
    body: { line_items, delivery: { address } },
  }),
);
const [option] = addressed.delivery?.options ?? [];
const delivered = option
  ? expectData(
      await agent.POST("/commerce/checkout/{id}/update", {
        params,
        body: { line_items, delivery: { address, option_id: option.id } },
      }),
    )
  : addressed;
const confirmed = expectData(await agent.POST("/commerce/checkout/{id}/complete", { params }));
console.log(
  `Checkout ${confirmed.status}: ${delivered.totals.total} ${delivered.currency} with ${option?.title}, paid at ${delivered.checkout_url}`,
);

// 6. What does not fit is refused, with the reason.
const { error } = await agent.POST("/commerce/checkout", {
  body: {
    line_items: [{ variant_id: variant.id, quantity: 1 }],
    mandate_id: mandate.mandate_id,
  },
});
console.log("A second checkout under it:", JSON.stringify(error));
