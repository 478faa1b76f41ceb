// Channel `storefront`: our tags and metafields on the store's customer, who is looked up by e-mail, else created, and
// then known by the gid (SPEC "Storefront customer metafield definitions", DECISIONS 8 and 9). Tags are added and removed
// one by one, never written as a list: a merchant's own tags are not ours to touch.
import { hash } from "node:crypto";
import type { Ctx } from "../../context.server.ts";
import { CUSTOMER_BY_EMAIL, CUSTOMER_CREATE, METAFIELDS_SET, TAGS_ADD, TAGS_REMOVE } from "../../integrations/storefront-documents.ts";
import { isAppError } from "../../runtime/errors.ts";
import { KEYS, putKey, TTL_SECONDS } from "../../runtime/kv.ts";
import { isChannelEnabled, PermanentFailure, type Channel, type DeliveryResult, type QueueItem } from "../bus/channel.ts";
import type { CustomerSnapshot } from "../customers/customer-snapshot.ts";
import { tokenState } from "../tenants/directory.ts";
import { callStorefront, requireNoUserErrors, type UserError } from "../tenants/storefront-admin.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { withCustomerLease } from "./customer-lease.ts";
import { findItemCustomer, GONE, isNothing, nothingToSend } from "./item-customer.ts";

const ENDPOINT = "/admin/api/graphql.json";

type Metafield = { namespace: string; key: string; type: string; value: string };

/** An empty value cannot be written: a category without tags is left out. */
export function toMetafields(customer: CustomerSnapshot): Metafield[] {
  const slugs = (category: string) => customer.crmTags.filter((tag) => tag.category === category).map((tag) => tag.slug).join(", ");
  const all = customer.crmTags.map((tag) => tag.slug);
  const fields: [string, string, string][] = [
    ["crm_status", "single_line_text_field", slugs("status")],
    ["crm_tier", "single_line_text_field", slugs("tier")],
    ["crm_segment", "single_line_text_field", slugs("segment")],
    ["crm_tags", "list.single_line_text_field", all.length > 0 ? JSON.stringify(all) : ""],
    ["crm_consent_marketing", "boolean", String(customer.consents.marketing)],
    ["crm_consent_tos", "boolean", String(customer.consents.tos)],
  ];
  return fields.filter(([, , value]) => value !== "").map(([key, type, value]) => ({ namespace: "custom", key, type, value }));
}

export const storefrontChannel: Channel = {
  name: "storefront",
  credentialsKey: "storefront_admin_token",
  marketing: false,
  requiresConsent: null,
  isEnabled: (tenant) => isChannelEnabled(tenant, "storefront", tokenState(tenant) === "valid"),
  async transform(ctx, item, tenant) {
    const customer = await findItemCustomer(ctx, item, tenant);
    if (!customer || (!customer.email && !customer.storefront_customer_gid)) return nothingToSend(ENDPOINT);
    return {
      transformed_payload: { user_id: customer.id, tags: customer.crmTags.map((tag) => tag.slug), metafields: toMetafields(customer) },
      delivery_config: { method: "POST", endpoint: ENDPOINT, credentials_key: "storefront_admin_token" },
    };
  },
  async deliver(ctx, item, message, tenant) {
    if (isNothing(message)) return GONE;
    return withCustomerLease(ctx, item, tenant, "storefront", () => write(ctx, item, tenant).catch(refuseWithoutInstall));
  },
};

/** Only a new install helps, and no retry brings one. */
function refuseWithoutInstall(error: unknown): never {
  throw isAppError(error) && error.code === "not_installed" ? new PermanentFailure(error.message) : error;
}

// Reads the customer again, under the lease: a row that was overtaken by a newer one must not put the older state back.
async function write(ctx: Ctx, item: QueueItem, tenant: Tenant): Promise<DeliveryResult> {
  const customer = await findItemCustomer(ctx, item, tenant);
  if (!customer) return GONE;
  const { sql } = dataOf(ctx, tenant);
  const metafields = toMetafields(customer);
  const { add, remove } = await toTagChange(ctx, tenant, customer);
  const digest = hash("sha256", JSON.stringify([metafields, customer.crmTags.map((tag) => tag.slug)]));
  if (customer.storefront_customer_gid && customer.storefront_hash === digest && add.length + remove.length === 0) return { httpStatus: null, skipped: "unchanged" };

  await putKey(sql, KEYS.echo(customer.id), true, TTL_SECONDS.echo);
  const gid = customer.storefront_customer_gid ?? (await findOrCreate(ctx, tenant, customer));
  if (remove.length > 0) await mutate(ctx, tenant, "tagsRemove", TAGS_REMOVE, { id: gid, tags: remove });
  if (add.length > 0) await mutate(ctx, tenant, "tagsAdd", TAGS_ADD, { id: gid, tags: add });
  await mutate(ctx, tenant, "metafieldsSet", METAFIELDS_SET, { metafields: metafields.map((field) => ({ ...field, ownerId: gid })) });
  const removed = new Set(remove);
  await sql("UPDATE storefront_users SET storefront_hash = $3, tags = $4 WHERE shop = $1 AND id = $2", [customer.id, digest, JSON.stringify([...customer.tags.filter((tag) => !removed.has(tag)), ...add])]);
  return { httpStatus: 200 };
}

/** Only tags of our own catalogue are ever removed. */
async function toTagChange(ctx: Ctx, tenant: Tenant, customer: CustomerSnapshot): Promise<{ add: string[]; remove: string[] }> {
  const ours = await dataOf(ctx, tenant).sql<{ slug: string }>("SELECT slug FROM crm_tags WHERE shop = $1");
  const catalogue = new Set(ours.map(({ slug }) => slug));
  const wanted = new Set(customer.crmTags.map((tag) => tag.slug));
  const there = new Set(customer.tags.map((tag) => tag.toLowerCase()));
  return { add: [...wanted].filter((slug) => !there.has(slug)), remove: customer.tags.filter((tag) => catalogue.has(tag) && !wanted.has(tag)) };
}

/** The gid is stored before anything is written to it: another delivery must find it. */
async function findOrCreate(ctx: Ctx, tenant: Tenant, customer: CustomerSnapshot): Promise<string> {
  const { customerByIdentifier: found } = await callStorefront<{ customerByIdentifier: { id: string } | null }>(ctx, tenant.shop, { document: CUSTOMER_BY_EMAIL, variables: { email: customer.email } });
  const gid = found?.id ?? (await create(ctx, tenant, customer));
  const rows = await dataOf(ctx, tenant).sql(
    `UPDATE storefront_users SET storefront_customer_gid = $3 WHERE shop = $1 AND id = $2 AND (storefront_customer_gid IS NULL OR storefront_customer_gid = $3)
       AND NOT EXISTS (SELECT 1 FROM storefront_users other WHERE other.shop = $1 AND other.storefront_customer_gid = $3 AND other.id <> $2) RETURNING id`,
    [customer.id, gid],
  );
  if (rows.length === 0) throw new PermanentFailure("the storefront's customer belongs to another account");
  return gid;
}

async function create(ctx: Ctx, tenant: Tenant, customer: CustomerSnapshot): Promise<string> {
  const input = { email: customer.email, ...(customer.first_name && { firstName: customer.first_name }), ...(customer.last_name && { lastName: customer.last_name }) };
  type Created = { customerCreate: { customer: { id: string } | null; userErrors: UserError[] } };
  const { customerCreate } = await callStorefront<Created>(ctx, tenant.shop, { document: CUSTOMER_CREATE, variables: { input } });
  requireNoUserErrors("customerCreate", customerCreate.userErrors);
  if (!customerCreate.customer) throw new PermanentFailure("customerCreate answered no customer");
  return customerCreate.customer.id;
}

async function mutate(ctx: Ctx, tenant: Tenant, name: "tagsAdd" | "tagsRemove" | "metafieldsSet", document: string, variables: Record<string, unknown>): Promise<void> {
  const answer = await callStorefront<Record<string, { userErrors: UserError[] }>>(ctx, tenant.shop, { document, variables });
  requireNoUserErrors(name, answer[name]?.userErrors);
}
