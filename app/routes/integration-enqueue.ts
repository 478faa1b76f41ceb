import { z } from "zod";
import { enqueueFromElsewhere, EnqueueInput } from "../domain/events/enqueue-from-elsewhere.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "Takes a normalised event into this backend's queue; a repeated event id answers with its first queue id.",
    auth: "backend_key",
    tenant: "none",
    body: EnqueueInput,
    result: z.object({ ok: z.literal(true), queue_id: z.number().int().nullable() }),
    async handle({ ctx, body, note }) {
      note({ shop: body.tenant_shop });
      return { ok: true, queue_id: await enqueueFromElsewhere(ctx, body) };
    },
  },
});
