import { z } from "zod";
import { tagSegment, TagSegmentInput } from "../domain/customers/store-segments/tag-segment.ts";
import { endpoint, json } from "../http/endpoint.ts";
import { TagRun } from "../http/openapi/results/extensions.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Gives one tag to every customer of a segment of the store admin, in the background.",
    auth: "staff",
    tenant: "registered",
    access: "changed",
    body: TagSegmentInput,
    answers: { 202: "Requested, or requested before and not ended." },
    result: z.object({ run: TagRun }),
    async handle({ ctx, tenant, body, principal, accessed, note }) {
      const run = await tagSegment(ctx, tenant, body, principal.staffId);
      accessed({ count: run.total });
      note({ run_id: run.id });
      return json(202, { run });
    },
  },
});
