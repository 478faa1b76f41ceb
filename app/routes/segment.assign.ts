import { z } from "zod";
import { assignSegment, Experiment } from "../domain/identity/own-tags.ts";
import { endpoint } from "../http/endpoint.ts";
import { Segment } from "../http/openapi/results/person.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Gives the signed-in person the lasting A/B label of an experiment.",
    auth: "session",
    access: "changed",
    tenant: "registered",
    body: Experiment,
    result: Segment.extend({ ok: z.literal(true), experiment: z.string(), label: z.string() }),
    handle: ({ ctx, tenant, principal, body }) => assignSegment(ctx, tenant, principal, body),
  },
});
