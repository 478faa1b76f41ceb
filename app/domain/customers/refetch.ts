// What a webhook leaves out is fetched (payloads since 2025-01 carry no tags, consents or totals).
import type { Ctx } from "../../context.server.ts";
import { CUSTOMER } from "../../integrations/storefront-documents.ts";
import { callStorefront } from "../tenants/storefront-admin.ts";
import { tokenState } from "../tenants/directory.ts";
import type { Tenant } from "../tenants/tenant.ts";
import {
  fromGraphqlCustomer,
  type CustomerChange,
  type GraphqlCustomer,
} from "./customer-change.ts";

/** Whether the store can be asked at all: without a token only the webhook's own words count. */
export const canRefetch = (tenant: Tenant): boolean => tokenState(tenant) === "valid";

/** The customer as the storefront knows it now; null when it is gone there. Throws what `callStorefront` throws. */
export async function fetchCustomer(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
): Promise<CustomerChange | null> {
  const { customer } = await callStorefront<{ customer: GraphqlCustomer | null }>(
    ctx,
    tenant.shop,
    { document: CUSTOMER, variables: { id: gid } },
  );
  return customer && fromGraphqlCustomer(customer);
}
