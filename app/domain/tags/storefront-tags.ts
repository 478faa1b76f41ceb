// A merchant's own assignments: compares a customer's tags at the storefront with the ones we know to be
// there.
import type { Columns, CrmTag, TenantSql } from "../../db.server.ts";

export type StorefrontTagList = {
  /** Every tag of the customer at the storefront. */
  listed: readonly string[];
  /** Our tags that the storefront was known to have. */
  known: readonly string[];
  /** Whether the list is certainly newer than our last write; an older one changes nothing. */
  isSettled: boolean;
};

export type ReconciledTags = {
  /** The new value of `storefront_users.tags`. */ tags: string[];
  known: string[];
  added: string[];
  removed: string[];
  catalogue: ReadonlySet<string>;
};

type TagRow = Columns<CrmTag, "id" | "slug"> & { is_held: boolean };

/**
 * Reconciles user_tag_map: a catalog tag that appeared in the storefront is assigned, one that
 * disappeared is removed. Changes of ours that the storefront has not applied yet do not count as
 * the merchant's. Runs in the caller's transaction under the person's row lock; safe to repeat.
 */
export async function reconcileStorefrontTags(
  sql: TenantSql,
  userId: number,
  { listed, known, isSettled }: StorefrontTagList,
): Promise<ReconciledTags> {
  const there = new Set(listed.map((tag) => tag.toLowerCase()));
  const wasThere = new Set(known);
  const rows = await sql<TagRow>(
    `SELECT t.id, t.slug, m.id IS NOT NULL AS is_held FROM crm_tags t LEFT
      JOIN user_tag_map m ON m.shop = t.shop AND m.tag_id = t.id AND m.user_id = $2
     WHERE t.shop = $1 AND (t.slug = ANY($3::text[]) OR m.id IS NOT NULL)`,
    [userId, [...there, ...known]],
  );
  const given = isSettled
    ? rows.filter(({ slug, is_held: isHeld }) => !isHeld && there.has(slug) && !wasThere.has(slug))
    : [];
  const taken = isSettled
    ? rows.filter(({ slug, is_held: isHeld }) => isHeld && !there.has(slug) && wasThere.has(slug))
    : [];
  if (given.length > 0)
    await sql(
      `INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT $1, $2, tag, 'storefront'
        FROM unnest($3::int[]) AS tag ON CONFLICT (shop, user_id, tag_id) DO NOTHING`,
      [userId, given.map(({ id }) => id)],
    );
  if (taken.length > 0)
    await sql(
      "DELETE FROM user_tag_map WHERE shop = $1 AND user_id = $2 AND tag_id = ANY($3::int[])",
      [userId, taken.map(({ id }) => id)],
    );

  const changed = new Set([...given, ...taken]);
  const held = rows.filter((row) => row.is_held !== changed.has(row)).map(({ slug }) => slug);
  const catalogue = new Set(rows.map(({ slug }) => slug));
  const isHeld = new Set(held);
  return {
    tags: [
      ...listed.filter((tag) => !catalogue.has(tag.toLowerCase()) || isHeld.has(tag.toLowerCase())),
      ...held.filter((slug) => !there.has(slug)),
    ],
    // Our tags outside the catalog (`accepts_...`) stay known: when a merchant removes one it is
    // not added again.
    known: isSettled
      ? [
          ...[...catalogue].filter((slug) => there.has(slug)),
          ...known.filter((slug) => !catalogue.has(slug)),
        ]
      : [...known],
    added: given.map(({ slug }) => slug),
    removed: taken.map(({ slug }) => slug),
    catalogue,
  };
}
