// A signed-in person's tags and segment, and changing them.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { requireActing } from "../consent/acting-person.ts";
import { CONSENT_TYPES } from "../consent/consent-types.ts";
import { changeTags, type ChangedTags, type OwnTagLists } from "../customers/tag-change.ts";
import { listAssignedTags, type AssignedTag } from "../tags/assignments.ts";
import { defineTag, formOfTag, toSlug } from "../tags/catalog.ts";
import { isFromStorefrontData } from "../tags/system-tag-rules.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { getAccount, isProven, type Account } from "./account.ts";
import { epochOf } from "./links.ts";
import { consumeWithin } from "./rate-limits.ts";
import type { Session } from "./session/sessions.ts";

/** Who a request is from: by a session here, or because the storefront names its customer. */
export type Shopper = { account: Account; by: "session" | "storefront" };

/** Locks the account. Throws `unauthorized` when the session ended, or the customer has another account, meanwhile. */
async function lockShopper(sql: TenantSql, { account, by }: Shopper): Promise<number> {
  const known = await getAccount(sql, account.id, { lock: true });
  const isSame =
    by === "session"
      ? epochOf(known) === epochOf(account)
      : known.storefront_customer_gid === account.storefront_customer_gid;
  if (known.status !== "active" || !isSame) throw new AppError("unauthorized");
  return known.id;
}

/**
 * The person's tags. The merchant's own assignments at the storefront, and tags of rules that follow from
 * the customer record, are returned only to the verified customer, like the rest of that record.
 */
export async function listOwnTags(
  ctx: Ctx,
  tenant: Tenant,
  { account }: Pick<Session, "account">,
): Promise<AssignedTag[]> {
  const tags = await listAssignedTags(dataOf(ctx, tenant).sql, account.id);
  return isProven(account) ? tags : tags.filter(isShownToUnproven);
}

/** Whether the tag reveals nothing of the storefront's customer record. */
export const isShownToUnproven = ({ source, slug }: Pick<AssignedTag, "source" | "slug">) =>
  source !== "storefront" && !(source === "system" && isFromStorefrontData(slug));

export const toShownTag = (tag: AssignedTag) => ({
  ...tag,
  assigned_at: tag.assigned_at.toISOString(),
});

/**
 * `tos_subscribed` would look like that consent: a form must not be named like one (DECISIONS 8).
 */
function requireNoConsentNames(add: readonly string[]): void {
  const problems = add.flatMap((name, index) => {
    const form = formOfTag(defineTag(name).slug);
    return form !== null && (CONSENT_TYPES as readonly string[]).includes(form)
      ? [[`add.${index}`, `${form} is the name of a consent, not of a form`]]
      : [];
  });
  if (problems.length > 0)
    throw new AppError("invalid_request", { fields: Object.fromEntries(problems) });
}

/**
 * Adds catalog tags and form tags, only of the categories that the store opens to customers. Throws
 * `tag_reserved` for the others, `invalid_request` for a form named like a consent, `other_person` where
 * another person acted, `unauthorized` when the session ended meanwhile, `too_many_requests` when too many of
 * the tags are new to the catalog. `address` is the client address of the request.
 */
export async function changeOwnTags(
  ctx: Ctx,
  tenant: Tenant,
  shopper: Shopper,
  { add, remove, ga_session_id: gaSessionId, acted_by: actedBy }: z.output<typeof OwnTagLists>,
  address: string,
): Promise<ChangedTags> {
  const { id, storefront_customer_gid: gid } = shopper.account;
  requireActing(actedBy, { id, gid });
  requireNoConsentNames(add);
  const changed = await changeTags(ctx, tenant, (sql) => lockShopper(sql, shopper), {
    add,
    remove,
    gaSessionId,
    source: "ucp",
    categories: tenant.config.self_service_tag_categories,
    countNew: (sql, number) =>
      consumeWithin(
        ctx,
        tenant,
        sql,
        {
          new_tags_per_account: String(id),
          new_tags_per_address: address,
          new_tags_per_store: tenant.shop,
        },
        number,
      ),
  });
  return { ...changed, tags: (await listOwnTags(ctx, tenant, shopper)).map(({ slug }) => slug) };
}

export async function showSegment(
  ctx: Ctx,
  tenant: Tenant,
  session: Session,
): Promise<{ segment_id: string | null; segments: string[] }> {
  const claims = await dataOf(ctx, tenant).prisma.userClaims.findUnique({
    select: { segment_id: true },
    where: { shop_user_id: { shop: tenant.shop, user_id: session.account.id } },
  });
  const tags = await listOwnTags(ctx, tenant, session);
  return {
    segment_id: claims?.segment_id ?? null,
    segments: tags.filter(({ category }) => category === "segment").map(({ slug }) => slug),
  };
}

export const Experiment = z.object({ experiment: z.string().min(1).max(100) });

/**
 * A or B, stable for this store, person and experiment, in even halves. `segment_id` includes the
 * experiment, because labels of two experiments must not be confused. The last requested experiment
 * is stored.
 */
export async function assignSegment(
  ctx: Ctx,
  tenant: Tenant,
  session: Session,
  { experiment: name }: z.output<typeof Experiment>,
) {
  const experiment = toSlug(name);
  if (experiment === "")
    throw new AppError("invalid_request", {
      fields: { experiment: "must hold a letter a-z or a digit" },
    });
  const digest = ctx.secrets.pseudonym(
    `${tenant.shop}/experiment/${experiment}`,
    String(session.account.id),
  );
  const label = Number.parseInt(digest.slice(0, 2), 16) % 2 === 0 ? "A" : "B";
  const segmentId = `${experiment}:${label}`;
  const key = { shop: tenant.shop, user_id: session.account.id };
  await dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    await lockShopper(sql, { account: session.account, by: "session" });
    await prisma.userClaims.upsert({
      where: { shop_user_id: key },
      create: { ...key, segment_id: segmentId },
      update: { segment_id: segmentId },
    });
  });
  return { ok: true, experiment, label, ...(await showSegment(ctx, tenant, session)) };
}
