import { showSegment } from "../domain/identity/own-tags.ts";
import { endpoint } from "../http/endpoint.ts";
import { Segment } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The signed-in person's A/B label and segment tags.",
    auth: "session",
    access: "viewed",
    tenant: "registered",
    result: Segment,
    handle: ({ ctx, tenant, principal }) => showSegment(ctx, tenant, principal),
  },
});
