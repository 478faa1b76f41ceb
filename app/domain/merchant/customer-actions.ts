// What a merchant's bulk change does to one customer, beside tags: the functions of a single change, in the
// transaction that counts it.
import type { CustomerActions } from "../customers/bulk/run-steps.ts";
import { requestForMerchant } from "../compliance/requests/merchant-requests.ts";
import { changeStatusWithin } from "../identity/account-status.ts";

export const CUSTOMER_ACTIONS: CustomerActions = {
  suspend: (ctx, tenant, sql, userId) => changeStatusWithin(ctx, tenant, sql, userId, "suspended"),
  reactivate: (ctx, tenant, sql, userId) => changeStatusWithin(ctx, tenant, sql, userId, "active"),
  data_request: (ctx, tenant, sql, userId, runId) =>
    requestForMerchant(ctx, tenant, sql, { kind: "data_request", userId, runId }),
  erase: (ctx, tenant, sql, userId, runId) =>
    requestForMerchant(ctx, tenant, sql, { kind: "customer_redact", userId, runId }),
};
