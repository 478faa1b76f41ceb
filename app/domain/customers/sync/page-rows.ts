// The statements of a page of customers: each handles all rows of the page at once.
import type { Columns, StorefrontUser, TenantSql } from "../../../db.server.ts";
import { reconcileStorefrontTags, type ReconciledTags } from "../../tags/storefront-tags.ts";
import type { CustomerChange } from "../customer-change.ts";
import { KNOWN_ACTIVITY, MIRRORED, type StoredUser } from "../storefront-columns.ts";

/** A change whose customer is new (`user` is null) or known, and not a special case. */
export type Regular = { change: CustomerChange; user: StoredUser | null };

/** A regular change that has something to write. */
export type Edit = Regular & {
  columns: Record<string, unknown>;
  changed: string[];
  tags: ReconciledTags | null;
};

/** A customer of the page with the id of its row. */
export type StoredChange = { change: CustomerChange; userId: number };

const COLUMNS = ["email", "language_pref", "storefront_customer_gid", ...MIRRORED] as const;
const TYPES: Record<string, string> = {
  tags: "jsonb",
  number_of_orders: "int",
  amount_spent: "float8",
};
const RECORD = COLUMNS.map((name) => `${name} ${TYPES[name] ?? "text"}`).join(", ");

/** Locks the rows of the page's gids and addresses, in the order of their ids. */
export async function lockUsers(
  sql: TenantSql,
  changes: readonly CustomerChange[],
): Promise<StoredUser[]> {
  // Two indexes, two halves: OR over both columns would read the whole table.
  return sql<StoredUser>(
    `SELECT id, email, password_hash, email_verified, federated_sub, provider, status, storefront_updated_at,
      language_pref, storefront_customer_gid, storefront_slugs, storefront_tagged_at, ${MIRRORED.join(", ")}
     FROM storefront_users WHERE shop = $1 AND id IN (
       SELECT id FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = ANY($2::text[])
       UNION SELECT id FROM storefront_users WHERE shop = $1 AND lower(email) = ANY($3::text[])
     ) ORDER BY id FOR UPDATE`,
    [changes.map(({ gid }) => gid), changes.flatMap(({ email }) => email ?? [])],
  );
}

export async function updateUsers(
  sql: TenantSql,
  edits: readonly (Edit & { user: StoredUser })[],
  echoes: ReadonlySet<number>,
): Promise<void> {
  if (edits.length === 0) return;
  const rows = edits.map(({ user, columns, change }) => ({
    ...pick(user),
    ...columns,
    id: user.id,
    at: change.changedAt,
    active: echoes.has(user.id) ? null : change.changedAt,
    created: change.createdAt,
  }));
  await sql(
    `UPDATE storefront_users u SET ${COLUMNS.map((name) => `${name} = c.${name}`).join(", ")},
      storefront_updated_at = greatest(u.storefront_updated_at, c.at), updated_at = now(),
      last_active_at = greatest(${KNOWN_ACTIVITY}, c.active),
      storefront_created_at = coalesce(u.storefront_created_at, c.created)
     FROM jsonb_to_recordset($2::jsonb) AS c(id int, at timestamptz, active timestamptz,
       created timestamptz, ${RECORD}) WHERE u.shop = $1 AND u.id = c.id`,
    [JSON.stringify(rows)],
  );
}

const pick = (user: StoredUser) => Object.fromEntries(COLUMNS.map((name) => [name, user[name]]));

/** What was read of a customer who did not change. */
export type Reading = { id: number; at: Date; nameHash: string | null };

/** Stores that the storefront has been read, of customers without a change. */
export async function touchUsers(sql: TenantSql, unchanged: readonly Reading[]): Promise<void> {
  if (unchanged.length === 0) return;
  await sql(
    `UPDATE storefront_users u SET storefront_updated_at = greatest(u.storefront_updated_at, c.at),
       storefront_name_hash = coalesce(c.name_hash, u.storefront_name_hash), last_active_at = ${KNOWN_ACTIVITY}
      FROM unnest($2::int[], $3::timestamptz[], $4::text[]) AS c(id, at, name_hash)
      WHERE u.shop = $1 AND u.id = c.id`,
    [
      unchanged.map(({ id }) => id),
      unchanged.map(({ at }) => at),
      unchanged.map(({ nameHash }) => nameHash),
    ],
  );
}

export async function insertUsers(sql: TenantSql, edits: readonly Edit[]): Promise<StoredChange[]> {
  if (edits.length === 0) return [];
  const rows = edits.map(({ columns, change }) => ({
    tags: [],
    number_of_orders: 0,
    amount_spent: 0,
    ...columns,
    at: change.changedAt,
    created: change.createdAt,
  }));
  const ids = await sql<
    Columns<StorefrontUser, "id" | "storefront_customer_gid"> & { storefront_customer_gid: string }
  >(
    `INSERT INTO storefront_users (shop, provider, storefront_updated_at, last_active_at,
       storefront_created_at, ${COLUMNS.join(", ")})
     SELECT $1, 'storefront', at, at, created, ${COLUMNS.join(", ")}
       FROM jsonb_to_recordset($2::jsonb) AS c(at timestamptz, created timestamptz, ${RECORD})
     RETURNING id, storefront_customer_gid`,
    [JSON.stringify(rows)],
  );
  await sql("INSERT INTO user_extras (shop, user_id) SELECT $1, id FROM unnest($2::int[]) AS id", [
    ids.map(({ id }) => id),
  ]);
  const byGid = new Map(ids.map((row) => [row.storefront_customer_gid, row.id]));
  await reconcileStorefrontTags(
    sql,
    edits.flatMap(({ change }) =>
      change.tags
        ? {
            userId: byGid.get(change.gid) as number,
            listed: change.tags,
            known: [],
            isSettled: true,
          }
        : [],
    ),
  );
  return edits.map(({ change }) => ({ change, userId: byGid.get(change.gid) as number }));
}
