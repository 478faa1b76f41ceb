import { readExport } from "../domain/compliance/export-link.ts";
import { endpoint } from "../http/endpoint.ts";
import { exportReply, requestIdOf } from "../http/shopper/export-download.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The export that a data request made, for operators.",
    auth: "admin",
    tenant: "registered",
    handle: async ({ ctx, tenant, params }) =>
      exportReply(requestIdOf(params.id), await readExport(ctx, tenant, requestIdOf(params.id))),
  },
});
