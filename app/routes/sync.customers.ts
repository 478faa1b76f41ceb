import { syncCustomers } from "../domain/customers/sync/catch-up.ts";
import { endpoint } from "../http/endpoint.ts";
import { toSyncReply } from "../http/sync-response.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "Brings in what changed in the storefront since the last sync.",
    auth: "admin",
    tenant: "registered",
    answers: {
      200: "How many customers were looked at and what became of them.",
      409: "A sync of this store is running.",
      502: "The storefront failed; what was done until then stands in the answer and is kept.",
    },
    handle: async ({ ctx, tenant, requestId }) =>
      toSyncReply(await syncCustomers(ctx, tenant), requestId),
  },
});
