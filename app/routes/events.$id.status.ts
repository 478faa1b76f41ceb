import { z } from "zod";
import { reportStatus, StatusReport } from "../domain/bus/report-status.ts";
import { getCallbackTenant } from "../http/auth/backend-callback.ts";
import { endpoint } from "../http/endpoint.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  PATCH: {
    summary:
      "What a backend says of an event's deliveries; `failed` is a failed delivery like any other.",
    auth: "backend",
    tenant: "none",
    body: StatusReport,
    result: Ok.extend({
      event_id: z.string(),
      status: z.enum(["delivered", "failed"]),
      updated: z.int(),
    }),
    async handle({ ctx, request, params, body }) {
      const eventId = (params.id as string).toLowerCase();
      const tenant = await getCallbackTenant(ctx, request, eventId);
      return {
        ok: true,
        event_id: eventId,
        status: body.status,
        ...(await reportStatus(ctx, tenant, eventId, body)),
      };
    },
  },
});
