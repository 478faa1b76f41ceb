import { z } from "zod";
import {
  CustomerId,
  noteBlockSeen,
  readCustomerSummary,
} from "../domain/merchant/customer/summary.ts";
import { endpoint } from "../http/endpoint.ts";
import { CustomerSummary } from "../http/openapi/results/extensions.ts";

export const { loader, action, route } = endpoint({
  GET: {
    summary: "The customer in short, for the block on the customer's page of the store admin.",
    auth: "staff",
    tenant: "registered",
    access: "viewed",
    query: CustomerId,
    result: z.object({ customer: CustomerSummary }),
    async handle({ ctx, tenant, query, accessed }) {
      const [found] = await Promise.all([
        readCustomerSummary(ctx, tenant, query.id),
        noteBlockSeen(ctx, tenant),
      ]);
      if (!found) {
        accessed({ isNobody: true });
        return { customer: null };
      }
      const { userId, storeTags, timeZone, ...customer } = found;
      accessed({ userIds: [userId] });
      return { customer: { ...customer, store_tags: storeTags, time_zone: timeZone } };
    },
  },
});
