// What a merchant's bulk change does to one customer, beside tags: the functions of a single change.
import type { CustomerActions } from "../customers/bulk/run-steps.ts";
import { requestForMerchant } from "../compliance/merchant-requests.ts";
import { changeAccountStatus } from "../identity/account-status.ts";

export const CUSTOMER_ACTIONS: CustomerActions = {
  suspend: (ctx, tenant, userId) => changeAccountStatus(ctx, tenant, userId, "suspended"),
  reactivate: (ctx, tenant, userId) => changeAccountStatus(ctx, tenant, userId, "active"),
  data_request: (ctx, tenant, userId, runId) =>
    requestForMerchant(ctx, tenant, { kind: "data_request", userId, runId }),
  erase: (ctx, tenant, userId, runId) =>
    requestForMerchant(ctx, tenant, { kind: "customer_redact", userId, runId }),
};
