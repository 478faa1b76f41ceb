// The current state of a customer as channels send it: one statement, read before every delivery.
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser } from "../../db.server.ts";
import { anyLength } from "../../runtime/database/array-parameters.ts";
import { createGroupCommit, type GroupCommit } from "../../runtime/database/group-commit.ts";
import { ADDRESS_CONSENT_TYPES, consentColumn } from "../consent/consent-types.ts";
import { IS_CONTACT } from "../tags/system-tags.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

export type CustomerSnapshot = Columns<
  StorefrontUser,
  | "id"
  | "email"
  | "unproven_email"
  | "full_name"
  | "first_name"
  | "last_name"
  | "provider"
  | "status"
  | "language_pref"
  | "tags"
  | "number_of_orders"
  | "amount_spent"
  | "email_subscription_status"
  | "sms_subscription_status"
  | "country"
  | "storefront_customer_gid"
  | "cms_item_id"
  | "cms_hash"
  | "storefront_hash"
  | "storefront_slugs"
> & {
  /** The account has not verified its address, so its names are untrusted. */
  is_unproven: boolean;
  is_contact: boolean;
  tags: string[];
  /** The analytics product's own id of the customer's browser, if known. */
  ga_client_id: string | null;
  storefront_slugs: string[];
  consents: Record<(typeof ADDRESS_CONSENT_TYPES)[number], boolean>;
  crmTags: {
    id: number;
    slug: string;
    name: string;
    category: string;
    cms_item_id: string | null;
  }[];
};

const CONSENT_FLAGS = ADDRESS_CONSENT_TYPES.map(
  (type) => `'${type}', coalesce(${consentColumn(type)}, false)`,
).join(", ");
const NO_CONSENTS = JSON.stringify(
  Object.fromEntries(ADDRESS_CONSENT_TYPES.map((type) => [type, false])),
);

// Reads a customer's related rows one customer at a time by index: as a join, a planner without
// statistics would read the store's whole tables.
const snapshotOf = (people: string) => `
  SELECT id, email, unproven_email, full_name, first_name, last_name, provider, (NOT email_verified
    AND (password_hash <> '' OR federated_sub IS NOT NULL)) AS is_unproven, ${IS_CONTACT} AS is_contact, status, language_pref,
    tags, number_of_orders, amount_spent, email_subscription_status,
    sms_subscription_status, country, storefront_customer_gid, cms_item_id, cms_hash,
      storefront_hash, storefront_slugs,
    (SELECT ga_client_id FROM user_extras WHERE user_extras.shop = $1 AND user_id = u.id) AS ga_client_id,
    coalesce(
      (SELECT json_build_object(${CONSENT_FLAGS})
       FROM user_claims WHERE user_claims.shop = $1 AND user_id = u.id),
      '${NO_CONSENTS}'
    ) AS consents,
    coalesce(
      (SELECT json_agg(json_build_object('id', t.id, 'slug', t.slug, 'name', t.name, 'category',
        t.category, 'cms_item_id', t.cms_item_id) ORDER BY m.id)
       FROM user_tag_map m JOIN crm_tags t ON t.shop = $1 AND t.id = m.tag_id WHERE m.shop = $1
         AND m.user_id = u.id),
      '[]'
    ) AS "crmTags"
  FROM (SELECT * FROM storefront_users u WHERE shop = $1 AND ${people}) AS u ORDER BY id`;

/** Customers that other systems may receive: not deleted, and with an address that is theirs. */
const PRESENT = `status <> 'deleted' AND unproven_email IS NULL AND NOT ${IS_CONTACT}`;
export const isPresent = (customer: CustomerSnapshot): boolean =>
  customer.status !== "deleted" && customer.unproven_email === null && !customer.is_contact;

const EACH = snapshotOf(`id = ANY(${anyLength(2, "int")}::int[])`);
const PRESENT_OF = snapshotOf(`id = ANY($2::int[]) AND ${PRESENT}`);
const NEXT_PRESENT = snapshotOf(`id > $2 AND ${PRESENT} ORDER BY id LIMIT $3`);

const reads = new WeakMap<Tenant, GroupCommit<number, CustomerSnapshot | null>>();

/** Deliveries that read customers of the store at the same time share a statement. */
function readsOf(ctx: Ctx, tenant: Tenant): GroupCommit<number, CustomerSnapshot | null> {
  const known = reads.get(tenant);
  if (known) return known;
  const { sql } = dataOf(ctx, tenant);
  const made = createGroupCommit<number, CustomerSnapshot | null>(async (userIds) => {
    const rows = await sql<CustomerSnapshot>(EACH, [[...new Set(userIds)]], "customer-snapshots");
    const byId = new Map(rows.map((row) => [row.id, row]));
    return userIds.map((id) => byId.get(id) ?? null);
  });
  reads.set(tenant, made);
  return made;
}

/** The state at a moment after the call; null when the customer does not exist any more. */
export const findCustomerSnapshot = (
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
): Promise<CustomerSnapshot | null> => readsOf(ctx, tenant).add(userId);

/** Returns the snapshots of the customers whom other systems may receive. */
export function findCustomerSnapshots(
  ctx: Ctx,
  tenant: Tenant,
  userIds: readonly number[],
): Promise<CustomerSnapshot[]> {
  return dataOf(ctx, tenant).sql<CustomerSnapshot>(PRESENT_OF, [[...userIds]]);
}

/** The next customers whom other systems may receive, after an id and in the order of ids. */
export function listCustomerSnapshots(
  ctx: Ctx,
  tenant: Tenant,
  afterId: number,
  limit: number,
): Promise<CustomerSnapshot[]> {
  return dataOf(ctx, tenant).sql<CustomerSnapshot>(NEXT_PRESENT, [afterId, limit]);
}
