// The newest state of a person, as channels send it.
import type { Ctx } from "../../context.server.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

export type CustomerSnapshot = {
  id: number; email: string | null; full_name: string | null; first_name: string | null; last_name: string | null; provider: string; status: string;
  language_pref: string | null; tags: string[]; number_of_orders: number; amount_spent: number; email_subscription_status: string | null;
  sms_subscription_status: string | null; country: string | null; storefront_customer_gid: string | null; cms_item_id: string | null; cms_hash: string | null; storefront_hash: string | null;
  /** The analytics product's own id of the person's browser, where it is known. */
  ga_client_id: string | null;
  /** Tags of ours that the storefront is known to carry. */
  storefront_slugs: string[];
  consents: { tos: boolean; privacy: boolean; cookie: boolean; marketing: boolean };
  crmTags: { id: number; slug: string; name: string; category: string; cms_item_id: string | null }[];
};

const INCLUDED = { claims: true, extras: { select: { ga_client_id: true } }, tag_map: { include: { tag: { select: { id: true, slug: true, name: true, category: true, cms_item_id: true } } }, orderBy: { id: "asc" } } } as const;

/** Null when the person is not here any more. */
export async function findCustomerSnapshot(ctx: Ctx, tenant: Tenant, userId: number): Promise<CustomerSnapshot | null> {
  const user = await dataOf(ctx, tenant).prisma.storefrontUser.findFirst({ where: { id: userId }, include: INCLUDED });
  return user && toSnapshot(user);
}

/** Those of the people that are still here. */
export async function findCustomerSnapshots(ctx: Ctx, tenant: Tenant, userIds: readonly number[]): Promise<CustomerSnapshot[]> {
  const users = await dataOf(ctx, tenant).prisma.storefrontUser.findMany({ where: { id: { in: [...userIds] }, status: { not: "deleted" } }, include: INCLUDED, orderBy: { id: "asc" } });
  return users.map(toSnapshot);
}

/** The next people after an id, in the order of ids, deleted ones left out. */
export async function listCustomerSnapshots(ctx: Ctx, tenant: Tenant, afterId: number, limit: number): Promise<CustomerSnapshot[]> {
  const users = await dataOf(ctx, tenant).prisma.storefrontUser.findMany({ where: { id: { gt: afterId }, status: { not: "deleted" } }, include: INCLUDED, orderBy: { id: "asc" }, take: limit });
  return users.map(toSnapshot);
}

type StoredCustomer = Omit<CustomerSnapshot, "tags" | "storefront_slugs" | "ga_client_id" | "consents" | "crmTags"> & {
  tags: unknown;
  storefront_slugs: unknown;
  extras: { ga_client_id: string | null } | null;
  claims: { consent_tos: boolean; consent_privacy: boolean; consent_cookie: boolean; consent_marketing: boolean } | null;
  tag_map: { tag: CustomerSnapshot["crmTags"][number] }[];
};

function toSnapshot(user: StoredCustomer): CustomerSnapshot {
  return {
    ...user,
    tags: user.tags as string[],
    storefront_slugs: user.storefront_slugs as string[],
    ga_client_id: user.extras?.ga_client_id ?? null,
    consents: {
      tos: user.claims?.consent_tos ?? false,
      privacy: user.claims?.consent_privacy ?? false,
      cookie: user.claims?.consent_cookie ?? false,
      marketing: user.claims?.consent_marketing ?? false,
    },
    crmTags: user.tag_map.map(({ tag }) => tag),
  };
}
