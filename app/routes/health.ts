import { z } from "zod";
import { checkHealth } from "../domain/tenants/cell-health.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { SERVICE_NAME, VERSION } from "../runtime/version.ts";

const State = z.enum(["ok", "unreachable"]);

const Health = z.object({
  status: z.enum(["ok", "degraded"]),
  service: z.string(),
  version: z.string(),
  checks: z.object({
    database: State,
    cells: z.record(z.string(), State).optional(),
    home: State.optional(),
  }),
});

export const { loader, action, route } = endpoint({
  GET: {
    summary: "Whether this process and its databases work.",
    auth: "none",
    tenant: "none",
    answers: { 200: "Healthy.", 503: "A database is unavailable: `checks` says which of several." },
    result: { 200: Health, 503: Health },
    async handle({ ctx }) {
      const checks = await checkHealth(ctx);
      const isHealthy = checks.database === "ok";
      return json(isHealthy ? 200 : 503, {
        status: isHealthy ? "ok" : "degraded",
        service: SERVICE_NAME,
        version: VERSION,
        checks,
      });
    },
  },
});
