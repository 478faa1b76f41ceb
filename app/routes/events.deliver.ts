import { deliverOnRequest, RequestedDelivery } from "../domain/bus/deliver-on-request.ts";
import { getCallbackTenant } from "../http/auth/backend-callback.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { Delivered, NotDelivered } from "../http/openapi/results/events.ts";
import { AppError, toErrorBody } from "../runtime/errors.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "Delivers a transformed event to one channel. One that was delivered before is not delivered again.",
    auth: "backend",
    tenant: "none",
    body: RequestedDelivery,
    answers: {
      200: "The channel has it.",
      401: "The secret is missing or wrong.",
      502: "The destination rejected it or did not answer, or its circuit is open.",
    },
    result: { 200: Delivered, 502: NotDelivered },
    async handle({ ctx, request, requestId, body, note }) {
      const tenant = await getCallbackTenant(ctx, request, body.event_id, body.queue_id);
      const log = await deliverOnRequest(ctx, tenant, body);
      const isOpen = log.status === "circuit_open";
      note({
        shop: tenant.shop,
        event_id: body.event_id,
        channel: body.channel,
        outcome: log.status,
      });
      const answer = { event_id: body.event_id, channel: body.channel, delivery_log: log };
      if (log.status === "delivered") return { ok: true, ...answer };
      const refusal = new AppError(isOpen ? "circuit_open" : "delivery_failed");
      return json(refusal.status, {
        ok: false,
        ...answer,
        ...toErrorBody(refusal, requestId),
        ...(isOpen && { error: refusal.code }),
      });
    },
  },
});
