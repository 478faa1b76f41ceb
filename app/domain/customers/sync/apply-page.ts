// Applies a page of the storefront's customers at once: what `applyStorefrontChange` does for one,
// in a few statements for hundreds. A special case (an address of another account) uses the single
// function.
import type { Ctx } from "../../../context.server.ts";
import type {
  Columns,
  CustomerTombstone,
  Kv,
  StorefrontUser,
  TenantSql,
} from "../../../db.server.ts";
import { KEYS } from "../../../runtime/database/kv.ts";
import { enqueueMany } from "../../bus/enqueue.ts";
import {
  isSettledAt,
  reconcileStorefrontTags,
  type ReconciledTags,
} from "../../tags/storefront-tags.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import type { CustomerChange } from "../customer-change.ts";
import { updateSystemTags } from "../../tags/system-tags.ts";
import { recordSaleOptOuts } from "../sale-opt-out.ts";
import { applyOnce, differsInOwnTags, storefrontOf } from "../from-storefront.ts";
import {
  columnsOf,
  ECHOED,
  isSame,
  KNOWN_ACTIVITY,
  MIRRORED,
  type StoredUser,
} from "../storefront-columns.ts";
import { awaitDeletions, tombstoneOf } from "../tombstones.ts";
import { channelsFor } from "../../inventory/write-matrix.ts";

export type PageCounts = {
  processed: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
};

export const noCounts = (): PageCounts => ({
  processed: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  failed: 0,
});

const CAUSE = { source: "storefront", cause: "storefront_cron" } as const;
/** The storefront's update times are whole seconds. */
const PRECISION_MS = 1_000;

type Values = Record<string, unknown>;
type Regular = { change: CustomerChange; user: StoredUser | null };
type Edit = Regular & {
  columns: Values;
  changed: string[];
  tags: ReconciledTags | null;
};

const COLUMNS = ["email", "language_pref", "storefront_customer_gid", ...MIRRORED] as const;
const TYPES: Record<string, string> = {
  tags: "jsonb",
  number_of_orders: "int",
  amount_spent: "float8",
};
const RECORD = COLUMNS.map((name) => `${name} ${TYPES[name] ?? "text"}`).join(", ");

/**
 * Runs in the caller's transaction, which the caller must retry on a unique violation. Unchanged
 * rows enqueue nothing. Locks the rows of the page in the order of their ids; safe to repeat.
 */
export async function applyStorefrontPage(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  changes: readonly CustomerChange[],
): Promise<PageCounts> {
  const counts: PageCounts = { ...noCounts(), processed: changes.length };
  const gone = await findGone(ctx, sql, tenant.shop, changes);
  const users = await lockUsers(sql, changes);
  const byGid = new Map(
    users.flatMap((user) =>
      user.storefront_customer_gid ? [[user.storefront_customer_gid, user]] : [],
    ),
  );
  const byEmail = new Map(
    users.flatMap((user) => (user.email ? [[user.email.toLowerCase(), user]] : [])),
  );
  const fresh = changes.filter(({ gid }) => !byGid.has(gid) && !gone.has(gid));
  if (fresh.length > 0) {
    const gids = fresh.map(({ gid }) => gid);
    await awaitDeletions(sql, gids);
    for (const gid of await findGone(ctx, sql, tenant.shop, fresh)) gone.add(gid);
  }
  const regular: Regular[] = [];
  const odd: CustomerChange[] = [];
  const addresses = new Set<string>();
  for (const change of changes) {
    const user = byGid.get(change.gid) ?? null;
    const holder = change.email ? byEmail.get(change.email) : undefined;
    if (gone.has(change.gid) || user?.status === "deleted" || isStale(user, change)) {
      counts.unchanged += 1;
      continue;
    }
    const isOdd =
      (holder && holder !== user) ||
      (change.email && addresses.has(change.email)) ||
      (change.email === null && user !== null && user.email !== null);
    if (isOdd) {
      odd.push(change);
      continue;
    }
    if (change.email) addresses.add(change.email);
    regular.push({ change, user });
  }

  const edits: Edit[] = [];
  const seen: { id: number; at: Date }[] = [];
  const tagsOf = await reconcileTags(sql, regular);
  for (const { change, user } of regular) {
    const tags = (user && tagsOf.get(user.id)) ?? null;
    const columns: Values = {
      ...columnsOf(ctx, tenant, change, user),
      ...(change.email !== undefined && { email: change.email }),
      ...(tags && { tags: tags.tags }),
    };
    const changed = Object.keys(columns).filter(
      (name) => !user || !isSame(user[name as keyof StoredUser], columns[name]),
    );
    if (changed.length > 0 || isReassigned(tags)) {
      edits.push({ change, user, columns, changed, tags });
      continue;
    }
    counts.unchanged += 1;
    if (user && !(user.storefront_updated_at && user.storefront_updated_at >= change.changedAt))
      seen.push({ id: user.id, at: change.changedAt });
  }

  const echoes = await findEchoes(sql, edits);
  const news = edits.filter(({ user }) => user === null);
  const known = edits.filter((edit): edit is Edit & { user: StoredUser } => edit.user !== null);
  await updateUsers(sql, known, echoes);
  await touchUsers(sql, seen);
  const created = await insertUsers(sql, news);
  const queued = known
    .filter(({ user }) => !echoes.has(user.id))
    .map(({ change, user }) => ({ change, userId: user.id }));
  const changed = [...queued, ...created];
  await updateSystemTags(
    ctx,
    tenant,
    sql,
    changed.map(({ userId }) => userId),
    storefrontOf(ctx, tenant),
  );
  // No event of the customer follows an echo: a subscription's tag takes its own way.
  const systems = channelsFor("tag_change", tenant, ctx.channels);
  await updateSystemTags(ctx, tenant, sql, [...echoes], systems);
  await enqueuePage(ctx, tenant, sql, changed);
  await recordSaleOptOuts(ctx, tenant, sql, objectorsOf(regular, created));
  counts.created += news.length;
  counts.updated += known.length;
  for (const change of odd) {
    const { outcome } = await applyOnce(ctx, tenant, sql, change, {
      ...CAUSE,
      eventId: ctx.random.uuid(),
      eventType: "customer.updated",
    });
    counts[
      outcome === "created"
        ? "created"
        : outcome === "updated" || outcome === "echo"
          ? "updated"
          : "unchanged"
    ] += 1;
  }
  return counts;
}

/** The customers who object to the sale of their data. */
const objectorsOf = (
  regular: readonly Regular[],
  created: readonly { change: CustomerChange; userId: number }[],
): number[] =>
  [...regular.map(({ change, user }) => ({ change, userId: user?.id })), ...created].flatMap(
    ({ change, userId }) => (change.hasSaleOptOut && userId !== undefined ? [userId] : []),
  );

/** Compares the tags of known customers with the storefront's lists. */
const reconcileTags = (sql: TenantSql, regular: readonly Regular[]) =>
  reconcileStorefrontTags(
    sql,
    regular.flatMap(({ change, user }) =>
      user && change.tags
        ? {
            userId: user.id,
            listed: change.tags,
            known: user.storefront_slugs,
            isSettled: isSettledAt(user.storefront_tagged_at, change),
          }
        : [],
    ),
  );

const isReassigned = (tags: ReconciledTags | null): boolean =>
  tags !== null && tags.added.length + tags.removed.length > 0;

function isStale(user: StoredUser | null, change: CustomerChange): boolean {
  // A webhook of the same second may have a more precise time: only a whole second more proves that
  // the page is newer.
  return Boolean(
    user?.storefront_updated_at &&
    user.storefront_updated_at.getTime() >= change.changedAt.getTime() + PRECISION_MS,
  );
}

async function lockUsers(
  sql: TenantSql,
  changes: readonly CustomerChange[],
): Promise<StoredUser[]> {
  // Two indexes, two halves: OR over both columns would read the whole table.
  return sql<StoredUser>(
    `SELECT id, email, password_hash, email_verified, federated_sub, status, storefront_updated_at,
      language_pref, storefront_customer_gid, storefront_slugs, storefront_tagged_at, ${MIRRORED.join(", ")}
     FROM storefront_users WHERE shop = $1 AND id IN (
       SELECT id FROM storefront_users WHERE shop = $1 AND storefront_customer_gid = ANY($2::text[])
       UNION SELECT id FROM storefront_users WHERE shop = $1 AND lower(email) = ANY($3::text[])
     ) ORDER BY id FOR UPDATE`,
    [changes.map(({ gid }) => gid), changes.flatMap(({ email }) => email ?? [])],
  );
}

/**
 * A tombstoned gid is never recreated; nor is an address whose customer record is older than its
 * deletion.
 */
async function findGone(
  ctx: Ctx,
  sql: TenantSql,
  shop: string,
  changes: readonly CustomerChange[],
): Promise<Set<string>> {
  const [any] = await sql("SELECT 1 FROM customer_tombstones WHERE shop = $1 LIMIT 1");
  if (!any) return new Set();
  const marks = changes.map((change) => ({
    change,
    gid: tombstoneOf(ctx, shop, "gid", change.gid),
    email: change.email ? tombstoneOf(ctx, shop, "email", change.email) : null,
  }));
  const tombs = await sql<Columns<CustomerTombstone, "subject_hmac" | "created_at">>(
    `SELECT subject_hmac, created_at FROM customer_tombstones WHERE shop = $1 AND ((kind = 'gid'
      AND subject_hmac = ANY($2::text[])) OR (kind = 'email' AND subject_hmac = ANY($3::text[])))`,
    [marks.map(({ gid }) => gid), marks.flatMap(({ email }) => email ?? [])],
  );
  const buried = new Map(tombs.map((tomb) => [tomb.subject_hmac, tomb.created_at]));
  const isGone = ({ change, gid, email }: (typeof marks)[number]) => {
    const at = email ? buried.get(email) : undefined;
    return buried.has(gid) || (at !== undefined && (!change.createdAt || change.createdAt <= at));
  };
  return new Set(marks.filter(isGone).map(({ change }) => change.gid));
}

/** Echoes of our own writes: stored in the mirror, not put on the bus. */
async function findEchoes(sql: TenantSql, edits: readonly Edit[]): Promise<Set<number>> {
  const possible = edits.flatMap(({ user, changed, tags }) =>
    user &&
    changed.every((name) => ECHOED.has(name)) &&
    !isReassigned(tags) &&
    (!tags || differsInOwnTags(user.tags as string[], tags))
      ? [user.id]
      : [],
  );
  if (possible.length === 0) return new Set();
  const live = await sql<Columns<Kv, "key">>(
    `SELECT key FROM kv WHERE shop = $1 AND key = ANY($2::text[]) AND (expires_at IS NULL
      OR expires_at > clock_timestamp())`,
    [possible.map((id) => KEYS.echo(id))],
  );
  const keys = new Set(live.map(({ key }) => key));
  return new Set(possible.filter((id) => keys.has(KEYS.echo(id))));
}

async function updateUsers(
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

async function touchUsers(
  sql: TenantSql,
  seen: readonly { id: number; at: Date }[],
): Promise<void> {
  if (seen.length === 0) return;
  await sql(
    `UPDATE storefront_users u SET storefront_updated_at = c.at, last_active_at = ${KNOWN_ACTIVITY}
      FROM unnest($2::int[], $3::timestamptz[]) AS c(id, at) WHERE u.shop = $1 AND u.id = c.id`,
    [seen.map(({ id }) => id), seen.map(({ at }) => at)],
  );
}

async function insertUsers(
  sql: TenantSql,
  edits: readonly Edit[],
): Promise<{ change: CustomerChange; userId: number }[]> {
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

async function enqueuePage(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  queued: readonly { change: CustomerChange; userId: number }[],
): Promise<void> {
  await enqueueMany(sql, {
    source: CAUSE.source,
    entityType: "customer",
    destinations: channelsFor("storefront_webhook", tenant, ctx.channels),
    events: queued.map(({ change, userId }) => ({
      eventId: ctx.random.uuid(),
      eventType: "customer.updated",
      entityId: String(userId),
      payload: { user_id: userId, cause: CAUSE.cause },
      occurredAt: change.changedAt,
    })),
  });
}
