import { endpoint, json } from "../http/endpoint.ts";
import { SERVICE_NAME, VERSION } from "../runtime/version.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Whether this process and its database work.",
    auth: "none",
    tenant: "none",
    answers: { 200: "Healthy.", 503: "The database is away." },
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
