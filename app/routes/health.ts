import { z } from "zod";
import { endpoint, json } from "../http/endpoint.ts";
import { askCells } from "../runtime/database/cells/ask-cells.ts";
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
      const { cells, home } = await askCells(ctx.regions, async (database) =>
        (await database.isReachable()) ? "ok" : "unreachable",
      );
      const states = Object.values(cells);
      const isHealthy = [...states, home ?? "ok"].every((state) => state === "ok");
      return json(isHealthy ? 200 : 503, {
        status: isHealthy ? "ok" : "degraded",
        service: SERVICE_NAME,
        version: VERSION,
        checks: {
          database: isHealthy ? "ok" : "unreachable",
          ...((states.length > 1 || home) && { cells }),
          ...(home && { home }),
        },
      });
    },
  },
});
