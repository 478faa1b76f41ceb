// Moves what the domain's functions wrote just now to the day in the history that it stands for.
// Evidence is never moved: consents and the bus's rows get their time when they are appended.
import type { StorefrontUser, TenantSql } from "../db.server.ts";

export type PersonDates = Pick<StorefrontUser, "created_at" | "updated_at" | "last_login_at"> & {
  gid: string;
};

/** The customers, and their tags with them. Safe to repeat. */
export async function backdatePeople(
  sql: TenantSql,
  people: readonly PersonDates[],
): Promise<void> {
  await sql(
    `WITH dated AS (
       UPDATE storefront_users u SET created_at = d.created_at, updated_at = d.updated_at,
         last_login_at = d.last_login_at
       FROM unnest($2::text[], $3::timestamptz[], $4::timestamptz[], $5::timestamptz[])
         AS d(gid, created_at, updated_at, last_login_at)
       WHERE u.shop = $1 AND u.storefront_customer_gid = d.gid
       RETURNING u.id, d.updated_at
     )
     UPDATE user_tag_map m SET assigned_at = dated.updated_at FROM dated
     WHERE m.shop = $1 AND m.user_id = dated.id`,
    [
      people.map(({ gid }) => gid),
      people.map(({ created_at: at }) => at),
      people.map(({ updated_at: at }) => at),
      people.map(({ last_login_at: at }) => at),
    ],
  );
}

/** Notes that the store has all tags of these customers, and returns them. Safe to repeat. */
export const rememberStoreTags = (
  sql: TenantSql,
  gids: readonly string[],
): Promise<{ gid: string; tags: string[] }[]> =>
  sql(
    `UPDATE storefront_users SET storefront_slugs = tags
     WHERE shop = $1 AND storefront_customer_gid = ANY($2::text[])
     RETURNING storefront_customer_gid AS gid, tags`,
    [gids],
  );
