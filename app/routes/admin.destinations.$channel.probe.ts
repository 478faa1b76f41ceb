import { z } from "zod";
import { probeDestination } from "../domain/bus/log/destinations.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Calls a destination once, without effect, and says what it answered.",
    auth: "event_admin",
    tenant: "registered",
    result: z.object({
      ok: z.boolean(),
      channel: z.string(),
      http_status: z.int().nullable(),
      latency_ms: z.number(),
      error: z.string().nullable(),
    }),
    handle({ ctx, tenant, params }) {
      return probeDestination(ctx, tenant, params.channel as string);
    },
  },
});
