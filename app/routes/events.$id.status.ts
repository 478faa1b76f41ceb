import { reportStatus, StatusReport } from "../domain/bus/report-status.ts";
import { getCallbackTenant } from "../http/auth/backend-callback.ts";
import { endpoint } from "../http/endpoint.ts";

export const { loader, action, route } = endpoint({
  PATCH: {
    summary:
      "What a backend says of an event's deliveries; `failed` is a failed delivery like any other.",
    auth: "backend",
    tenant: "none",
    body: StatusReport,
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
