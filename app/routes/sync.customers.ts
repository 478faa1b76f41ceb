import { syncCustomers } from "../domain/customers/sync/catch-up.ts";
import { endpoint } from "../http/endpoint.ts";
import { toSyncReply } from "../http/sync-response.ts";
import { SyncCounts } from "../http/openapi/results/operation.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Brings in what changed in the storefront since the last sync.",
    auth: "admin",
    access: "changed",
    tenant: "registered",
    answers: {
      200: "How many customers were looked at and what became of them.",
      409: "A sync of this store is running.",
      502: "The storefront failed; what was done until then stands in the answer and is kept.",
    },
    result: SyncCounts,
    async handle({ ctx, tenant, requestId, accessed }) {
      const result = await syncCustomers(ctx, tenant, { signal: ctx.stopping });
      // A sync that fails half-way has changed customers too.
      if (result.outcome !== "busy")
        accessed({ action: "changed", count: result.counts.created + result.counts.updated });
      return toSyncReply(result, requestId);
    },
  },
});
