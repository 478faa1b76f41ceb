import { endpoint } from "../http/endpoint.ts";
import { sendShopperScript } from "../http/shopper/shopper-embeds.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The script of the shopper's dashboard, the same for every store.",
    auth: "none",
    tenant: "none",
    isCacheable: true,
    proxied: {},
    answers: { 200: "The script.", 304: "It is what the reader has." },
    result: "text/javascript",
    handle: async ({ request }) => sendShopperScript(request, "dashboard"),
  },
});
