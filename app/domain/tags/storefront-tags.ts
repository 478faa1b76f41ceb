// A merchant's own assignments: compares customers' tags at the storefront with the ones we know to be
// there. A tag of the storefront is the catalog's tag with the same slug: `VIP` is `vip`.
import type { Columns, CrmTag, TenantSql, UserTagMap } from "../../db.server.ts";
import { anyLength } from "../../runtime/database/array-parameters.ts";
import { toSlug } from "./catalog.ts";

export type StorefrontTagList = {
  userId: number;
  /** Every tag of the customer at the storefront. */
  listed: readonly string[];
  /** Our tags that the storefront was known to have. */
  known: readonly string[];
  /** Whether the list is certainly newer than our last write; an older one changes nothing. */
  isSettled: boolean;
};

export type ReconciledTags = {
  /** The new value of `storefront_users.tags`. */
  tags: string[];
  added: string[];
  removed: string[];
  /** The list differs from ours, and it is not certain which of the two is newer. */
  isUndecided: boolean;
  catalog: ReadonlySet<string>;
};

/** Update times are whole seconds: the order of two changes in one second is unknown. */
const CLOCK_PRECISION_MS = 1_000;

/** More than the clocks of the storefront and of this service may differ. */
const CLOCK_DIFFERENCE_MS = 5_000;

/**
 * Whether a list of tags is certainly newer than our last write of tags, by the storefront's time of the
 * change or by ours of the reading.
 */
export const isSettledAt = (
  taggedAt: Date | null,
  { changedAt, readAt }: { changedAt: Date; readAt?: Date },
): boolean =>
  !taggedAt ||
  changedAt.getTime() >= taggedAt.getTime() + CLOCK_PRECISION_MS ||
  (readAt !== undefined && readAt.getTime() >= taggedAt.getTime() + CLOCK_DIFFERENCE_MS);

type HeldRow = Columns<CrmTag, "id" | "slug"> & Columns<UserTagMap, "user_id" | "source">;
type CatalogRow = Columns<CrmTag, "id" | "slug"> & { user_id: number | null };
const isHeld = (row: CatalogRow | HeldRow): row is HeldRow => row.user_id !== null;

// The catalog's tags that a list names, and those that the customers hold: each by its index.
const CATALOG_AND_HELD = `
  SELECT id, slug, NULL::int AS user_id, NULL AS source FROM crm_tags WHERE shop = $1 AND slug = ANY(${anyLength(3, "text")}::text[])
  UNION ALL
  SELECT t.id, t.slug, m.user_id, m.source FROM user_tag_map m
    JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
  WHERE m.shop = $1 AND m.user_id = ANY(${anyLength(2, "int")}::int[])`;

/**
 * Reconciles user_tag_map and storefront_slugs: a catalog tag that appeared in the storefront is
 * assigned, one that disappeared is removed, unless a rule set it. Changes of ours that the
 * storefront has not applied yet do not count as the merchant's. Runs in the caller's transaction
 * under the row locks of these customers; safe to repeat.
 */
export async function reconcileStorefrontTags(
  sql: TenantSql,
  lists: readonly StorefrontTagList[],
): Promise<Map<number, ReconciledTags>> {
  if (lists.length === 0) return new Map();
  const named = lists.flatMap(({ listed, known }) => [...listed.map(toSlug), ...known]);
  const rows = await sql<CatalogRow | HeldRow>(
    CATALOG_AND_HELD,
    [lists.map(({ userId }) => userId), [...new Set(named)]],
    "catalog_and_held",
  );
  const ids = new Map(rows.map(({ id, slug }) => [slug, id]));
  const heldBy = new Map<number, HeldRow[]>();
  for (const row of rows)
    if (isHeld(row)) heldBy.set(row.user_id, [...(heldBy.get(row.user_id) ?? []), row]);
  const compared = lists.map((list) => compare(list, ids, heldBy.get(list.userId) ?? []));
  const pairs = (change: "added" | "removed") =>
    compared.flatMap(({ userId, [change]: slugs }) =>
      slugs.map((slug) => ({ userId, tagId: ids.get(slug) as number })),
    );
  await assignFromStorefront(sql, pairs("added"));
  await unassignAll(sql, pairs("removed"));
  await rememberKnown(
    sql,
    compared.filter(({ isKnownChanged }) => isKnownChanged),
  );
  return new Map(compared.map((one) => [one.userId, one]));
}

type Compared = ReconciledTags & { userId: number; known: string[]; isKnownChanged: boolean };

function compare(
  { userId, listed, known, isSettled }: StorefrontTagList,
  ids: ReadonlyMap<string, number>,
  held: readonly HeldRow[],
): Compared {
  const there = new Set(listed.map(toSlug));
  const wasThere = new Set(known);
  const heldBefore = new Set(held.map(({ slug }) => slug));
  const isCatalogTag = (slug: string) => ids.has(slug);
  const appeared = [...there].filter(
    (slug) => isCatalogTag(slug) && !heldBefore.has(slug) && !wasThere.has(slug),
  );
  const disappeared = held
    .filter((row) => !there.has(row.slug) && isTakenAway(row, wasThere))
    .map(({ slug }) => slug);
  const added = isSettled ? appeared : [];
  const removed = isSettled ? disappeared : [];
  const after = new Set([...heldBefore, ...added].filter((slug) => !removed.includes(slug)));
  // Our tags outside the catalog (`accepts_...`) stay known: when a merchant removes one it is
  // not added again.
  const knownAfter = isSettled
    ? [...[...there].filter(isCatalogTag), ...known.filter((slug) => !isCatalogTag(slug))]
    : [...known];
  return {
    userId,
    tags: [
      ...listed.filter((tag) => !isCatalogTag(toSlug(tag)) || after.has(toSlug(tag))),
      ...[...after].filter((slug) => !there.has(slug)),
    ],
    added,
    removed,
    isUndecided: !isSettled && appeared.length + disappeared.length > 0,
    catalog: new Set(ids.keys()),
    known: knownAfter,
    isKnownChanged:
      knownAfter.length !== known.length || knownAfter.some((slug) => !wasThere.has(slug)),
  };
}

/**
 * Whether a tag that is missing at the storefront is removed here too: one that came from there, or
 * one of ours that had arrived there. A rule's tag stays while the rule holds.
 */
function isTakenAway({ slug, source }: HeldRow, wasThere: ReadonlySet<string>): boolean {
  if (source === "storefront") return true;
  return source !== "system" && wasThere.has(slug);
}

export type TagAssignment = { userId: number; tagId: number };

/** Returns the assignments that are new. */
export async function assignFromStorefront(
  sql: TenantSql,
  pairs: readonly TagAssignment[],
): Promise<TagAssignment[]> {
  if (pairs.length === 0) return [];
  const rows = await sql<Columns<UserTagMap, "user_id" | "tag_id">>(
    `INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT $1, *, 'storefront'
      FROM unnest($2::int[], $3::int[]) ON CONFLICT (shop, user_id, tag_id) DO NOTHING
      RETURNING user_id, tag_id`,
    byColumn(pairs),
  );
  return rows.map(({ user_id: userId, tag_id: tagId }) => ({ userId, tagId }));
}

async function unassignAll(sql: TenantSql, pairs: readonly TagAssignment[]): Promise<void> {
  if (pairs.length === 0) return;
  await sql(
    `DELETE FROM user_tag_map m USING unnest($2::int[], $3::int[]) AS gone(user_id, tag_id)
      WHERE m.shop = $1 AND m.user_id = gone.user_id AND m.tag_id = gone.tag_id`,
    byColumn(pairs),
  );
}

const byColumn = (pairs: readonly TagAssignment[]) => [
  pairs.map(({ userId }) => userId),
  pairs.map(({ tagId }) => tagId),
];

async function rememberKnown(
  sql: TenantSql,
  lists: readonly { userId: number; known: string[] }[],
): Promise<void> {
  if (lists.length === 0) return;
  await sql(
    `UPDATE storefront_users u SET storefront_slugs = list.known
      FROM jsonb_to_recordset($2::jsonb) AS list("userId" int, known jsonb)
      WHERE u.shop = $1 AND u.id = list."userId"`,
    [JSON.stringify(lists.map(({ userId, known }) => ({ userId, known })))],
  );
}

/** Moves the tags that came from the storefront to the account that takes over its customer. */
export async function moveStorefrontTags(
  sql: TenantSql,
  fromUserId: number,
  toUserId: number,
): Promise<void> {
  await sql(
    `UPDATE user_tag_map SET user_id = $3 WHERE shop = $1 AND user_id = $2
       AND source = 'storefront'`,
    [fromUserId, toUserId],
  );
}
