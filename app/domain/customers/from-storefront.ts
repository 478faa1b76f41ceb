// Applies a storefront's customer to our one record of that person, and puts the change on the bus
// in the same transaction. The newer state wins, missing fields clear nothing, an echo of our own
// change writes nothing, a deleted customer is not recreated.
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser, TenantSql } from "../../db.server.ts";
import { findKey } from "../../runtime/database/kv.ts";
import { KEYS } from "../../runtime/database/kv-keys.ts";
import { retryOnConflict } from "../../runtime/database/retry-on-conflict.ts";
import { enqueue } from "../bus/enqueue.ts";
import { toSlug } from "../tags/catalog.ts";
import { updateSystemTags } from "../tags/system-tags.ts";
import {
  isSettledAt,
  reconcileStorefrontTags,
  type ReconciledTags,
} from "../tags/storefront-tags.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { askToVerify, changesAddress, withoutProof } from "./changed-address.ts";
import { notFarAhead, type CustomerChange } from "./customer-change.ts";
import { checkAddress, findStoredUser } from "./find-stored-user.ts";
import { recordSaleOptOuts } from "./sale-opt-out.ts";
import {
  columnsOf,
  ECHOED,
  isNoteOnly,
  isSame,
  KNOWN_ACTIVITY,
  type StoredUser,
} from "./storefront-columns.ts";
import { awaitDeletions, isDeletedCustomer } from "./tombstones.ts";
import { hasWayIn } from "./unproven-account.ts";
import { channelsFor } from "../inventory/write-matrix.ts";

export type AppliedChange =
  | {
      outcome: "created" | "updated" | "unchanged" | "echo";
      userId: number;
      /** Its tags may be older than our last write, and were not compared: they need another reading. */
      hasUnsettledTags?: boolean;
      /** Another customer of the store has its address here, until that one is read again. */
      isAddressTaken?: boolean;
    }
  /** Older than the stored state, or of a customer that was deleted here. */
  | { outcome: "stale" | "gone"; userId: number | null };

/** The origin of the change; analytics sends it as the `source` of its `crm_sync`. */
type Cause = "storefront_webhook" | "storefront_cron";

/**
 * `eventId` identifies the cause: applying the same one twice enqueues it once. `alsoOnCreate` runs
 * in the transaction, after a new customer was inserted.
 */
export type ApplyOptions = {
  eventId: string;
  eventType: string;
  source?: string;
  cause?: Cause;
  alsoOnCreate?: (userId: number, sql: TenantSql) => Promise<void>;
};

export async function applyStorefrontChange(
  ctx: Ctx,
  tenant: Tenant,
  change: CustomerChange,
  options: ApplyOptions,
): Promise<AppliedChange> {
  const data = dataOf(ctx, tenant);
  return retryOnConflict(() =>
    data.transaction((sql) => applyStorefrontChangeWithin(ctx, tenant, sql, change, options)),
  );
}

/**
 * Runs in the caller's transaction, which the caller must retry on a unique violation by two
 * concurrent first events of one customer.
 */
export async function applyStorefrontChangeWithin(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  given: CustomerChange,
  options: ApplyOptions,
): Promise<AppliedChange> {
  const change = { ...given, changedAt: notFarAhead(given.changedAt, ctx.clock.now()) };
  const within: Within = { ctx, tenant, sql, change };
  const current = await findCurrent(within);
  if ("outcome" in current) return current;
  return current.user
    ? updateCustomer(within, current.user, options)
    : createCustomer(within, options);
}

/** The change, and the transaction that it is applied in. */
type Within = { ctx: Ctx; tenant: Tenant; sql: TenantSql; change: CustomerChange };

/** The customer as stored, null for a new one; or why the change does not apply. */
async function findCurrent({
  ctx,
  tenant,
  sql,
  change,
}: Within): Promise<
  { user: StoredUser | null } | Extract<AppliedChange, { outcome: "stale" | "gone" }>
> {
  if (await isDeletedCustomer(ctx, sql, tenant.shop, change))
    return { outcome: "gone", userId: null };
  const user = await findStoredUser(ctx, tenant, sql, change);
  if (user?.status === "deleted") return { outcome: "gone", userId: user.id };
  if (user?.storefront_customer_gid !== change.gid) {
    await awaitDeletions(sql, [change.gid]);
    return (await isDeletedCustomer(ctx, sql, tenant.shop, change))
      ? { outcome: "gone", userId: null }
      : { user };
  }
  if (user.storefront_updated_at && user.storefront_updated_at > change.changedAt)
    return { outcome: "stale", userId: user.id };
  return { user };
}

async function createCustomer(within: Within, options: ApplyOptions): Promise<AppliedChange> {
  const { ctx, tenant, sql, change } = within;
  const { fields, isAddressTaken } = await fieldsOf(within, null);
  const userId = await insertRow(sql, change, Object.entries(fields));
  await reconcile(sql, { id: userId, storefront_slugs: [], storefront_tagged_at: null }, change);
  if (change.hasSaleOptOut) await recordSaleOptOuts(ctx, tenant, sql, [userId]);
  await announce(within, userId, options);
  await options.alsoOnCreate?.(userId, sql);
  return { outcome: "created", userId, hasUnsettledTags: false, isAddressTaken };
}

async function updateCustomer(
  within: Within,
  user: StoredUser,
  options: ApplyOptions,
): Promise<AppliedChange> {
  const { ctx, tenant, sql, change } = within;
  if (change.hasSaleOptOut) await recordSaleOptOuts(ctx, tenant, sql, [user.id]);
  const { fields, isAddressTaken } = await fieldsOf(within, user);
  const tags = await reconcile(sql, user, change);
  if (tags) fields.tags = tags.tags;
  const hasUnsettledTags = tags?.isUndecided ?? false;
  const applied = { userId: user.id, hasUnsettledTags, isAddressTaken };

  const changed = Object.entries(fields).filter(
    ([name, value]) => !isSame(user[name as keyof StoredUser], value),
  );
  const isReassigned = tags !== null && tags.added.length + tags.removed.length > 0;
  if (isNoteOnly(changed.map(([name]) => name)) && !isReassigned) {
    await touchRow(sql, user.id, change, fields.storefront_name_hash);
    return { outcome: "unchanged", ...applied };
  }
  if (!isReassigned && (await isEcho(sql, user, changed, tags))) {
    await updateRow(sql, user.id, change, changed, { isActivity: false });
    // An echo enqueues no event of the customer, so a tag that it changes is announced to every system by itself.
    await updateSystemTags(ctx, tenant, sql, [user.id], { announce: "every_system" });
    return { outcome: "echo", ...applied };
  }
  await updateRow(sql, user.id, change, changed, { isActivity: true });
  if (change.email && !isAddressTaken && "email_verified" in fields)
    await askToVerify(ctx, tenant, sql, user, { email: change.email, eventId: options.eventId });
  await announce(within, user.id, options);
  return { outcome: "updated", ...applied };
}

/**
 * The columns that the change sets, with the address if the customer may have it. Otherwise the customer's
 * former address is given up where nobody signs in with it: it is wrong now, and may be the one that the other
 * customer waits for.
 */
async function fieldsOf(
  { ctx, tenant, sql, change }: Within,
  user: StoredUser | null,
): Promise<{ fields: Record<string, unknown>; isAddressTaken: boolean }> {
  const fields = columnsOf(ctx, tenant, change, user);
  if (change.email === undefined) return { fields, isAddressTaken: false };
  const use = await checkAddress(ctx, tenant, sql, { change, user });
  const isAddressTaken = use === "other_customer";
  const isGivenUp = isAddressTaken && user !== null && !hasWayIn(user);
  if (use === "free" || isGivenUp) {
    fields.email = isGivenUp ? null : change.email;
    if (user && changesAddress(user, change)) Object.assign(fields, withoutProof(user));
  }
  return { fields, isAddressTaken };
}

/** Null when the change has no list of tags. */
async function reconcile(
  sql: TenantSql,
  user: Pick<StoredUser, "id" | "storefront_slugs" | "storefront_tagged_at">,
  change: CustomerChange,
): Promise<ReconciledTags | null> {
  const { tags: listed } = change;
  if (!listed) return null;
  const lists = await reconcileStorefrontTags(sql, [
    {
      userId: user.id,
      listed,
      known: user.storefront_slugs,
      isSettled: isSettledAt(user.storefront_tagged_at, change),
    },
  ]);
  return lists.get(user.id) ?? null;
}

/** Whether two lists of a customer's tags differ only in tags that we write. */
export function differsOnlyInOwnTags(before: readonly string[], tags: ReconciledTags): boolean {
  const isOurs = (tag: string) => tag.startsWith("accepts_") || tags.catalog.has(toSlug(tag));
  const differing = [
    ...before.filter((tag) => !tags.tags.includes(tag)),
    ...tags.tags.filter((tag) => !before.includes(tag)),
  ];
  return differing.every(isOurs);
}

async function isEcho(
  sql: TenantSql,
  user: StoredUser,
  changed: [string, unknown][],
  tags: ReconciledTags | null,
): Promise<boolean> {
  return (
    (!tags || differsOnlyInOwnTags(user.tags as string[], tags)) &&
    changed.every(([name]) => ECHOED.has(name)) &&
    (await findKey(sql, KEYS.echo(user.id))) !== null
  );
}

/**
 * Enqueues the customer's event, which takes the tags to the systems other than the storefront. The
 * queue row is a reference: each channel reads the current state when it runs.
 */
async function announce(
  { ctx, tenant, sql, change }: Within,
  userId: number,
  { eventId, eventType, source = "storefront", cause = "storefront_webhook" }: ApplyOptions,
): Promise<void> {
  await updateSystemTags(ctx, tenant, sql, [userId], { announce: "storefront" });
  await enqueue(sql, {
    eventId,
    source,
    eventType,
    entityType: "customer",
    entityId: String(userId),
    payload: { user_id: userId, cause },
    occurredAt: change.changedAt,
    destinations: channelsFor("storefront_webhook", tenant, ctx.channels),
  });
}

const columnValue = (name: string, value: unknown) =>
  name === "tags" ? JSON.stringify(value) : value;

async function touchRow(
  sql: TenantSql,
  userId: number,
  { changedAt }: CustomerChange,
  nameHash: unknown = null,
): Promise<void> {
  await sql(
    `UPDATE storefront_users SET storefront_updated_at = greatest(storefront_updated_at, $3),
      storefront_name_hash = coalesce($4, storefront_name_hash),
      last_active_at = ${KNOWN_ACTIVITY} WHERE shop = $1 AND id = $2`,
    [userId, changedAt, nameHash],
  );
}

async function updateRow(
  sql: TenantSql,
  userId: number,
  { changedAt, createdAt }: CustomerChange,
  changed: [string, unknown][],
  { isActivity }: { isActivity: boolean },
): Promise<void> {
  const sets = changed.map(([name], index) => `${name} = $${index + 6}`);
  await sql(
    `UPDATE storefront_users SET storefront_updated_at = greatest(storefront_updated_at, $3),
      last_active_at = greatest(${KNOWN_ACTIVITY}, $4),
      storefront_created_at = coalesce(storefront_created_at, $5), updated_at = now()
      ${sets.map((set) => `, ${set}`).join("")} WHERE shop = $1 AND id = $2`,
    [
      userId,
      changedAt,
      isActivity ? changedAt : null,
      createdAt ?? null,
      ...changed.map(([name, value]) => columnValue(name, value)),
    ],
  );
}

async function insertRow(
  sql: TenantSql,
  { changedAt, createdAt }: CustomerChange,
  changed: [string, unknown][],
): Promise<number> {
  const names = changed.map(([name]) => name);
  const [row] = await sql<Columns<StorefrontUser, "id">>(
    `WITH made AS (
       INSERT INTO storefront_users (shop, provider, storefront_updated_at, last_active_at,
         storefront_created_at, ${names.join(", ")})
       VALUES ($1, 'storefront', $2, $2, $3, ${names.map((_, index) => `$${index + 4}`).join(", ")})
       RETURNING shop, id
     )
     INSERT INTO user_extras (shop, user_id) SELECT $1, id FROM made RETURNING user_id AS id`,
    [changedAt, createdAt ?? null, ...changed.map(([name, value]) => columnValue(name, value))],
  );
  return row?.id as number;
}
