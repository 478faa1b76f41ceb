// Applies a storefront's customer to our one record of that person, and puts the change on the bus
// in the same transaction. The newer state wins, missing fields clear nothing, an echo of our own
// change writes nothing, a deleted customer is not recreated.
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser, TenantSql } from "../../db.server.ts";
import { getKey, KEYS } from "../../runtime/database/kv.ts";
import { retryOnConflict } from "../../runtime/database/retry-on-conflict.ts";
import { enqueue } from "../bus/enqueue.ts";
import { reconcileStorefrontTags, type ReconciledTags } from "../tags/storefront-tags.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import type { CustomerChange } from "./customer-change.ts";
import { awaitDeletions, isGone } from "./tombstones.ts";
import { mustYieldAddress, yieldAddress } from "./unproven-account.ts";
import { channelsFor } from "./write-matrix.ts";

export type AppliedChange =
  | { outcome: "created" | "updated" | "unchanged" | "echo"; userId: number }
  /** Older than the stored state, or of a customer that was deleted here. */
  | { outcome: "stale" | "gone"; userId: number | null };

export type StoredUser = Columns<
  StorefrontUser,
  | "id"
  | "email"
  | "password_hash"
  | "email_verified"
  | "federated_sub"
  | "storefront_customer_gid"
  | "status"
  | "storefront_updated_at"
  | "language_pref"
  | "storefront_slugs"
  | "storefront_tagged_at"
  | (typeof MIRRORED)[number]
> & { storefront_slugs: string[] };

/** Columns that mirror the storefront. */
export const MIRRORED = [
  "first_name",
  "last_name",
  "full_name",
  "country",
  "tags",
  "number_of_orders",
  "amount_spent",
  "email_subscription_status",
  "sms_subscription_status",
  "phone_hash",
] as const satisfies readonly (keyof StorefrontUser)[];

/** The origin of the change; analytics sends it as the `source` of its `crm_sync`. */
type Cause = "storefront_webhook" | "storefront_cron";

/**
 * `eventId` names the cause: applying it twice enqueues it once. `alsoTo` adds channels for a
 * created customer.
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
    data.transaction((sql) => applyOnce(ctx, tenant, sql, change, options)),
  );
}

/**
 * Runs in the caller's transaction, which the caller must retry on a unique violation by two
 * concurrent first events of one customer.
 */
export async function applyOnce(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  change: CustomerChange,
  options: ApplyOptions,
): Promise<AppliedChange> {
  if (await isGone(ctx, sql, tenant.shop, change)) return { outcome: "gone", userId: null };
  const user = await findUser(ctx, tenant, sql, change);
  if (user?.status === "deleted") return { outcome: "gone", userId: user.id };
  if (user?.storefront_customer_gid !== change.gid) {
    await awaitDeletions(sql, [change.gid]);
    if (await isGone(ctx, sql, tenant.shop, change)) return { outcome: "gone", userId: null };
  }
  if (
    user?.storefront_updated_at &&
    user.storefront_customer_gid === change.gid &&
    user.storefront_updated_at > change.changedAt
  )
    return { outcome: "stale", userId: user.id };

  const fields = await toColumns(ctx, sql, tenant, change, user);
  const tags =
    user && change.tags ? await reconcile(sql, user, change.tags, change.changedAt) : null;
  if (tags) fields.tags = tags.tags;
  const changed = Object.entries(fields).filter(
    ([name, value]) => !user || !isSame(user[name as keyof StoredUser], value),
  );
  const isReassigned = tags !== null && tags.added.length + tags.removed.length > 0;
  if (user && changed.length === 0 && !isReassigned) {
    await sql(
      `UPDATE storefront_users SET storefront_updated_at = greatest(storefront_updated_at, $3)
        WHERE shop = $1 AND id = $2`,
      [user.id, change.changedAt],
    );
    return { outcome: "unchanged", userId: user.id };
  }
  if (user && !isReassigned && (await isEcho(sql, user, changed, tags))) {
    await update(sql, user.id, change.changedAt, changed);
    return { outcome: "echo", userId: user.id };
  }
  const userId = user
    ? await update(sql, user.id, change.changedAt, changed)
    : await insert(sql, change.changedAt, changed);
  if (!user && change.tags)
    await reconcile(
      sql,
      { id: userId, storefront_slugs: [], storefront_tagged_at: null },
      change.tags,
      change.changedAt,
    );
  await enqueueCustomer(ctx, tenant, sql, userId, { ...options, changedAt: change.changedAt });
  if (!user) await options.alsoOnCreate?.(userId, sql);
  return { outcome: user ? "updated" : "created", userId };
}

/** Update times are whole seconds: the order of two changes in one second is unknown. */
const CLOCK_GRAIN_MS = 1_000;

async function reconcile(
  sql: TenantSql,
  user: Pick<StoredUser, "id" | "storefront_slugs" | "storefront_tagged_at">,
  listed: readonly string[],
  at: Date,
): Promise<ReconciledTags> {
  const isSettled =
    !user.storefront_tagged_at ||
    at.getTime() >= user.storefront_tagged_at.getTime() + CLOCK_GRAIN_MS;
  const tags = await reconcileStorefrontTags(sql, user.id, {
    listed,
    known: user.storefront_slugs,
    isSettled,
  });
  if (!isSameSet(tags.known, user.storefront_slugs))
    await sql(
      "UPDATE storefront_users SET storefront_slugs = $3::jsonb WHERE shop = $1 AND id = $2",
      [user.id, JSON.stringify(tags.known)],
    );
  return tags;
}

/**
 * What our own write to a customer changes there, including the defaults of a customer we created;
 * anything else is new.
 */
export const ECHOED = new Set([
  "storefront_customer_gid",
  "tags",
  "language_pref",
  "email_subscription_status",
  "sms_subscription_status",
]);

async function isEcho(
  sql: TenantSql,
  user: StoredUser,
  changed: [string, unknown][],
  tags: ReconciledTags | null,
): Promise<boolean> {
  const isOurs = (tag: string) =>
    tag.startsWith("accepts_") || (tags?.catalogue.has(tag.toLowerCase()) ?? false);
  const before = user.tags as string[];
  const differing = tags
    ? [
        ...before.filter((tag) => !tags.tags.includes(tag)),
        ...tags.tags.filter((tag) => !before.includes(tag)),
      ]
    : [];
  return (
    differing.every(isOurs) &&
    changed.every(([name]) => ECHOED.has(name)) &&
    (await getKey(sql, KEYS.echo(user.id))) !== null
  );
}

/** The queue row is a reference: each channel reads the current state when it runs. */
async function enqueueCustomer(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  userId: number,
  options: ApplyOptions & { changedAt: Date },
): Promise<void> {
  await enqueue(sql, {
    eventId: options.eventId,
    source: options.source ?? "storefront",
    eventType: options.eventType,
    entityType: "customer",
    entityId: String(userId),
    payload: { user_id: userId, cause: options.cause ?? "storefront_webhook" },
    occurredAt: options.changedAt,
    destinations: channelsFor("storefront_webhook", tenant, ctx.channels),
  });
}

/**
 * By gid first; by address only an account without another storefront customer. Locked until the
 * end of the transaction.
 */
async function findUser(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  change: CustomerChange,
): Promise<StoredUser | null> {
  const rows = await sql<StoredUser>(
    `SELECT id, email, password_hash, email_verified, federated_sub, storefront_customer_gid,
      status, storefront_updated_at, language_pref, storefront_slugs, storefront_tagged_at, ${MIRRORED.join(", ")}
     FROM storefront_users WHERE shop = $1 AND (storefront_customer_gid = $2
       OR (storefront_customer_gid IS NULL AND lower(email) = $3 AND status <> 'deleted'))
     ORDER BY (storefront_customer_gid = $2) DESC NULLS LAST LIMIT 2 FOR UPDATE`,
    [change.gid, change.email ?? null],
  );
  const [user] = rows;
  if (user && user.storefront_customer_gid !== change.gid && (await mustYieldAddress(sql, user))) {
    await yieldAddress(ctx, tenant, sql, user.id);
    return null;
  }
  return user ?? null;
}

async function toColumns(
  ctx: Ctx,
  sql: TenantSql,
  tenant: Tenant,
  change: CustomerChange,
  user: StoredUser | null,
): Promise<Record<string, unknown>> {
  const fields = columnsOf(ctx, tenant, change, user);
  if (change.email !== undefined && (await mayTakeEmail(ctx, sql, tenant, change.email, user)))
    fields.email = change.email;
  return fields;
}

/** The columns that a change sets, without the address, which may belong to another customer. */
export function columnsOf(
  ctx: Ctx,
  tenant: Tenant,
  change: CustomerChange,
  user: StoredUser | null,
): Record<string, unknown> {
  const fields: Record<string, unknown> = { storefront_customer_gid: change.gid };
  // A person who signed up with a stranger's address sees these fields, and must not learn the
  // stranger's data from them.
  const isUnproven = user !== null && user.password_hash !== "" && !user.email_verified;
  for (const name of [
    "country",
    "tags",
    "number_of_orders",
    "amount_spent",
    "email_subscription_status",
    "sms_subscription_status",
  ] as const)
    if (change[name] !== undefined) fields[name] = change[name];
  if (change.phone !== undefined)
    fields.phone_hash = change.phone === null ? null : phoneHash(ctx, tenant.shop, change.phone);
  if (!isUnproven) Object.assign(fields, namesAndLanguage(change, user));
  return fields;
}

function namesAndLanguage(
  change: CustomerChange,
  user: StoredUser | null,
): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of ["first_name", "last_name"] as const)
    if (change[name] !== undefined) fields[name] = change[name];
  if (Object.keys(fields).length > 0) {
    const { first_name: first, last_name: last } = { ...user, ...fields } as Record<
      string,
      unknown
    >;
    fields.full_name = [first, last].filter(Boolean).join(" ") || null;
  }
  // The person's own choice here takes precedence over the storefront's guess.
  if (change.language && !user?.language_pref) fields.language_pref = change.language;
  return fields;
}

/** Digits only, so that a redaction by phone finds the customer in any notation. */
export function phoneHash(ctx: Ctx, shop: string, phone: string): string {
  return ctx.secrets.pseudonym(`${shop}/phone`, phone.replace(/\D/g, ""));
}

async function mayTakeEmail(
  ctx: Ctx,
  sql: TenantSql,
  tenant: Tenant,
  email: string | null,
  user: StoredUser | null,
): Promise<boolean> {
  // An account with a password or a federated identity is found by its address, so the storefront
  // must not change it.
  if (email === null) return !user || (user.password_hash === "" && !user.federated_sub);
  const [other] = await sql<
    Pick<
      StoredUser,
      "id" | "password_hash" | "federated_sub" | "email_verified" | "storefront_customer_gid"
    >
  >(
    `SELECT id, password_hash, federated_sub, email_verified, storefront_customer_gid FROM storefront_users
     WHERE shop = $1 AND lower(email) = $2 AND id <> $3 AND status <> 'deleted' FOR UPDATE`,
    [email, user?.id ?? 0],
  );
  if (other && !other.storefront_customer_gid && (await mustYieldAddress(sql, other))) {
    await yieldAddress(ctx, tenant, sql, other.id);
    return true;
  }
  if (other)
    ctx.log.warn("customer.email_conflict", {
      shop: tenant.shop,
      user_id: user?.id,
      other_user_id: other.id,
    });
  return !other;
}

/** A list of tags is a set: the platform sorts it, we append to it. */
const isSameSet = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((tag) => b.includes(tag));

export function isSame(stored: unknown, value: unknown): boolean {
  if (Array.isArray(stored) && Array.isArray(value))
    return isSameSet(stored as string[], value as string[]);
  return JSON.stringify(stored ?? null) === JSON.stringify(value ?? null);
}

const columnValue = (name: string, value: unknown) =>
  name === "tags" ? JSON.stringify(value) : value;

async function update(
  sql: TenantSql,
  userId: number,
  changedAt: Date,
  changed: [string, unknown][],
): Promise<number> {
  const sets = changed.map(([name], index) => `${name} = $${index + 4}`);
  await sql(
    `UPDATE storefront_users SET storefront_updated_at = greatest(storefront_updated_at, $3),
      updated_at = now(), ${sets.join(", ")} WHERE shop = $1 AND id = $2`,
    [userId, changedAt, ...changed.map(([name, value]) => columnValue(name, value))],
  );
  return userId;
}

async function insert(
  sql: TenantSql,
  changedAt: Date,
  changed: [string, unknown][],
): Promise<number> {
  const names = changed.map(([name]) => name);
  const [row] = await sql<Columns<StorefrontUser, "id">>(
    `INSERT INTO storefront_users (shop, provider, storefront_updated_at, ${names.join(", ")})
     VALUES ($1, 'storefront', $2, ${names.map((_, index) => `$${index + 3}`).join(", ")}) RETURNING id`,
    [changedAt, ...changed.map(([name, value]) => columnValue(name, value))],
  );
  const userId = row?.id as number;
  await sql("INSERT INTO user_extras (shop, user_id) VALUES ($1, $2)", [userId]);
  return userId;
}
