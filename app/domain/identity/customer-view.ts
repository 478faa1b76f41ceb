// The data shown to a customer identified by the storefront's proxy, without a session: consents
// and tags.
import type { Ctx } from "../../context.server.ts";
import { listAssignedTags } from "../tags/assignments.ts";
import { findStorefrontPerson } from "../customers/storefront-person.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { findPerson } from "./account.ts";

export type CustomerView = {
  consents: Record<string, boolean>;
  tags: { slug: string; name: string }[];
};

/** Empty for a customer without an account here. */
export async function findCustomerView(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
): Promise<CustomerView> {
  const { sql } = dataOf(ctx, tenant);
  const userId = await findStorefrontPerson(ctx, tenant, gid);
  const person = userId === null ? null : await findPerson(sql, userId);
  if (!person) return { consents: {}, tags: [] };
  const tags = await listAssignedTags(sql, person.account.id);
  return { consents: person.consents, tags: tags.map(({ slug, name }) => ({ slug, name })) };
}
