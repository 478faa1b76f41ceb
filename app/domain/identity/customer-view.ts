// What a customer whom the storefront vouches for is shown without a session: the own consents and tags.
import type { Ctx } from "../../context.server.ts";
import { listAssignedTags } from "../tags/assignments.ts";
import { findStorefrontPerson } from "../customers/storefront-person.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { findPerson } from "./account.ts";

export type CustomerView = {
  consents: Record<string, boolean>;
  tags: { slug: string; name: string }[];
};

/** Of a customer who has not arrived here yet nothing is known. */
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
