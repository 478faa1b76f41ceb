import { z } from "zod";
import { findReturnOwner } from "../domain/compliance/access-log/find-owner.ts";
import { getReturn } from "../domain/commerce/returns.ts";
import { endpoint } from "../http/endpoint.ts";
import { AGENT_READ } from "../http/rate-limit.ts";
import { ReturnCase } from "../http/openapi/results/commerce.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary:
      "What came back under an RMA of one's own order, unit by unit; any of the store with the admin key.",
    auth: "person_or_admin",
    access: "viewed",
    agent: { scope: "dev.ucp.shopping.order:read", needsConsent: true },
    agentOperation: "get_return",
    tenant: "registered",
    rateLimit: AGENT_READ,
    result: z.object({ return: ReturnCase }),
    async handle({ ctx, tenant, principal, params, accessed }) {
      const found = await getReturn(ctx, tenant, principal, params.rma ?? "");
      if (!principal) accessed({ userIds: await findReturnOwner(ctx, tenant, found.return.rma) });
      return found;
    },
  },
});
