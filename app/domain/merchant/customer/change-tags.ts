// The merchant's change of one customer's tags.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import { writeTags } from "../../customers/tag-change.ts";
import type { Tenant } from "../../tenants/tenant.ts";

const tagNames = z.array(z.string().max(200)).max(10).default([]);
export const TagChange = z.object({ add: tagNames, remove: tagNames });

export async function changeTagsAsStaff(
  ctx: Ctx,
  tenant: Tenant,
  id: number,
  change: z.output<typeof TagChange>,
): Promise<void> {
  await writeTags(ctx, tenant, id, { ...change, source: "admin", categories: null });
}
