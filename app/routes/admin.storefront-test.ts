import { testStorefront } from "../domain/tenants/storefront/checks.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Calls the storefront's shop endpoint with the stored token and tells its status.",
    auth: "admin",
    tenant: "registered",
    handle: ({ ctx, shop }) => testStorefront(ctx, shop),
  },
});
