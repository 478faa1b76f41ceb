import { endpoint } from "../http/endpoint.ts";
import { showShopperPage, SHOPPER_PAGE_PARAMETERS } from "../http/shopper/shopper-embeds.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "The shopper's account: signing in and up, and who is signed in. Public configuration only; through the app proxy also the signed customer's consents and tags.",
    auth: "none",
    tenant: "registered",
    isCacheable: true,
    proxied: SHOPPER_PAGE_PARAMETERS,
    isPage: true,
    answers: {
      200: "The page.",
      304: "It is what the reader has.",
      401: "`invalid_signature`: the app proxy's signature is wrong (proxied requests only).",
    },
    result: "text/html",
    handle: (call) => showShopperPage(call, "account"),
  },
});
