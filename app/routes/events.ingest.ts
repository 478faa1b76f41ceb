import { EventInput } from "../domain/events/envelope.ts";
import { ingest } from "../domain/events/ingest.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { parseEventRequest } from "../http/event-request.ts";
import { PIXEL_EVENT } from "../http/rate-limit.ts";
import { Duplicate, Stored } from "../http/openapi/results/events.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary:
      "An event from any source: stored with its marker and one queue row per destination, then answered.",
    auth: "event_source",
    tenant: "registered",
    allowsCachedTenant: true,
    rateLimit: PIXEL_EVENT,
    accepts: EventInput,
    answers: {
      202: "Stored; it will be delivered.",
      200: "The same event was stored before.",
      401: "The source is not proven; `method` names what was tried.",
      403: "The web pixel was not called from a page of the store.",
      429: "More events of the web pixel arrive than are taken.",
      503: "More arrives than can be stored.",
    },
    result: { 202: Stored, 200: Duplicate },
    async handle(call) {
      const { envelope, webhook } = parseEventRequest(call);
      const ingested = await ingest(call.ctx, call.tenant, envelope, { webhook });
      const { outcome, event_id } = ingested;
      call.note({ event_id, event_type: envelope.event_type, source: envelope.source, outcome });
      if (outcome === "duplicate") return { ok: true, deduplicated: true, event_id };
      return json(202, {
        ok: true,
        event_id,
        queued: ingested.queued,
        destinations: ingested.destinations,
      });
    },
  },
});
