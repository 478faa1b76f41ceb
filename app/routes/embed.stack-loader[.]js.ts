import { renderStackLoader } from "../embeds/stack-loader.ts";
import { LOCALE_SHAPE } from "../http/auth/app-proxy.ts";
import { cacheable, publicConfigFor } from "../http/shopper/embed-response.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "The script that sets the consent defaults, loads web analytics as far as the shopper allows, and bridges forms and choices.",
    auth: "none",
    tenant: "registered",
    isCacheable: true,
    proxied: { locale: LOCALE_SHAPE },
    answers: { 200: "JavaScript.", 304: "It is the one that If-None-Match names." },
    result: "text/javascript",
    handle: async (call) =>
      cacheable(
        call.request,
        "text/javascript; charset=utf-8",
        renderStackLoader(publicConfigFor(call)),
      ),
  },
});
