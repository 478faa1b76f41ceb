// Starts a run over all customers when the thresholds of the tag rules change, and when a store gets the
// tags of the rules.
import { isDeepStrictEqual } from "node:util";
import type { Ctx } from "../../../context.server.ts";
import { findKey, putKey } from "../../../runtime/database/kv.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { SYSTEM_TAGS } from "../../tags/system-tag-rules.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import type { BulkRunState } from "../bulk/run-row.ts";
import { startRuleRun } from "../bulk/start-run.ts";

/**
 * Starts the run unless the current thresholds had theirs; null then, for a store whose catalog has no
 * tag of the rules, and while one of them is still compared with the customers' own tags. Called by
 * whatever changes one of the two, and by the scheduled run for what died in between. `startedBy`: a user
 * of the store's admin.
 */
export async function runChangedRules(
  ctx: Ctx,
  tenant: Tenant,
  startedBy: string | null = null,
): Promise<BulkRunState | null> {
  return dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    const catalog = await prisma.crmTag.findMany({
      select: { slug: true, matched_to: true },
      where: { slug: { in: [...SYSTEM_TAGS] } },
      orderBy: { slug: "asc" },
    });
    if (catalog.length === 0) return null;
    // First the tags that customers carry at the store (customers/tag-matching): those stay theirs.
    if (catalog.some(({ matched_to: position }) => position !== null)) return null;
    const current = { rules: tenant.config.tag_rules, tags: catalog.map(({ slug }) => slug) };
    const last = await findKey(sql, KEYS.tagRules);
    if (isDeepStrictEqual(last?.value, current)) return null;
    const run = await startRuleRun(ctx, tenant, sql, startedBy);
    await putKey(sql, KEYS.tagRules, current);
    return run;
  });
}
