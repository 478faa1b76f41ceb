import { z } from "zod";
import { endpoint, json } from "../http/endpoint.ts";
import { askCells } from "../runtime/database/cells/ask-cells.ts";
import type { Readiness } from "../runtime/database/readiness.ts";
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

const isUsable = ({ database, migrations }: Readiness): boolean =>
  database === "ok" && migrations === "ok";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "Whether this process may be given requests: the database of a cell that it serves accepts writes and has every migration, and it is not stopping.",
    auth: "none",
    tenant: "none",
    answers: { 200: "Ready.", 503: "Not ready: `checks` says why." },
    result: { 200: Ready, 503: Ready },
    async handle({ ctx }) {
      const { cells, home } = await askCells(ctx.regions, (database) => database.readiness());
      const states = Object.values(cells);
      // One usable cell is enough: without this process its stores would be away as well. What home is needed for
      // says so by itself.
      const shown = (states.find(isUsable) ?? states[0]) as Readiness;
      const isReady = isUsable(shown) && !ctx.isDraining();
      return json(isReady ? 200 : 503, {
        status: isReady ? "ready" : "not_ready",
        service: SERVICE_NAME,
        version: VERSION,
        checks: {
          ...shown,
          process: ctx.isDraining() ? "draining" : "ok",
          ...((states.length > 1 || home) && { cells }),
          ...(home && { home }),
        },
      });
    },
  },
});
