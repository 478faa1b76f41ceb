// Applies a page of the storefront's customers at once: what `applyStorefrontChange` does for one,
// in a few statements for hundreds. A special case (an address of another account) uses the single
// function.
import type { Ctx } from "../../../context.server.ts";
import type { TenantSql } from "../../../db.server.ts";
import { findKeys } from "../../../runtime/database/kv.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { enqueueMany } from "../../bus/enqueue.ts";
import { channelsFor } from "../../inventory/write-matrix.ts";
import {
  isSettledAt,
  reconcileStorefrontTags,
  type ReconciledTags,
} from "../../tags/storefront-tags.ts";
import { updateSystemTags } from "../../tags/system-tags.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { changesAddress } from "../changed-address.ts";
import { notFarAhead, type CustomerChange } from "../customer-change.ts";
import { applyStorefrontChangeWithin, differsOnlyInOwnTags } from "../from-storefront.ts";
import { recordSaleOptOuts } from "../sale-opt-out.ts";
import { columnsOf, ECHOED, isNoteOnly, isSame, type StoredUser } from "../storefront-columns.ts";
import { awaitDeletions, findDeletedGids } from "../tombstones.ts";
import { countOf, noCounts, type PageCounts } from "./page-counts.ts";
import {
  insertUsers,
  lockUsers,
  touchUsers,
  type Reading,
  updateUsers,
  type Edit,
  type Regular,
  type StoredChange,
} from "./page-rows.ts";

const CAUSE = { source: "storefront", cause: "storefront_cron" } as const;
/** The storefront's update times are whole seconds. */
const PRECISION_MS = 1_000;

/**
 * Runs in the caller's transaction, which the caller must retry on a unique violation. Unchanged
 * rows enqueue nothing. Locks the rows of the page in the order of their ids; safe to repeat.
 */
export async function applyStorefrontPage(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  given: readonly CustomerChange[],
): Promise<PageCounts> {
  const now = ctx.clock.now();
  const changes = given.map((change) => ({
    ...change,
    changedAt: notFarAhead(change.changedAt, now),
  }));
  const { regular, special } = await sortChanges(ctx, tenant, sql, changes);
  const { edits, unchanged } = await findEdits(ctx, tenant, sql, regular);
  const echoes = await findEchoes(sql, edits);
  const inserts = edits.filter(({ user }) => user === null);
  const updates = edits.filter((edit): edit is Edit & { user: StoredUser } => edit.user !== null);

  await updateUsers(sql, updates, echoes);
  await touchUsers(sql, unchanged);
  const created = await insertUsers(sql, inserts);
  const updated = updates
    .filter(({ user }) => !echoes.has(user.id))
    .map(({ change, user }) => ({ change, userId: user.id }));
  const news = [...updated, ...created];
  await updateTags(ctx, tenant, sql, news, echoes);
  await enqueuePage(ctx, tenant, sql, news);
  await recordSaleOptOuts(ctx, tenant, sql, objectorsOf(regular, created));

  const counts: PageCounts = {
    ...noCounts(),
    processed: changes.length,
    created: inserts.length,
    updated: updates.length,
    unchanged: changes.length - edits.length - special.length,
  };
  const waiting: CustomerChange[] = [];
  for (const change of special) {
    const applied = await applyOne(ctx, tenant, sql, change);
    counts[countOf(applied.outcome)] += 1;
    if ("isAddressTaken" in applied && applied.isAddressTaken) waiting.push(change);
  }
  // Addresses that moved between customers of this page are free by now.
  for (const change of waiting) await applyOne(ctx, tenant, sql, change);
  return counts;
}

const applyOne = (ctx: Ctx, tenant: Tenant, sql: TenantSql, change: CustomerChange) =>
  applyStorefrontChangeWithin(ctx, tenant, sql, change, {
    ...CAUSE,
    eventId: ctx.random.uuid(),
    eventType: "customer.updated",
  });

/**
 * Locks the customers and leaves out what changes nothing: deleted customers, and changes older than
 * the stored state.
 */
async function sortChanges(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  changes: readonly CustomerChange[],
): Promise<{ regular: Regular[]; special: CustomerChange[] }> {
  const deleted = await findDeletedGids(ctx, sql, tenant.shop, changes);
  const users = await lockUsers(sql, changes);
  const byGid = new Map(users.map((user) => [user.storefront_customer_gid, user]));
  const byEmail = new Map(users.map((user) => [user.email?.toLowerCase(), user]));
  // A customer without a row may be in a deletion that has not committed.
  const unknown = changes.filter(({ gid }) => !byGid.has(gid) && !deleted.has(gid));
  if (unknown.length > 0) {
    const gids = unknown.map(({ gid }) => gid);
    await awaitDeletions(sql, gids);
    for (const gid of await findDeletedGids(ctx, sql, tenant.shop, unknown)) deleted.add(gid);
  }

  const regular: Regular[] = [];
  const special: CustomerChange[] = [];
  const addresses = new Set<string>();
  for (const change of changes) {
    const user = byGid.get(change.gid) ?? null;
    if (deleted.has(change.gid) || user?.status === "deleted" || isStale(user, change)) continue;
    const { email } = change;
    const holder = email ? byEmail.get(email) : undefined;
    const isOfAnother = holder !== undefined && holder !== user;
    const isTwiceInPage = Boolean(email && addresses.has(email));
    const isNewAddress = user !== null && user.email !== null && changesAddress(user, change);
    if (isOfAnother || isTwiceInPage || isNewAddress) special.push(change);
    else {
      if (email) addresses.add(email);
      regular.push({ change, user });
    }
  }
  return { regular, special };
}

function isStale(user: StoredUser | null, change: CustomerChange): boolean {
  // A webhook of the same second may have a more precise time: only a whole second more proves that
  // the page is newer.
  return Boolean(
    user?.storefront_updated_at &&
    user.storefront_updated_at.getTime() >= change.changedAt.getTime() + PRECISION_MS,
  );
}

/** Compares the changes with what is stored. `unchanged`: what to note of known customers that were read again. */
async function findEdits(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  regular: readonly Regular[],
): Promise<{ edits: Edit[]; unchanged: Reading[] }> {
  const edits: Edit[] = [];
  const unchanged: Reading[] = [];
  const tagsOf = await reconcileTags(sql, regular);
  for (const { change, user } of regular) {
    const tags = (user && tagsOf.get(user.id)) ?? null;
    const columns: Record<string, unknown> = {
      ...columnsOf(ctx, tenant, change, user),
      ...(change.email !== undefined && { email: change.email }),
      ...(tags && { tags: tags.tags }),
    };
    const changed = Object.entries(columns)
      .filter(([name, value]) => !user || !isSame(user[name as keyof StoredUser], value))
      .map(([name]) => name);
    if (!user || !isNoteOnly(changed) || isReassigned(tags))
      edits.push({ change, user, columns, changed, tags });
    else if (changed.length > 0 || !isReadSince(user, change))
      unchanged.push({
        id: user.id,
        at: change.changedAt,
        nameHash: (columns.storefront_name_hash ?? null) as string | null,
      });
  }
  return { edits, unchanged };
}

const isReadSince = ({ storefront_updated_at: at }: StoredUser, { changedAt }: CustomerChange) =>
  at !== null && at >= changedAt;

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

/** Echoes of our own writes: stored in the mirror, not put on the bus. */
async function findEchoes(sql: TenantSql, edits: readonly Edit[]): Promise<Set<number>> {
  const possible = edits.flatMap(({ user, changed, tags }) =>
    user &&
    changed.every((name) => ECHOED.has(name)) &&
    !isReassigned(tags) &&
    (!tags || differsOnlyInOwnTags(user.tags as string[], tags))
      ? [user.id]
      : [],
  );
  if (possible.length === 0) return new Set();
  const live = await findKeys(sql, possible.map(KEYS.echo));
  return new Set(possible.filter((id) => live.has(KEYS.echo(id))));
}

async function updateTags(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  news: readonly StoredChange[],
  echoes: ReadonlySet<number>,
): Promise<void> {
  const userIds = news.map(({ userId }) => userId);
  await updateSystemTags(ctx, tenant, sql, userIds, { announce: "storefront" });
  // An echo enqueues no event of the customer, so a tag that it changes is announced to every system by itself.
  await updateSystemTags(ctx, tenant, sql, [...echoes], { announce: "every_system" });
}

/** The customers who object to the sale of their data. */
const objectorsOf = (regular: readonly Regular[], created: readonly StoredChange[]): number[] =>
  [...regular.map(({ change, user }) => ({ change, userId: user?.id })), ...created].flatMap(
    ({ change, userId }) => (change.hasSaleOptOut && userId !== undefined ? [userId] : []),
  );

async function enqueuePage(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  news: readonly StoredChange[],
): Promise<void> {
  await enqueueMany(sql, {
    source: CAUSE.source,
    entityType: "customer",
    destinations: channelsFor("storefront_webhook", tenant, ctx.channels),
    events: news.map(({ change, userId }) => ({
      eventId: ctx.random.uuid(),
      eventType: "customer.updated",
      entityId: String(userId),
      payload: { user_id: userId, cause: CAUSE.cause },
      occurredAt: change.changedAt,
    })),
  });
}
