// The newest state of a person, as channels send it: one statement, read before every delivery.
import type { Ctx } from "../../context.server.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

export type CustomerSnapshot = {
  id: number;
  email: string | null;
  /** Of a sign-up that waits for its proof: nothing of it leaves but mails to this address. */
  unproven_email: string | null;
  full_name: string | null;
  first_name: string | null;
  last_name: string | null;
  provider: string;
  /** Somebody made the account who has not proven the address: the names are theirs. */
  is_unproven: boolean;
  status: string;
  language_pref: string | null;
  tags: string[];
  number_of_orders: number;
  amount_spent: number;
  email_subscription_status: string | null;
  sms_subscription_status: string | null;
  country: string | null;
  storefront_customer_gid: string | null;
  cms_item_id: string | null;
  cms_hash: string | null;
  storefront_hash: string | null;
  /** The analytics product's own id of the person's browser, where it is known. */
  ga_client_id: string | null;
  /** Tags of ours that the storefront is known to carry. */
  storefront_slugs: string[];
  consents: { tos: boolean; privacy: boolean; cookie: boolean; marketing: boolean };
  crmTags: {
    id: number;
    slug: string;
    name: string;
    category: string;
    cms_item_id: string | null;
  }[];
};

// What belongs to a person is looked up person by person, on its own index: joined, a planner without statistics would
// read the store's whole tables.
const snapshotOf = (people: string) => `
  SELECT id, email, unproven_email, full_name, first_name, last_name, provider, (NOT email_verified AND (password_hash <> '' OR federated_sub IS NOT NULL)) AS is_unproven, status, language_pref, tags, number_of_orders, amount_spent, email_subscription_status,
    sms_subscription_status, country, storefront_customer_gid, cms_item_id, cms_hash, storefront_hash, storefront_slugs,
    (SELECT ga_client_id FROM user_extras WHERE user_extras.shop = $1 AND user_id = u.id) AS ga_client_id,
    coalesce(
      (SELECT json_build_object('tos', coalesce(consent_tos, false), 'privacy', coalesce(consent_privacy, false), 'cookie', coalesce(consent_cookie, false), 'marketing', coalesce(consent_marketing, false))
       FROM user_claims WHERE user_claims.shop = $1 AND user_id = u.id),
      '{"tos":false,"privacy":false,"cookie":false,"marketing":false}'
    ) AS consents,
    coalesce(
      (SELECT json_agg(json_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'category', t.category, 'cms_item_id', t.cms_item_id) ORDER BY m.id)
       FROM user_tag_map m JOIN crm_tags t ON t.shop = $1 AND t.id = m.tag_id WHERE m.shop = $1 AND m.user_id = u.id),
      '[]'
    ) AS "crmTags"
  FROM (SELECT * FROM storefront_users WHERE shop = $1 AND ${people}) AS u ORDER BY id`;

/** People that other systems may know of: neither deleted nor waiting for the proof of their address. */
const PRESENT = "status <> 'deleted' AND unproven_email IS NULL";
export const isPresent = ({ status, unproven_email: unproven }: CustomerSnapshot): boolean =>
  status !== "deleted" && unproven === null;

const ONE = snapshotOf("id = $2");
const THESE = snapshotOf(`id = ANY($2::int[]) AND ${PRESENT}`);
const NEXT = snapshotOf(`id > $2 AND ${PRESENT} ORDER BY id LIMIT $3`);

/** Null when the person is not here any more. */
export async function findCustomerSnapshot(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
): Promise<CustomerSnapshot | null> {
  const [found] = await dataOf(ctx, tenant).sql<CustomerSnapshot>(
    ONE,
    [userId],
    "customer-snapshot",
  );
  return found ?? null;
}

/** Those of the people that are still here. */
export function findCustomerSnapshots(
  ctx: Ctx,
  tenant: Tenant,
  userIds: readonly number[],
): Promise<CustomerSnapshot[]> {
  return dataOf(ctx, tenant).sql<CustomerSnapshot>(THESE, [[...userIds]]);
}

/** The next people after an id, in the order of ids, deleted ones left out. */
export function listCustomerSnapshots(
  ctx: Ctx,
  tenant: Tenant,
  afterId: number,
  limit: number,
): Promise<CustomerSnapshot[]> {
  return dataOf(ctx, tenant).sql<CustomerSnapshot>(NEXT, [afterId, limit]);
}
