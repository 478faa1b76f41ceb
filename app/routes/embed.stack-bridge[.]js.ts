import { stackBridge } from "../embeds/stack-loader.ts";
import { endpoint } from "../http/endpoint.ts";
import { cacheable } from "../http/shopper/embed-response.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "The loader's second part, the same for every store: sends what a browser has to tell, and connects forms.",
    auth: "none",
    tenant: "none",
    isCacheable: true,
    proxied: {},
    answers: { 200: "The script.", 304: "It is what the reader has." },
    result: "text/javascript",
    handle: async ({ request }) =>
      cacheable(request, "text/javascript; charset=utf-8", stackBridge()),
  },
});
