import { z } from "zod";
import { requestMove } from "../domain/tenants/moves/request-move.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { StoreMove } from "../http/openapi/results/operation.ts";
import { Ok } from "../http/openapi/results/outcome.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Moves a store that is in use to another cell.",
    auth: "admin",
    tenant: "registered",
    body: z.object({ to: z.string().regex(/^[a-z0-9-]{1,40}$/, "must be a cell's name") }),
    answers: {
      202: "The move has begun; GET /admin/moves/:id says how far it is.",
      409: "The store is there already, is being moved, or the databases cannot move it (`missing`).",
      503: "One of the two databases does not answer.",
    },
    result: { 202: Ok.extend({ id: z.uuid(), move: StoreMove }) },
    async handle({ ctx, shop, body, principal }) {
      if (principal.kind !== "platform_key")
        throw new AppError("forbidden", { message: "Only the platform's key may move a tenant." });
      const move = await requestMove(ctx, shop, body.to);
      return json(202, { ok: true, id: move.id, move });
    },
  },
});
