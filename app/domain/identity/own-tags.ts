// What a signed-in person sees of the own tags and segment, and may change.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { CONSENT_TYPES } from "../consent/consent-types.ts";
import { changeTags, type ChangedTags, type OwnTagLists } from "../customers/tag-change.ts";
import { listAssignedTags, type AssignedTag } from "../tags/assignments.ts";
import { defineTag, formOfTag, toSlug } from "../tags/catalog.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { isProven } from "./account.ts";
import type { Session } from "./sessions.ts";

/**
 * The person's tags. What the merchant gave to a customer in the storefront is shown only to who proved to be that
 * customer, as with the rest of the customer record.
 */
export async function listOwnTags(
  ctx: Ctx,
  tenant: Tenant,
  { account }: Pick<Session, "account">,
): Promise<AssignedTag[]> {
  const tags = await listAssignedTags(dataOf(ctx, tenant).sql, account.id);
  return isProven(account) ? tags : tags.filter(({ source }) => source !== "storefront");
}

export const toShownTag = (tag: AssignedTag) => ({
  ...tag,
  assigned_at: tag.assigned_at.toISOString(),
});

/** `tos_subscribed` would read as that consent: a form cannot be named like one (DECISIONS 8). */
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
 * Adds tags of the catalogue and of form submissions, and only of categories that the store leaves to its customers.
 * Throws `tag_reserved` for the others, `invalid_request` for a form that is named like a consent.
 */
export async function changeOwnTags(
  ctx: Ctx,
  tenant: Tenant,
  session: Session,
  { add, remove, ga_session_id: gaSessionId }: z.output<typeof OwnTagLists>,
): Promise<ChangedTags> {
  requireNoConsentNames(add);
  const changed = await changeTags(ctx, tenant, session.account.id, {
    add,
    remove,
    gaSessionId,
    source: "ucp",
    categories: tenant.config.self_service_tag_categories,
  });
  return { ...changed, tags: (await listOwnTags(ctx, tenant, session)).map(({ slug }) => slug) };
}

export async function showSegment(
  ctx: Ctx,
  tenant: Tenant,
  session: Session,
): Promise<{ segment_id: string | null; segments: string[] }> {
  const [claims] = await dataOf(ctx, tenant).sql<{ segment_id: string | null }>(
    "SELECT segment_id FROM user_claims WHERE shop = $1 AND user_id = $2",
    [session.account.id],
  );
  const tags = await listOwnTags(ctx, tenant, session);
  return {
    segment_id: claims?.segment_id ?? null,
    segments: tags.filter(({ category }) => category === "segment").map(({ slug }) => slug),
  };
}

export const Experiment = z.object({ experiment: z.string().min(1).max(100) });

/**
 * A or B, always the same for this store, person and experiment, in even halves. `segment_id` names the experiment too:
 * labels of two experiments must not be taken for each other. The last experiment asked for is the one that is stored.
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
  await dataOf(ctx, tenant).sql(
    "INSERT INTO user_claims (shop, user_id, segment_id) VALUES ($1, $2, $3) ON CONFLICT (shop, user_id) DO UPDATE SET segment_id = excluded.segment_id, updated_at = now()",
    [session.account.id, segmentId],
  );
  return { ok: true, experiment, label, ...(await showSegment(ctx, tenant, session)) };
}
