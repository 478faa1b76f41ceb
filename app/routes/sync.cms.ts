import { syncCms } from "../domain/channels/cms/sync.ts";
import { endpoint } from "../http/endpoint.ts";
import { toSyncReply } from "../http/sync-response.ts";
import { SyncCounts } from "../http/openapi/results/operation.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Writes every customer that differs from its CMS item, staged and in batches.",
    auth: "admin",
    tenant: "registered",
    answers: {
      200: "How many customers were looked at and what became of them.",
      409: "A sync of this store is running, or no CMS is set.",
      502: "The CMS failed; what was done until then stands in the answer and is kept.",
    },
    result: SyncCounts,
    handle: async ({ ctx, tenant, requestId }) =>
      toSyncReply(await syncCms(ctx, tenant, { signal: ctx.stopping }), requestId),
  },
});
