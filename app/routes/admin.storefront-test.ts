import { z } from "zod";
import { testStorefront } from "../domain/tenants/storefront/checks.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Calls the storefront's shop endpoint with the stored token and tells its status.",
    auth: "admin",
    tenant: "registered",
    result: z.object({ ok: z.boolean(), status: z.int(), shop: z.string() }),
    handle: ({ ctx, shop }) => testStorefront(ctx, shop),
  },
});
