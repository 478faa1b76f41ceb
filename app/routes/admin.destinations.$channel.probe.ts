import { z } from "zod";
import { probeDestination } from "../domain/bus/log/destinations.ts";
import { endpoint } from "../http/endpoint.ts";
import { requireEventAccess } from "../http/auth/guards.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Calls a destination once, without effect, and says what it answered.",
    auth: "admin",
    tenant: "registered",
    result: z.object({
      ok: z.boolean(),
      channel: z.string(),
      http_status: z.int().nullable(),
      latency_ms: z.number(),
      error: z.string().nullable(),
    }),
    handle({ ctx, tenant, params }) {
      requireEventAccess(tenant);
      return probeDestination(ctx, tenant, params.channel as string);
    },
  },
});
