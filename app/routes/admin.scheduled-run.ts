import { z } from "zod";
import { findReport } from "../domain/scheduled-run/report.ts";
import { runScheduledNow } from "../domain/scheduled-run/scheduled-run.ts";
import { endpoint } from "../http/endpoint.ts";
import { RunReport } from "../http/openapi/results/operation.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The scheduled run that is under way, or the last one; null when there was none.",
    auth: "platform",
    tenant: "none",
    result: z.object({ report: RunReport.nullable() }),
    handle: async ({ ctx }) => ({ report: await findReport(ctx) }),
  },
  POST: {
    summary: "Runs the schedule now and answers its report.",
    auth: "platform",
    tenant: "none",
    answers: { 200: "The report.", 409: "A run is under way." },
    result: Ok.extend({ report: RunReport }),
    handle: async ({ ctx }) => ({
      ok: true,
      report: await runScheduledNow(ctx, { signal: ctx.stopping }),
    }),
  },
});
