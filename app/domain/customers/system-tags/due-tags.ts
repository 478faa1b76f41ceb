// Updates the tags that time alone changes: a new customer grows old, an active one falls silent. Each
// customer carries the time of the next such change (`tags_due_at`).
import type { Ctx } from "../../../context.server.ts";
import type { Columns, StorefrontUser } from "../../../db.server.ts";
import { applyTagRules, BACKGROUND_PRIORITY, lockTaggedCustomers } from "../../tags/system-tags.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";

const SLICE = 500;

const DUE = `
  SELECT id FROM storefront_users WHERE shop = $1 AND tags_due_at <= $2 AND status <> 'deleted'
  ORDER BY tags_due_at LIMIT ${SLICE}`;

/** Slice by slice, each in its transaction; safe to repeat and to stop. */
export async function updateDueTags(
  ctx: Ctx,
  tenant: Tenant,
  signal: AbortSignal,
): Promise<{ customers: number; changed: number }> {
  const counts = { customers: 0, changed: 0 };
  while (!signal.aborted) {
    const slice = await dataOf(ctx, tenant).transaction(async (sql) => {
      const due = await sql<Columns<StorefrontUser, "id">>(DUE, [ctx.clock.now()]);
      const customers = await lockTaggedCustomers(
        sql,
        due.map(({ id }) => id),
      );
      const changed = await applyTagRules(ctx, tenant, sql, customers, {
        announce: "every_system",
        priority: BACKGROUND_PRIORITY,
      });
      return { due: due.length, customers: customers.length, changed };
    });
    counts.customers += slice.customers;
    counts.changed += slice.changed;
    // Without a tag of the rules in the catalog no customer is locked: the same ones would come again.
    if (slice.due < SLICE || slice.customers === 0) break;
  }
  return counts;
}
