import { z } from "zod";
import { endpoint, json } from "../http/endpoint.ts";
import { SERVICE_NAME, VERSION } from "../runtime/version.ts";

const Health = z.object({
  status: z.enum(["ok", "degraded"]),
  service: z.string(),
  version: z.string(),
  checks: z.object({ database: z.enum(["ok", "unreachable"]) }),
});

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Whether this process and its database work.",
    auth: "none",
    tenant: "none",
    answers: { 200: "Healthy.", 503: "The database is unavailable." },
    result: { 200: Health, 503: Health },
    async handle({ ctx }) {
      const isReachable = await ctx.home.isReachable();
      const database = isReachable ? "ok" : "unreachable";
      return json(isReachable ? 200 : 503, {
        status: isReachable ? "ok" : "degraded",
        service: SERVICE_NAME,
        version: VERSION,
        checks: { database },
      });
    },
  },
});
