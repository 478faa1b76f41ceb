// A person's tags: read, and changed inside the caller's transaction.
import type { Columns, CrmTag, StorefrontUser, TenantSql, UserTagMap } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import {
  defineTag,
  isDatedFormTag,
  isOpenToSelfService,
  toAcceptsTag,
  toSlug,
  withPlainName,
  type TagDefinition,
} from "./catalog.ts";
import { oppositesOf } from "./system-tag-rules.ts";

type TagSource = "storefront" | "ucp" | "admin" | "system";
export type AssignedTag = Columns<CrmTag, "slug" | "name" | "category"> &
  Columns<UserTagMap, "source" | "assigned_at"> & { source: TagSource };

export async function listAssignedTags(sql: TenantSql, userId: number): Promise<AssignedTag[]> {
  return sql<AssignedTag>(
    `SELECT t.slug, t.name, t.category, m.source, m.assigned_at FROM user_tag_map m
      JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
     WHERE m.shop = $1 AND m.user_id = $2 ORDER BY m.id`,
    [userId],
  );
}

/** Who changes tags: the shopper, or the operator. */
type Changer = Extract<TagSource, "ucp" | "admin">;

export type TagChange = {
  add: readonly string[];
  remove: readonly string[];
  source: Changer;
  /**
   * For a shopper's own change: the categories that the store opens to customers. Null: the store's
   * change.
   */
  categories: readonly string[] | null;
  /** Called with the number of tags that the catalog does not have yet, before they are made; may throw. */
  countNew?(sql: TenantSql, number: number): Promise<void>;
};
export type TagChangeResult = { tags: string[]; added: string[]; removed: string[] };

/**
 * Adds and removes tags of one person (DECISIONS 8). A tag in both lists is removed.
 *
 *   - Stays for everybody: a tag that the storefront gave, and one that a rule set.
 *   - Stays when the shopper asks: a tag of the operator.
 *   - The operator takes a rule's tag over by adding it.
 *   - An added tag replaces its opposite. Where the opposite must stay, the tag is not added.
 *
 * Locks the person's row until the caller commits. Safe to repeat. Null when there is no such person.
 * Throws `invalid_request`, `tag_reserved`, `too_many_tags`, and what `countNew` throws.
 */
export async function changeAssignedTags(
  sql: TenantSql,
  userId: number,
  change: TagChange,
): Promise<TagChangeResult | null> {
  const user = await lockPerson(sql, userId);
  if (!user) return null;
  const remove = readTags("remove", change.remove);
  const wanted = readTags("add", change.add);
  requireNoOpposites(change.add, remove);
  const existing = await requireOpen(sql, wanted, remove, change.categories);

  const ended = await unassign(sql, userId, [...remove.keys()], ENDED_BY[change.source]);
  const kept = [...wanted.values()].filter(({ slug }) => !remove.has(slug));
  const opposites = await endOpposites(
    sql,
    userId,
    kept.map(({ slug }) => slug),
    change.source,
  );
  const add = kept.filter(({ slug }) => !opposites.refused.has(slug));
  const missing = add.filter(({ slug }) => !existing.has(slug));
  if (missing.length > 0) await change.countNew?.(sql, missing.length);
  await createTags(sql, change.categories ? missing.map(withPlainName) : missing);
  const added = await assign(sql, user, add, change.source);
  const leaving = [...ended, ...opposites.ended];
  const remaining = user.tags.filter((tag) => !leaving.includes(tag.toLowerCase()));
  const pruned = added.length > 0 ? await pruneDatedTags(sql, userId, remaining) : [];
  const removed = [...leaving, ...pruned];
  if (added.length + removed.length > 0) await mirrorTags(sql, user, added, removed);
  return {
    tags: (await listAssignedTags(sql, userId)).map(({ slug }) => slug),
    added: added.filter((slug) => !pruned.includes(slug)),
    removed,
  };
}

type TaggedPerson = Columns<StorefrontUser, "id" | "tags" | "storefront_slugs"> & {
  tags: string[];
  storefront_slugs: string[];
};

async function lockPerson(sql: TenantSql, userId: number): Promise<TaggedPerson | null> {
  const [user] = await sql<TaggedPerson>(
    `SELECT id, tags, storefront_slugs FROM storefront_users WHERE shop = $1 AND id = $2
      AND status <> 'deleted' FOR UPDATE`,
    [userId],
  );
  return user ?? null;
}

/**
 * Assigns the tags and returns those that are new. A tag that the merchant gave the person before stays
 * the merchant's.
 */
async function assign(
  sql: TenantSql,
  user: TaggedPerson,
  tags: readonly TagDefinition[],
  source: Changer,
): Promise<string[]> {
  const slugs = tags.map(({ slug }) => slug);
  const merchantTags = user.tags
    .map(toSlug)
    .filter((slug) => !user.storefront_slugs.includes(slug));
  const rows = await sql<Columns<CrmTag, "slug">>(
    `WITH wanted AS (SELECT id, slug FROM crm_tags WHERE shop = $1 AND slug = ANY($3::text[])
      ORDER BY array_position($3::text[], slug)),
     made AS (INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT $1, $2, id,
       CASE WHEN slug = ANY($5::text[]) THEN 'storefront' ELSE $4 END FROM wanted
       ON CONFLICT (shop, user_id, tag_id) DO NOTHING RETURNING tag_id)
     SELECT wanted.slug FROM made JOIN wanted ON wanted.id = made.tag_id`,
    [user.id, slugs, source, merchantTags],
  );
  if (source === "admin") await takeOver(sql, user.id, slugs);
  const assigned = new Set(rows.map(({ slug }) => slug));
  const added = slugs.filter((slug) => assigned.has(slug));
  const alreadyThere = added.filter((slug) => merchantTags.includes(slug));
  if (alreadyThere.length > 0)
    await sql(
      `UPDATE storefront_users SET storefront_slugs = storefront_slugs || $3::jsonb
        WHERE shop = $1 AND id = $2`,
      [user.id, JSON.stringify(alreadyThere)],
    );
  return added;
}

function readTags(list: "add" | "remove", names: readonly string[]): Map<string, TagDefinition> {
  const tags = names.map(defineTag);
  const empty = tags.findIndex(({ slug }) => slug === "");
  if (empty >= 0)
    throw new AppError("invalid_request", {
      fields: { [`${list}.${empty}`]: "must hold a letter a-z or a digit" },
    });
  return new Map(tags.map((tag) => [tag.slug, tag]));
}

/** Throws `invalid_request` when both of an exclusive pair are to be added, and names the later one. */
function requireNoOpposites(add: readonly string[], remove: Map<string, TagDefinition>): void {
  const slugs = add.map((name) => defineTag(name).slug);
  const problems = slugs.flatMap((slug, index) => {
    const earlier = slugs.slice(0, index).filter((other) => !remove.has(other));
    const opposite = oppositesOf([slug]).find((other) => earlier.includes(other));
    return opposite === undefined || remove.has(slug)
      ? []
      : [[`add.${index}`, `is the opposite of ${opposite}`]];
  });
  if (problems.length > 0)
    throw new AppError("invalid_request", { fields: Object.fromEntries(problems) });
}

/** Whose assignments each may end. What the store assigned is not the shopper's to take away. */
const ENDED_BY: Record<Changer, readonly TagSource[]> = {
  ucp: ["ucp"],
  admin: ["ucp", "admin"],
};

/**
 * Ends the opposites of the tags that are to be added. `refused`: the tags whose opposite stays. A
 * rule's tag does not stay beside the operator's: the rules remove it in the same transaction
 * (system-tags.ts).
 */
async function endOpposites(
  sql: TenantSql,
  userId: number,
  slugs: readonly string[],
  source: Changer,
): Promise<{ ended: string[]; refused: ReadonlySet<string> }> {
  const opposites = oppositesOf(slugs);
  if (opposites.length === 0) return { ended: [], refused: new Set() };
  const held = (await listAssignedTags(sql, userId)).filter(({ slug }) => opposites.includes(slug));
  const isEnded = (tag: AssignedTag) => ENDED_BY[source].includes(tag.source);
  const staying = held.filter(
    (tag) => !isEnded(tag) && !(source === "admin" && tag.source === "system"),
  );
  const ended = await unassign(
    sql,
    userId,
    held.filter(isEnded).map(({ slug }) => slug),
    ENDED_BY[source],
  );
  return { ended, refused: new Set(oppositesOf(staying.map(({ slug }) => slug))) };
}

/** Returns the slugs that exist. With `categories` it is a shopper's own change: throws `tag_reserved`. */
async function requireOpen(
  sql: TenantSql,
  add: Map<string, TagDefinition>,
  remove: Map<string, TagDefinition>,
  categories: readonly string[] | null,
): Promise<Set<string>> {
  const touched = new Map([...add, ...remove]);
  const given = [...add.values()].flatMap((tag) => toAcceptsTag(tag) ?? []);
  const rows = await sql<Columns<CrmTag, "slug" | "category">>(
    "SELECT slug, category FROM crm_tags WHERE shop = $1 AND slug = ANY($2::text[])",
    [[...touched.keys(), ...given]],
  );
  const stored = new Map(rows.map(({ slug, category }) => [slug, category]));
  const problems = [...touched.values()].flatMap((tag) => {
    const problem = categories && whyReserved(tag, add.has(tag.slug), stored, categories);
    return problem ? [[tag.slug, problem]] : [];
  });
  if (problems.length > 0)
    throw new AppError("tag_reserved", { fields: Object.fromEntries(problems) });
  return new Set(stored.keys());
}

/**
 * Why a shopper may not add or remove the tag: it is of another category, or it is added and neither in the
 * catalog nor a form's. A missing tag is checked as what it would become, or a shopper could add VIP before it
 * is seeded.
 */
function whyReserved(
  tag: TagDefinition,
  isAdded: boolean,
  stored: ReadonlyMap<string, string>,
  categories: readonly string[],
): string | null {
  const category = stored.get(tag.slug) ?? tag.category;
  if (!categories.includes(category)) return `is a ${category} tag`;
  if (!isAdded) return null;
  // A form also gives the customer its own tag at the storefront.
  const accepts = toAcceptsTag(tag);
  const reserved = accepts === null ? undefined : stored.get(accepts);
  if (reserved !== undefined && !categories.includes(reserved))
    return `gives ${accepts}, which is a ${reserved} tag`;
  const isUnknown = !stored.has(tag.slug) && !isOpenToSelfService(tag.slug);
  return isUnknown ? "is not in the catalog" : null;
}

/**
 * Sorted, so that two transactions with the same new tags wait for each other instead of
 * deadlocking. The customers who carry a new tag at the storefront get it afterwards
 * (customers/tag-matching); a form's dated tag is made here alone, and there are many.
 */
export async function createTags(
  sql: TenantSql,
  tags: readonly TagDefinition[],
): Promise<string[]> {
  if (tags.length === 0) return [];
  const sorted = [...tags].sort((a, b) => (a.slug < b.slug ? -1 : 1));
  const rows = await sql<Columns<CrmTag, "slug">>(
    `INSERT INTO crm_tags (shop, name, slug, category, matched_to) SELECT $1, *
      FROM unnest($2::text[], $3::text[], $4::text[], $5::int[]) ON CONFLICT (shop, slug) DO NOTHING
      RETURNING slug`,
    [
      sorted.map(({ name }) => name),
      sorted.map(({ slug }) => slug),
      sorted.map(({ category }) => category),
      sorted.map(({ slug }) => (isDatedFormTag(slug) ? null : 0)),
    ],
  );
  return rows.map(({ slug }) => slug);
}

async function unassign(
  sql: TenantSql,
  userId: number,
  slugs: readonly string[],
  sources: readonly TagSource[],
): Promise<string[]> {
  if (slugs.length === 0) return [];
  const rows = await sql<Columns<CrmTag, "slug">>(
    `DELETE FROM user_tag_map m USING crm_tags t WHERE m.shop = $1 AND t.shop = $1
      AND t.id = m.tag_id AND m.user_id = $2 AND t.slug = ANY($3::text[])
      AND m.source = ANY($4::text[]) RETURNING t.slug`,
    [userId, slugs, sources],
  );
  return rows.map(({ slug }) => slug);
}

/** What the operator assigned stays until the operator removes it, also when a rule had set it before. */
async function takeOver(sql: TenantSql, userId: number, slugs: readonly string[]): Promise<void> {
  if (slugs.length === 0) return;
  await sql(
    `UPDATE user_tag_map m SET source = 'admin' FROM crm_tags t WHERE m.shop = $1 AND t.shop = $1
      AND t.id = m.tag_id AND m.user_id = $2 AND t.slug = ANY($3::text[]) AND m.source = 'system'`,
    [userId, slugs],
  );
}

/**
 * The list metafield `crm_tags` has at most 128 entries; a storefront customer at most 250 tags,
 * including the merchant's.
 */
const MAX_OWN_TAGS = 128;
const MAX_STOREFRONT_TAGS = 250;

/**
 * Removes the oldest dated form tags beyond the limit, where the storefront would reject every further
 * tag. Throws `too_many_tags` when too few of them are left.
 */
async function pruneDatedTags(
  sql: TenantSql,
  userId: number,
  mirrored: readonly string[],
): Promise<string[]> {
  const held = await listAssignedTags(sql, userId);
  // Each form also has its `accepts_` tag at the storefront, which the mirror shows once it was written.
  const ours = new Set(held.flatMap((tag) => [tag.slug, toAcceptsTag(tag) ?? tag.slug]));
  const foreign = mirrored.filter((tag) => !ours.has(toSlug(tag)));
  const excess = Math.max(
    held.length - MAX_OWN_TAGS,
    ours.size + foreign.length - MAX_STOREFRONT_TAGS,
  );
  if (excess <= 0) return [];
  const oldest = held
    .filter(({ slug, category }) => category === "campaign" && isDatedFormTag(slug))
    .slice(0, excess);
  if (oldest.length < excess) throw new AppError("too_many_tags");
  return unassign(
    sql,
    userId,
    oldest.map(({ slug }) => slug),
    ENDED_BY.admin,
  );
}

/** `storefront_users.tags` shows our slugs at once; the merchant's own tags stay unchanged. */
async function mirrorTags(
  sql: TenantSql,
  { id, tags }: TaggedPerson,
  added: readonly string[],
  removed: readonly string[],
): Promise<void> {
  const present = new Set(tags.map(toSlug));
  const after = [...tags, ...added.filter((slug) => !present.has(slug))].filter(
    (tag) => !removed.includes(tag.toLowerCase()),
  );
  await sql(
    "UPDATE storefront_users SET tags = $3::jsonb, updated_at = now() WHERE shop = $1 AND id = $2",
    [id, JSON.stringify(after)],
  );
}
