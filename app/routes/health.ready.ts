import { z } from "zod";
import { endpoint, json } from "../http/endpoint.ts";
import { SERVICE_NAME, VERSION } from "../runtime/version.ts";

const Ready = z.object({
  status: z.enum(["ready", "not_ready"]),
  service: z.string(),
  version: z.string(),
  checks: z.object({
    database: z.enum(["ok", "read_only", "unreachable"]),
    migrations: z.enum(["ok", "pending", "unknown"]),
    process: z.enum(["ok", "draining"]),
  }),
});

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "Whether this process may be given requests: its database accepts writes, every migration is applied, and it is not stopping.",
    auth: "none",
    tenant: "none",
    answers: { 200: "Ready.", 503: "Not ready: `checks` says why." },
    result: { 200: Ready, 503: Ready },
    async handle({ ctx }) {
      const { database, migrations } = await ctx.home.readiness();
      const isReady = database === "ok" && migrations === "ok" && !ctx.isDraining();
      return json(isReady ? 200 : 503, {
        status: isReady ? "ready" : "not_ready",
        service: SERVICE_NAME,
        version: VERSION,
        checks: { database, migrations, process: ctx.isDraining() ? "draining" : "ok" },
      });
    },
  },
});
