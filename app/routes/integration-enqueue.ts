import { z } from "zod";
import { enqueueFromElsewhere, EnqueueInput } from "../domain/events/enqueue-from-elsewhere.ts";
import { namedShop } from "../http/auth/tenant-lookup.ts";
import { endpoint } from "../http/endpoint.ts";
import { AppError } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "Takes a normalised event into this backend's queue; a repeated event id answers with its first queue id.",
    auth: "backend_key",
    tenant: "none",
    body: EnqueueInput,
    result: z.object({ ok: z.literal(true), queue_id: z.number().int().nullable() }),
    async handle({ ctx, request, body, note }) {
      const named = namedShop(request);
      if (named !== null && named !== body.tenant_shop)
        throw new AppError("invalid_request", {
          fields: { tenant_shop: `is another store than the one that the request names: ${named}` },
        });
      note({ shop: body.tenant_shop });
      return { ok: true, queue_id: await enqueueFromElsewhere(ctx, body) };
    },
  },
});
