import { z } from "zod";
import { replay } from "../domain/bus/dead-letters/requeue-dead-letters.ts";
import { endpoint } from "../http/endpoint.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Puts dead letters back into the queue, with all their attempts.",
    auth: "event_admin",
    tenant: "registered",
    body: z.object({
      event_ids: z.array(z.string().toLowerCase().min(1).max(200)).min(1).max(1_000),
    }),
    result: Ok.extend({ requeued: z.int(), not_found: z.array(z.string()) }),
    async handle({ ctx, tenant, body }) {
      return { ok: true, ...(await replay(ctx, tenant, body.event_ids)) };
    },
  },
});
