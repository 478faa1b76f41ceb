import { checkHosts, showHosts } from "../domain/tenants/public-hosts.ts";
import { endpoint } from "../http/endpoint.ts";
import { PublicHosts } from "../http/openapi/results/operation.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The store's public hosts, which of them count, and the token that proves the others.",
    auth: "admin",
    tenant: "registered",
    result: PublicHosts,
    handle: ({ ctx, shop }) => showHosts(ctx, shop),
  },
  POST: {
    summary: "Looks for the DNS records of hosts that do not count yet.",
    auth: "admin",
    tenant: "registered",
    result: PublicHosts,
    async handle({ ctx, shop, tenant }) {
      await checkHosts(ctx, tenant);
      return showHosts(ctx, shop);
    },
  },
});
