import { endpoint } from "../http/endpoint.ts";
import { showShopperPage } from "../http/shopper-embeds.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "The shopper's dashboard: the person's data, consents, orders, mandates and agents. Public configuration only; through the app proxy also the signed customer's consents and tags.",
    auth: "none",
    tenant: "registered",
    answers: {
      200: "The page.",
      304: "It is what the reader has.",
      401: "`invalid_signature`: the app proxy's signature is wrong.",
    },
    handle: ({ ctx, inbound, tenant }) => showShopperPage(ctx, inbound, tenant, "dashboard"),
  },
});
