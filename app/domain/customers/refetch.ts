// Fetches what a webhook leaves out (payloads since 2025-01 contain no tags, consents or totals).
import type { Ctx } from "../../context.server.ts";
import { CUSTOMER } from "../../integrations/storefront/documents.ts";
import { callAdminApi } from "../tenants/storefront/admin-api.ts";
import { isConnected } from "../tenants/store-access.ts";
import type { Tenant } from "../tenants/tenant.ts";
import {
  fromGraphqlCustomer,
  type CustomerChange,
  type GraphqlCustomer,
} from "./customer-change.ts";

/** Whether the store's API can be called: without a token only the webhook's own content counts. */
export const canRefetch = (tenant: Tenant): boolean => isConnected(tenant);

/**
 * The storefront's current customer; null when it is deleted there. Throws what `callAdminApi`
 * throws.
 */
export async function fetchCustomer(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
): Promise<CustomerChange | null> {
  const readAt = ctx.clock.now();
  const { customer } = await callAdminApi<{ customer: GraphqlCustomer | null }>(ctx, tenant.shop, {
    document: CUSTOMER,
    variables: { id: gid },
  });
  return customer && { ...fromGraphqlCustomer(customer), readAt };
}
