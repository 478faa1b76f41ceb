// The CRM Tags collection of a store's CMS site, and one staged item per tag in it.
import type { Ctx } from "../../context.server.ts";
import { isSlugTaken, type CmsFields } from "../../integrations/cms.ts";
import { AppError, OutboundError } from "../../runtime/errors.ts";
import { changeTenantRecord } from "../tenants/tenant-record.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { DEFAULT_TAGS } from "./catalog.ts";

const COLLECTION = { displayName: "CRM Tags", singularName: "CRM Tag", slug: "crm-tags" };
const CATEGORY_FIELD = "category";
const REFERENCE_FIELD = "tag-refs";

export type CmsTag = { slug: string; name: string; category: string; cms_item_id: string | null };

/**
 * Creates the collection when the store names none, and an item for each default tag without one.
 */
export async function fillCmsTags(
  ctx: Ctx,
  tenant: Tenant,
): Promise<{ created: number; existing: number }> {
  const { cms_api_token: token } = tenant.config;
  if (!token)
    throw new AppError("setting_missing", {
      message: "The CMS API token is not set.",
      fields: { cms_api_token: "is missing" },
    });
  const collectionId =
    tenant.config.cms_tags_collection_id ?? (await ensureCollection(ctx, tenant, token));
  const access = { token, collectionId, about: { shop: tenant.shop } };
  await ensureFields(ctx, tenant, token, collectionId);

  const items = await ctx.cms.listAllItems(access);
  const known = new Map(items.map(({ id, slug }) => [slug, id]));
  let created = 0;
  const ids: string[] = [];
  for (const tag of DEFAULT_TAGS) {
    const existing = known.get(tag.slug);
    ids.push(existing ?? (await createItem(ctx, access, tag)));
    if (!existing) created += 1;
  }
  await rememberItems(
    ctx,
    tenant,
    DEFAULT_TAGS.map(({ slug }) => slug),
    ids,
  );
  return { created, existing: DEFAULT_TAGS.length - created };
}

/**
 * Looked up by its slug first: a creation whose response was lost is not repeated. The id is saved
 * in the store's settings.
 */
async function ensureCollection(ctx: Ctx, tenant: Tenant, token: string): Promise<string> {
  const { cms_site_id: siteId } = tenant.config;
  if (!siteId)
    throw new AppError("setting_missing", {
      message: "Neither the CMS site nor its tags collection is set.",
      fields: { cms_site_id: "is missing" },
    });
  const there = (await ctx.cms.listCollections({ token, siteId })).find(
    ({ slug }) => slug === COLLECTION.slug,
  );
  const { id } = there ?? (await ctx.cms.createCollection({ token, siteId }, COLLECTION));
  await changeTenantRecord(ctx, tenant.shop, { set: { cms_tags_collection_id: id } });
  return id;
}

/** The CMS rejects an item with a field that its collection does not declare. */
async function ensureFields(
  ctx: Ctx,
  tenant: Tenant,
  token: string,
  tagsCollectionId: string,
): Promise<void> {
  const about = { shop: tenant.shop };
  await ensureField(ctx, { token, collectionId: tagsCollectionId, about }, CATEGORY_FIELD, {
    displayName: "Category",
    type: "PlainText",
  });
  const { cms_customers_collection_id: collectionId } = tenant.config;
  if (!collectionId) return;
  await ensureField(ctx, { token, collectionId, about }, REFERENCE_FIELD, {
    displayName: "Tag refs",
    type: "MultiReference",
    metadata: { collectionId: tagsCollectionId },
  });
}

async function ensureField(
  ctx: Ctx,
  access: Access,
  slug: string,
  field: Parameters<Ctx["cms"]["createField"]>[1],
): Promise<void> {
  try {
    const { fields } = await ctx.cms.getCollection(access);
    if (!fields.some((declared) => declared.slug === slug))
      await ctx.cms.createField(access, field);
  } catch (error) {
    // A missing collection is reported where its items are written, and a missing one of customers is no
    // reason to leave a store without its tags.
    if (!(error instanceof OutboundError) || error.status !== 404) throw error;
    ctx.log.warn("cms_field.not_created", { ...access.about, field: slug, reason: error.message });
  }
}

/** The items of these tags, created where missing; null for a store without a tags collection. */
export async function ensureCmsTagItems(
  ctx: Ctx,
  tenant: Tenant,
  tags: readonly CmsTag[],
): Promise<string[] | null> {
  const { cms_api_token: token, cms_tags_collection_id: collectionId } = tenant.config;
  if (!token || !collectionId) return null;
  const ids: string[] = [];
  for (const tag of tags) {
    const id =
      tag.cms_item_id ??
      (await createItem(ctx, { token, collectionId, about: { shop: tenant.shop } }, tag));
    if (!tag.cms_item_id) await rememberItems(ctx, tenant, [tag.slug], [id]);
    ids.push(id);
  }
  return ids;
}

/**
 * Clears the ids of items that were deleted by hand, or belong to another collection, so that they
 * are looked up again.
 */
export async function forgetCmsTagItems(
  ctx: Ctx,
  tenant: Tenant,
  slugs: readonly string[],
): Promise<void> {
  await dataOf(ctx, tenant).prisma.crmTag.updateMany({
    where: { slug: { in: [...slugs] } },
    data: { cms_item_id: null },
  });
}

type Access = Parameters<Ctx["cms"]["createItem"]>[0];

async function createItem(
  ctx: Ctx,
  access: Access,
  tag: Pick<CmsTag, "slug" | "name" | "category">,
): Promise<string> {
  const fields: CmsFields = { name: tag.name, slug: tag.slug, [CATEGORY_FIELD]: tag.category };
  try {
    return (await ctx.cms.createItem(access, fields)).id;
  } catch (error) {
    // Another delivery created it, or an earlier response was lost.
    const existing = isSlugTaken(error) ? await ctx.cms.findItemBySlug(access, tag.slug) : null;
    if (!existing) throw error;
    return existing.id;
  }
}

async function rememberItems(
  ctx: Ctx,
  tenant: Tenant,
  slugs: readonly string[],
  ids: readonly string[],
): Promise<void> {
  await dataOf(ctx, tenant).sql(
    `UPDATE crm_tags t SET cms_item_id = item.id
      FROM unnest($2::text[], $3::text[]) AS item(slug, id) WHERE t.shop = $1 AND t.slug = item.slug
      AND t.cms_item_id IS DISTINCT FROM item.id`,
    [slugs, ids],
  );
}
