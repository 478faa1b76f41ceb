import { z } from "zod";
import { showDestinations } from "../domain/bus/log/destinations.ts";
import { actorOf } from "../domain/tenants/admin-key.ts";
import { saveTenantConfig } from "../domain/tenants/settings/configuration.ts";
import { getTenant } from "../domain/tenants/tenant.ts";
import { endpoint } from "../http/endpoint.ts";
import { Destinations } from "../http/openapi/results/operation.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The store's event routes and its destinations.",
    auth: "event_admin",
    tenant: "registered",
    result: Destinations,
    handle({ ctx, tenant }) {
      return Promise.resolve(showDestinations(ctx, tenant));
    },
  },
  PUT: {
    summary:
      "Replaces the routes, the list of enabled channels, or both; null puts the default back.",
    auth: "event_admin",
    tenant: "registered",
    body: z.object({
      event_routes: z.array(z.unknown()).nullable().optional(),
      enabled_channels: z.array(z.unknown()).nullable().optional(),
    }),
    result: Destinations,
    async handle({ ctx, tenant, body, principal }) {
      await saveTenantConfig(ctx, tenant.shop, body, { by: actorOf(principal) });
      return showDestinations(ctx, await getTenant(ctx, tenant.shop));
    },
  },
});
