// Fetches what a webhook leaves out (payloads since 2025-01 contain no tags, consents or totals).
import type { Ctx } from "../../context.server.ts";
import { CUSTOMER } from "../../integrations/storefront/documents.ts";
import { callAdminApi } from "../tenants/storefront/admin-api.ts";
import { isConnected } from "../tenants/store-access.ts";
import type { Tenant } from "../tenants/tenant.ts";
import {
  fromGraphqlCustomer,
  isCustomerGid,
  isTime,
  type CustomerChange,
  type GraphqlCustomer,
} from "./customer-change.ts";

/** Whether the store's API can be called: without a token only the webhook's own content counts. */
export const canRefetch = (tenant: Tenant): boolean => isConnected(tenant);

/**
 * The storefront's current customer; null when it is deleted there. An answer without a readable id
 * is about `gid`, and one without a readable time is of `changedAt`, by default now. Throws what
 * `callAdminApi` throws.
 */
export async function fetchCustomer(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
  changedAt?: Date,
): Promise<CustomerChange | null> {
  const readAt = ctx.clock.now();
  const { customer } = await callAdminApi<{ customer: GraphqlCustomer | null }>(ctx, tenant.shop, {
    document: CUSTOMER,
    variables: { id: gid },
  });
  if (!customer) return null;
  const fetched = fromGraphqlCustomer(customer);
  return {
    ...fetched,
    gid: isCustomerGid(fetched.gid) ? fetched.gid : gid,
    changedAt: isTime(fetched.changedAt) ? fetched.changedAt : (changedAt ?? readAt),
    readAt,
  };
}
