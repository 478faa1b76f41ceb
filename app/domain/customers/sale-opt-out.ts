// Customers who objected to the sale of their data at the store: marketing is revoked here too.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../db.server.ts";
import { toSubmission } from "../consent/consent-input.ts";
import { SALE_OPT_OUT, STOREFRONT_SALE_OPT_OUT } from "../consent/consent-types.ts";
import { writeConsentsWithin } from "../consent/write/write-consents.ts";
import type { Tenant } from "../tenants/tenant.ts";

/**
 * Records each customer's objection once, whether it was made at the store or here. The store does not say
 * when, so what the customer grants here afterwards is newer.
 */
export async function recordSaleOptOuts(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userIds: readonly number[],
): Promise<void> {
  if (userIds.length === 0) return;
  const unrecorded = await sql<{ id: number }>(
    `SELECT customer.id FROM unnest($2::int[]) AS customer(id) WHERE NOT EXISTS (SELECT 1 FROM consent_records
       WHERE shop = $1 AND user_id = customer.id AND consent_type = 'marketing'
       AND method IN ('${STOREFRONT_SALE_OPT_OUT}', '${SALE_OPT_OUT}')) ORDER BY customer.id`,
    [userIds],
  );
  for (const { id } of unrecorded) {
    const submission = toSubmission(
      { consent_marketing: false, method: STOREFRONT_SALE_OPT_OUT },
      {
        consentId: ctx.random.uuid(),
        consentVersion: tenant.config.consent_policy_version ?? null,
        userAgent: null,
        gpc: false,
        policyHash: null,
      },
    );
    await writeConsentsWithin(ctx, tenant, sql, { subject: { userId: id }, submission });
  }
}
