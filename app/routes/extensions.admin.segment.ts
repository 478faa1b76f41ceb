import { z } from "zod";
import { StoreSegmentId } from "../domain/customers/store-segments/store-segment.ts";
import { readSegmentTagging } from "../domain/customers/store-segments/tag-segment.ts";
import { endpoint } from "../http/endpoint.ts";
import { TagRun } from "../http/openapi/results/extensions.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "A segment of the store admin, the tags to choose from, and its newest run.",
    auth: "staff",
    tenant: "registered",
    query: z.object({ id: StoreSegmentId }),
    result: z.object({
      segment: z.object({ id: z.string(), name: z.string(), customers: z.int() }),
      tags: z.array(z.object({ slug: z.string(), name: z.string() })),
      run: TagRun.extend({ tag: z.string() }).nullable(),
    }),
    handle: ({ ctx, tenant, query }) => readSegmentTagging(ctx, tenant, query.id),
  },
});
