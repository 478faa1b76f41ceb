// Channel `storefront`: our tags and metafields on the store's customer (SPEC "Storefront customer
// metafield definitions", DECISIONS 8 and 9). Tags are added and removed one by one, never written as
// a list, which would delete the merchant's own tags.
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import {
  METAFIELDS_DELETE,
  METAFIELDS_SET,
  TAGS_ADD,
  TAGS_REMOVE,
} from "../../../integrations/storefront/documents.ts";
import { isAppError } from "../../../runtime/errors.ts";
import { putKey } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import {
  Deferred,
  PermanentFailure,
  type Channel,
  type DeliveryResult,
  type QueueItem,
} from "../../bus/channel.ts";
import type { CustomerSnapshot } from "../../customers/customer-snapshot.ts";
import { hasLostAccess, isConnected } from "../../tenants/store-access.ts";
import { toAcceptsTag } from "../../tags/catalog.ts";
import {
  callAdminApi,
  requireNoUserErrors,
  type UserError,
} from "../../tenants/storefront/admin-api.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { withCustomerLease } from "../customer-lease.ts";
import { findItemCustomer } from "../item-customer.ts";
import { GONE, isNothing, nothingForMissing, skipOf } from "../nothing-to-send.ts";
import { findOrCreate } from "./find-or-create.ts";
import { writeMarketingConsent, type MarketingWrite } from "./marketing-consent.ts";

const ENDPOINT = "/admin/api/graphql.json";

type Metafield = { namespace: string; key: string; type: string; value: string };
type Metafields = { set: Metafield[]; empty: Pick<Metafield, "namespace" | "key">[] };

/** The API rejects empty values, so a metafield without a value is deleted. */
function toMetafields(customer: CustomerSnapshot): Metafields {
  const slugs = (category: string) =>
    customer.crmTags
      .filter((tag) => tag.category === category)
      .map((tag) => tag.slug)
      .join(", ");
  const all = customer.crmTags.map((tag) => tag.slug);
  const fields: [string, string, string][] = [
    ["crm_status", "single_line_text_field", slugs("status")],
    ["crm_tier", "single_line_text_field", slugs("tier")],
    ["crm_segment", "single_line_text_field", slugs("segment")],
    ["crm_tags", "list.single_line_text_field", all.length > 0 ? JSON.stringify(all) : ""],
    ["crm_consent_marketing", "boolean", String(customer.consents.marketing)],
    ["crm_consent_tos", "boolean", String(customer.consents.tos)],
  ];
  const written = fields.map(([key, type, value]) => ({ namespace: "custom", key, type, value }));
  return {
    set: written.filter(({ value }) => value !== ""),
    empty: written
      .filter(({ value }) => value === "")
      .map(({ namespace, key }) => ({ namespace, key })),
  };
}

export const storefrontChannel: Channel = {
  name: "storefront",
  needs: [],
  needsStoreAccess: true,
  credentialsKey: "storefront_admin_token",
  marketing: false,
  requiresConsent: null,
  isDestination: false,
  isEnabled: (tenant) => isConnected(tenant),
  // A shopper's decision in the meantime, for example against marketing, must not be lost.
  isAwaited: hasLostAccess,
  async transform(ctx, tenant, item) {
    deferWithoutAccess(ctx, tenant, item);
    const customer = await findItemCustomer(ctx, tenant, item);
    if (!customer || (!customer.email && !customer.storefront_customer_gid))
      return nothingForMissing(item, ENDPOINT);
    return {
      transformed_payload: {
        user_id: customer.id,
        tags: customer.crmTags.map((tag) => tag.slug),
        metafields: toMetafields(customer).set,
      },
      delivery_config: {
        method: "POST",
        endpoint: ENDPOINT,
        credentials_key: "storefront_admin_token",
      },
    };
  },
  async deliver(ctx, tenant, item, message) {
    if (isNothing(message)) return skipOf(message);
    return withCustomerLease(ctx, tenant, item, "storefront", () =>
      write(ctx, tenant, item).catch(refuseWithoutInstall),
    );
  },
};

/** A row that waits for a new install looks for it this often. */
const ACCESS_RETRY_MS = 5 * 60_000;
const MAX_WAIT_MS = 30 * 24 * 60 * 60_000;

/**
 * Throws Deferred. The delivery that meets the loss has failed, which tells the merchant; those after it wait. What has
 * waited for too long goes on, and fails with what to do.
 */
function deferWithoutAccess(ctx: Ctx, tenant: Tenant, { createdAt }: QueueItem): void {
  const waitedMs = ctx.clock.now().getTime() - createdAt.getTime();
  if (hasLostAccess(tenant) && waitedMs < MAX_WAIT_MS)
    throw new Deferred("the store is not connected", ACCESS_RETRY_MS);
}

/** Only a new installation grants access again; a retry cannot. */
export function refuseWithoutInstall(error: unknown): never {
  throw isAppError(error) && error.code === "not_installed"
    ? new PermanentFailure(error.message)
    : error;
}

// Reads the customer again under the lease: an overtaken row must not restore an older state.
async function write(ctx: Ctx, tenant: Tenant, item: QueueItem): Promise<DeliveryResult> {
  const customer = await findItemCustomer(ctx, tenant, item);
  if (!customer) return GONE;
  const { sql } = dataOf(ctx, tenant);
  const known = customer.storefront_customer_gid;
  const hasNewDecision = item.eventType === "customer.consent_updated";
  // A consent alone makes no person a customer of the store.
  if (hasNewDecision && !known)
    return { httpStatus: null, skipped: "the person is no customer of the store yet" };
  if (known) await bringMarketingInLine(ctx, tenant, { customer, gid: known, hasNewDecision });
  const metafields = toMetafields(customer);
  const tags = toTagChange(customer);
  const digest = hash("sha256", JSON.stringify([metafields.set, tags.wanted]));
  const before = toWritten(customer.storefront_hash);
  const isUnchanged = before.digest === digest && tags.add.length + tags.remove.length === 0;
  if (known && isUnchanged) return { httpStatus: null, skipped: "unchanged" };

  const found = known ? { gid: known } : await findOrCreate(ctx, tenant, customer);
  if ("skipped" in found) return { httpStatus: 200, skipped: found.skipped };
  const { gid } = found;
  await putKey(sql, KEYS.echo(customer.id), true, TTL_SECONDS.echo);
  const taggedAt = await writeTags(ctx, tenant, gid, tags);
  const keys = metafields.set.map(({ key }) => key);
  // Noted first, so that one whose answer is lost is deleted later.
  if (before.keys && keys.some((key) => !before.keys?.has(key)))
    await sql(NOTE_KEYS, [customer.id, ` ${[...new Set([...before.keys, ...keys])].join(",")}`]);
  const empty = metafields.empty.filter(({ key }) => before.keys?.has(key) ?? true);
  await writeMetafields(ctx, tenant, gid, { set: metafields.set, empty });
  if (!known) await bringMarketingInLine(ctx, tenant, { customer, gid, hasNewDecision: true });
  await sql(REMEMBER, [
    customer.id,
    `${digest} ${keys.join(",")}`,
    JSON.stringify(tags.wanted),
    taggedAt,
    tags.remove,
    tags.add,
  ]);
  return { httpStatus: 200 };
}

/**
 * What was last written: its digest, and the keys of the metafields that the storefront may have. An earlier version kept
 * the digest alone; then any of them may be there, and the keys are null.
 */
function toWritten(kept: string | null): { digest: string; keys: ReadonlySet<string> | null } {
  const [digest = "", keys] = (kept ?? " ").split(" ");
  return { digest, keys: keys === undefined ? null : new Set(keys.split(",").filter(Boolean)) };
}

const NOTE_KEYS = `
  UPDATE storefront_users SET storefront_hash = $3 WHERE shop = $1 AND id = $2 AND status <> 'deleted'`;

/** Returns the time of the last change by the storefront's clock; null when none was needed. */
async function writeTags(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
  { add, remove }: TagChange,
): Promise<string | null> {
  // Removes first, so that the remaining tags fit into the limit of 250.
  const removedAt =
    remove.length > 0
      ? await mutate(ctx, tenant, "tagsRemove", TAGS_REMOVE, { id: gid, tags: remove })
      : null;
  const addedAt =
    add.length > 0 ? await mutate(ctx, tenant, "tagsAdd", TAGS_ADD, { id: gid, tags: add }) : null;
  return addedAt ?? removedAt;
}

async function writeMetafields(
  ctx: Ctx,
  tenant: Tenant,
  gid: string,
  { set, empty }: Metafields,
): Promise<void> {
  const ofCustomer = <F extends object>(fields: F[]) =>
    fields.map((field) => ({ ...field, ownerId: gid }));
  if (empty.length > 0)
    await mutate(ctx, tenant, "metafieldsDelete", METAFIELDS_DELETE, {
      metafields: ofCustomer(empty),
    });
  await mutate(ctx, tenant, "metafieldsSet", METAFIELDS_SET, { metafields: ofCustomer(set) });
}

async function bringMarketingInLine(
  ctx: Ctx,
  tenant: Tenant,
  marketing: MarketingWrite,
): Promise<void> {
  // Before the write: its webhook may be faster than the answer.
  const echo = KEYS.echo(marketing.customer.id);
  await putKey(dataOf(ctx, tenant).sql, echo, true, TTL_SECONDS.echo);
  await writeMarketingConsent(ctx, tenant, marketing);
}

// Updates the mirror from its current state: a webhook may have changed it during the write. The row of a
// customer who was deleted meanwhile stays empty. Safe to repeat.
const REMEMBER = `
  UPDATE storefront_users SET storefront_hash = $3, storefront_slugs = $4::jsonb,
    storefront_tagged_at = greatest(storefront_tagged_at, $5::timestamptz),
    tags = (tags - $6::text[]) || coalesce((SELECT jsonb_agg(tag) FROM unnest($7::text[]) AS tag
      WHERE tag LIKE 'accepts\\_%' AND NOT tags ? tag), '[]'::jsonb)
  WHERE shop = $1 AND id = $2 AND status <> 'deleted'`;

type TagChange = { wanted: string[]; add: string[]; remove: string[] };

/**
 * Compares with our tags that the storefront has. The merchant's own tags are not among them and
 * are never removed; neither is an `accepts_` tag that the merchant added before us.
 */
function toTagChange(customer: CustomerSnapshot): TagChange {
  const known = new Set(customer.storefront_slugs);
  const mirrored = new Set(customer.tags.map((tag) => tag.toLowerCase()));
  const accepts = customer.crmTags
    .flatMap((tag) => toAcceptsTag(tag) ?? [])
    .filter((tag) => known.has(tag) || !mirrored.has(tag));
  const wanted = [...new Set([...customer.crmTags.map((tag) => tag.slug), ...accepts])];
  return {
    wanted,
    add: wanted.filter((tag) => !known.has(tag)),
    remove: [...known].filter((tag) => !wanted.includes(tag)),
  };
}

type Mutation = "tagsAdd" | "tagsRemove" | "metafieldsSet" | "metafieldsDelete";

/** Returns when the customer was changed, by the storefront's clock, if the mutation reports it. */
async function mutate(
  ctx: Ctx,
  tenant: Tenant,
  name: Mutation,
  document: string,
  variables: Record<string, unknown>,
): Promise<string | null> {
  const answer = await callAdminApi<
    Record<string, { node?: { updatedAt?: string } | null; userErrors: UserError[] }>
  >(ctx, tenant.shop, { document, variables });
  requireNoUserErrors(name, answer[name]?.userErrors);
  return answer[name]?.node?.updatedAt ?? null;
}
