import { z } from "zod";
import { checkReadiness } from "../domain/tenants/cell-health.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { SERVICE_NAME, VERSION } from "../runtime/version.ts";

const State = z.object({
  database: z.enum(["ok", "read_only", "unreachable"]),
  migrations: z.enum(["ok", "pending", "unknown"]),
});

const Ready = z.object({
  status: z.enum(["ready", "not_ready"]),
  service: z.string(),
  version: z.string(),
  checks: z.object({
    ...State.shape,
    process: z.enum(["ok", "draining"]),
    cells: z.record(z.string(), State).optional(),
    home: State.optional(),
  }),
});

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "Whether this process may be given requests: the database of a cell that it serves accepts writes and has every migration, and it is not stopping.",
    auth: "none",
    tenant: "none",
    answers: { 200: "Ready.", 503: "Not ready: `checks` says why." },
    result: { 200: Ready, 503: Ready },
    async handle({ ctx }) {
      const { isReady, checks } = await checkReadiness(ctx);
      return json(isReady ? 200 : 503, {
        status: isReady ? "ready" : "not_ready",
        service: SERVICE_NAME,
        version: VERSION,
        checks,
      });
    },
  },
});
