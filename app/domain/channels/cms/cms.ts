// Channel `cms`: one staged item per customer (SPEC "CMS collections"). An unchanged customer costs
// no call.
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import { isSlugTaken, type CmsFields } from "../../../integrations/cms.ts";
import { anyLength } from "../../../runtime/database/array-parameters.ts";
import { createGroupCommit, type GroupCommit } from "../../../runtime/database/group-commit.ts";
import { NO_WAIT_FOR_DISK } from "../../../runtime/database/no-wait-for-disk.ts";
import { ignoreMissing, OutboundError } from "../../../runtime/errors.ts";
import {
  ARCHIVE_METHOD,
  isListedOrConfigured,
  PermanentFailure,
  type Channel,
  type DeliveryResult,
  type QueueItem,
  type DeliveryMessage,
} from "../../bus/channel.ts";
import { OWN_FAILURES } from "../../bus/log/own-failures.ts";
import { cmsSlugOf } from "../../customers/cms-slug.ts";
import type { CustomerSnapshot } from "../../customers/customer-snapshot.ts";
import { isDeletedPerson } from "../../customers/tombstones.ts";
import { ensureCmsTagItems, forgetCmsTagItems } from "../../tags/cms-tags.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { withCustomerLease } from "../customer-lease.ts";
import { findItemCustomer, findPresentCustomer, findUserId, readPerson } from "../item-customer.ts";
import { GONE, isNothing, nothingToSend, skipOf, UNKNOWN } from "../nothing-to-send.ts";

/**
 * `tagRefs`: ids of the tags' items; null for a store without a tags collection, whose customers
 * have no such field.
 */
export function toCmsFields(customer: CustomerSnapshot, tagRefs: string[] | null): CmsFields {
  return {
    slug: cmsSlugOf(customer.id),
    name: customer.full_name ?? customer.email ?? `Customer ${customer.id}`,
    email: customer.email,
    "first-name": customer.first_name,
    "last-name": customer.last_name,
    provider: customer.provider,
    status: customer.status,
    language: customer.language_pref,
    tags: customer.tags.join(", "),
    "number-of-orders": customer.number_of_orders,
    "amount-spent": customer.amount_spent,
    "consent-tos": String(customer.consents.tos),
    "consent-privacy": String(customer.consents.privacy),
    "consent-cookie": String(customer.consents.cookie),
    "consent-marketing": String(customer.consents.marketing),
    "email-subscription": customer.email_subscription_status,
    "sms-subscription": customer.sms_subscription_status,
    "storefront-customer-id": customer.storefront_customer_gid,
    country: customer.country,
    ...(tagRefs && { "tag-refs": tagRefs }),
  };
}

/** The content hash in `cms_hash`: equal hashes mean that the item is current. */
export const digestOf = (fields: CmsFields): string => hash("sha256", JSON.stringify(fields));

export const cmsChannel: Channel = {
  name: "cms",
  needs: ["cms_api_token", "cms_customers_collection_id"],
  credentialsKey: "cms_api_token",
  marketing: true,
  takesAddresses: true,
  requiresConsent: null,
  isDestination: true,
  waitsForWebhook: true,
  isEnabled: (tenant) => isListedOrConfigured(tenant, cmsChannel),
  async transform(ctx, tenant, item) {
    const endpoint = `/collections/${tenant.config.cms_customers_collection_id ?? ""}/items`;
    // Products have this default destination but no collection: only the archive stores the event.
    if (item.entityType === "product")
      return {
        transformed_payload: item.payload,
        delivery_config: { method: ARCHIVE_METHOD, endpoint, credentials_key: null },
      };
    const customer = await findItemCustomer(ctx, tenant, item);
    if (!customer && (await findUserId(ctx, tenant, item)) === null)
      return nothingToSend(endpoint, UNKNOWN.skipped);
    if (!customer)
      return {
        transformed_payload: {},
        delivery_config: { method: "DELETE", endpoint, credentials_key: "cms_api_token" },
      };
    return {
      transformed_payload: { fieldData: toCmsFields(customer, null) },
      delivery_config: {
        method: customer.cms_item_id ? "PATCH" : "POST",
        endpoint,
        credentials_key: "cms_api_token",
      },
    };
  },
  // Whether there is an item to delete is only certain under the lease: its creation may be in progress.
  async deliver(ctx, tenant, item, message) {
    if (isNothing(message)) return skipOf(message);
    if (item.entityType === "product")
      return { httpStatus: null, skipped: "the CMS has no collection for products" };
    const given = givenFields(message);
    const subject = subjectOf(item, given);
    if (given && (await findUserId(ctx, tenant, subject)) === null)
      return addItem(ctx, tenant, subject, given);
    return withCustomerLease(ctx, tenant, subject, "cms", (userId) =>
      deliverCustomer(ctx, tenant, item, userId, given),
    );
  },
  async probe(ctx, tenant) {
    await ctx.cms.getCollection(requireCollection(tenant, "probe"));
    return { httpStatus: 200 };
  },
};

function requireCollection({ shop, config }: Tenant, eventId: string): Access {
  const { cms_api_token: token, cms_customers_collection_id: collectionId } = config;
  if (!token || !collectionId)
    throw new PermanentFailure(
      OWN_FAILURES.notSet.text("the CMS token or the Customers collection id"),
    );
  return { token, collectionId, about: { shop, event_id: eventId } };
}

// Reads the customer again under the lease: an overtaken row must not restore an older state.
async function deliverCustomer(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
  userId: number,
  given: CmsFields | null,
): Promise<DeliveryResult> {
  const access = requireCollection(tenant, item.eventId);
  const customer = await findPresentCustomer(ctx, tenant, userId);
  if (!customer) return removeItem(ctx, tenant, access, userId);
  if (given) return upsertItem(ctx, tenant, access, customer, given);
  try {
    return await upsertItem(ctx, tenant, access, customer, await fieldsOf(ctx, tenant, customer));
  } catch (error) {
    if (!isReferenceMissing(error)) throw error;
    // A tag's item was deleted manually, or belongs to a collection that was configured earlier.
    await forgetCmsTagItems(
      ctx,
      tenant,
      customer.crmTags.map(({ slug }) => slug),
    );
    const untagged = {
      ...customer,
      crmTags: customer.crmTags.map((tag) => ({ ...tag, cms_item_id: null })),
    };
    return upsertItem(ctx, tenant, access, customer, await fieldsOf(ctx, tenant, untagged));
  }
}

const isReferenceMissing = (error: unknown) =>
  error instanceof OutboundError &&
  (error.status === 400 || error.status === 404) &&
  /referenced item/i.test(error.body ?? "");

const fieldsOf = async (ctx: Ctx, tenant: Tenant, customer: CustomerSnapshot) =>
  toCmsFields(customer, await ensureCmsTagItems(ctx, tenant, customer.crmTags));

/**
 * From the message of a remote backend: an item with its fields, or the fields alone. Our next message writes the
 * customer's own state again.
 */
function givenFields({ isMadeElsewhere, transformed_payload }: DeliveryMessage): CmsFields | null {
  if (!isMadeElsewhere) return null;
  const { fieldData } = transformed_payload;
  const isItem = typeof fieldData === "object" && fieldData !== null;
  return (isItem ? fieldData : transformed_payload) as CmsFields;
}

/** An item about nobody whom the service knows. */
async function addItem(
  ctx: Ctx,
  tenant: Tenant,
  subject: QueueItem,
  fields: CmsFields,
): Promise<DeliveryResult> {
  const access = requireCollection(tenant, subject.eventId);
  const person = readPerson(subject);
  const { sql } = dataOf(ctx, tenant);
  if (person.userId === null && (await isDeletedPerson(ctx, sql, tenant.shop, person))) return GONE;
  await createOrAdopt(ctx, access, fields);
  return { httpStatus: 200 };
}

/** The fields of an item name its customer where the event itself is not known. */
function subjectOf(item: QueueItem, given: CmsFields | null): QueueItem {
  if (!given || item.entityType !== "") return item;
  return { ...item, payload: { id: given["storefront-customer-id"], email: given.email } };
}

type StoredItem = { userId: number; itemId: string | null; digest: string };

// Locked in the order of their ids, as everywhere.
const storeItems = (condition: string) => `
  UPDATE storefront_users SET cms_item_id = kept.item_id, cms_hash = kept.digest FROM (
    SELECT u.id, k.item_id, k.digest
    FROM unnest(${anyLength(2, "int")}, ${anyLength(3, "text")}, ${anyLength(4, "text")}) AS k(id, item_id, digest)
    JOIN storefront_users u ON u.shop = $1 AND u.id = k.id WHERE ${condition} ORDER BY u.id FOR NO KEY UPDATE OF u
  ) AS kept WHERE storefront_users.shop = $1 AND storefront_users.id = kept.id`;

type ItemWriters = {
  /** On the disk before the call, so that `removeItem` searches for the item even after a crash. */
  started: GroupCommit<StoredItem, void>;
  /** The settlement waits for the disk; a delivery that is repeated finds its item by the slug. */
  written: GroupCommit<StoredItem, void>;
};
const itemWriters = new WeakMap<Tenant, ItemWriters>();

/** Deliveries of the store that store their items at the same time share a commit. */
function itemWritersOf(ctx: Ctx, tenant: Tenant): ItemWriters {
  const known = itemWriters.get(tenant);
  if (known) return known;
  const { sql } = dataOf(ctx, tenant);
  const writer = (name: string, text: string) =>
    createGroupCommit<StoredItem, void>(async (items) => {
      await sql(
        text,
        [
          items.map(({ userId }) => userId),
          items.map(({ itemId }) => itemId),
          items.map(({ digest }) => digest),
        ],
        name,
      );
      return items.map(() => undefined);
    });
  const made = {
    started: writer("start_cms_items", storeItems("true")),
    written: writer("keep_cms_items", storeItems(NO_WAIT_FOR_DISK)),
  };
  itemWriters.set(tenant, made);
  return made;
}

async function upsertItem(
  ctx: Ctx,
  tenant: Tenant,
  access: Access,
  customer: CustomerSnapshot,
  fields: CmsFields,
): Promise<DeliveryResult> {
  const digest = digestOf(fields);
  if (customer.cms_item_id && customer.cms_hash === digest)
    return { httpStatus: null, skipped: "unchanged" };

  const { started, written } = itemWritersOf(ctx, tenant);
  // A hash without an id records that a creation started: `removeItem` must search for an item that it
  // may have made.
  if (!customer.cms_item_id) await started.add({ userId: customer.id, itemId: null, digest });
  const itemId = customer.cms_item_id
    ? await updateOrRecreate(ctx, access, customer.cms_item_id, fields)
    : await createOrAdopt(ctx, access, fields);
  await written.add({ userId: customer.id, itemId, digest });
  return { httpStatus: 200 };
}

/** Finds the item by its slug when the response to the creation was lost. */
async function findItemId(
  ctx: Ctx,
  tenant: Tenant,
  access: Access,
  userId: number,
): Promise<string | null> {
  const row = await dataOf(ctx, tenant).prisma.storefrontUser.findFirst({
    select: { cms_item_id: true, cms_hash: true },
    where: { id: userId },
  });
  if (!row?.cms_hash || row.cms_item_id) return row?.cms_item_id ?? null;
  return (await ctx.cms.findItemBySlug(access, cmsSlugOf(userId)))?.id ?? null;
}

/** Deletes the item of a deleted customer; a missing item counts as deleted. */
async function removeItem(
  ctx: Ctx,
  tenant: Tenant,
  access: Access,
  userId: number,
): Promise<DeliveryResult> {
  const itemId = await findItemId(ctx, tenant, access, userId);
  if (!itemId) return GONE;
  await ignoreMissing(ctx.cms.deleteItem(access, itemId));
  await dataOf(ctx, tenant).prisma.storefrontUser.updateMany({
    where: { id: userId },
    data: { cms_item_id: null, cms_hash: null },
  });
  return { httpStatus: 204 };
}

type Access = Parameters<Ctx["cms"]["createItem"]>[0];

async function updateOrRecreate(
  ctx: Ctx,
  access: Access,
  itemId: string,
  fields: CmsFields,
): Promise<string> {
  try {
    await ctx.cms.updateItem(access, itemId, fields);
    return itemId;
  } catch (error) {
    // The item was deleted manually: the customer gets a new one.
    if (error instanceof OutboundError && error.status === 404)
      return createOrAdopt(ctx, access, fields);
    throw error;
  }
}

/** Creates the item, or takes over the one with its slug: an earlier creation whose response was lost. */
async function createOrAdopt(ctx: Ctx, access: Access, fields: CmsFields): Promise<string> {
  try {
    return (await ctx.cms.createItem(access, fields)).id;
  } catch (error) {
    if (!isSlugTaken(error)) throw error;
    const existing = await ctx.cms.findItemBySlug(access, String(fields.slug));
    if (!existing) throw error;
    await ctx.cms.updateItem(access, existing.id, fields);
    return existing.id;
  }
}
