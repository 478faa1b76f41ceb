// The outgoing calls of the app library: to the configured address of a store, and to nothing else.
import type { Ctx } from "../../context.server.ts";
import { SHOP_PATTERN } from "../../domain/tenants/tenant-config.ts";

const TIMEOUT_MS = 10_000;

export function createLibraryFetch(ctx: Ctx): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!SHOP_PATTERN.test(url.hostname)) throw new Error(`${url.hostname} is not a store`);
    const answer = await ctx.outbound.send({
      system: "storefront",
      url: ctx.storefront.adminUrl(url.hostname, url.pathname + url.search),
      method: init.method === "POST" ? "POST" : "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === "string" && { body: init.body }),
      timeoutMs: TIMEOUT_MS,
      about: { shop: url.hostname, call: url.pathname },
    });
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers))
      if (
        value !== undefined &&
        !/^(content-length|content-encoding|transfer-encoding)$/.test(name)
      )
        headers.set(name, String(value));
    return new Response(answer.status === 204 || answer.status === 304 ? null : answer.text, {
      status: answer.status,
      headers,
    });
  };
}
