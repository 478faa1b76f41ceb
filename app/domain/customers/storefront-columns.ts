// The columns of a customer that mirror the storefront, and the values that a storefront's change sets.
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser } from "../../db.server.ts";
import type { Tenant } from "../tenants/tenant.ts";
import type { CustomerChange } from "./customer-change.ts";
import { hasUnprovenWayIn } from "./unproven-account.ts";

export type StoredUser = Columns<
  StorefrontUser,
  | "id"
  | "email"
  | "password_hash"
  | "email_verified"
  | "federated_sub"
  | "provider"
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
  "storefront_name_hash",
] as const satisfies readonly (keyof StorefrontUser)[];

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
  "storefront_name_hash",
]);

/** Columns that record what was read, and mean nothing to other systems. */
const NOTES: ReadonlySet<string> = new Set(["storefront_name_hash"]);

/** Whether none of the changed columns is a change of the customer. */
export const isNoteOnly = (changed: readonly string[]): boolean =>
  changed.every((name) => NOTES.has(name));

/** The columns that a change sets, without the address, which may belong to another customer. */
export function columnsOf(
  ctx: Ctx,
  tenant: Tenant,
  change: CustomerChange,
  user: StoredUser | null,
): Record<string, unknown> {
  const fields: Record<string, unknown> = { storefront_customer_gid: change.gid };
  // A person who came with a stranger's address sees these fields, and must not learn the stranger's
  // data from them.
  const isUnproven = user !== null && hasUnprovenWayIn(user);
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
  if (isUnproven) return fields;
  // The person's own choice here takes precedence over the storefront's guess.
  if (change.language && !user?.language_pref) fields.language_pref = change.language;
  return { ...fields, ...namesOf(ctx, tenant, change, user) };
}

/**
 * The names, if the storefront changed them. Those that it has had since the last time may be older than the names here,
 * which the person or a merged sign-up may have changed.
 */
function namesOf(
  ctx: Ctx,
  tenant: Tenant,
  change: CustomerChange,
  user: StoredUser | null,
): Record<string, unknown> {
  const names: Record<string, unknown> = {};
  for (const name of ["first_name", "last_name"] as const)
    if (change[name] !== undefined) names[name] = change[name];
  if (Object.keys(names).length === 0) return {};
  const hash = storefrontNameHash(ctx, tenant.shop, change);
  if (hash === user?.storefront_name_hash) return {};
  const { first_name: first, last_name: last } = { ...user, ...names } as Record<string, unknown>;
  return {
    ...names,
    full_name: [first, last].filter(Boolean).join(" ") || null,
    storefront_name_hash: hash,
  };
}

/** Compared only, so that the storefront's names are not kept a second time. */
export function storefrontNameHash(
  ctx: Ctx,
  shop: string,
  names: Pick<CustomerChange, "first_name" | "last_name">,
): string {
  const pair = [names.first_name || null, names.last_name || null];
  return ctx.secrets.pseudonym(`${shop}/storefront-name`, JSON.stringify(pair));
}

/** Digits only, so that a redaction by phone finds the customer in any notation. */
export function phoneHash(ctx: Ctx, shop: string, phone: string): string {
  return ctx.secrets.pseudonym(`${shop}/phone`, phone.replace(/\D/g, ""));
}

/** A list of tags is a set: the platform sorts it, we append to it. */
const isSameSet = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((tag) => b.includes(tag));

export function isSame(stored: unknown, value: unknown): boolean {
  if (Array.isArray(stored) && Array.isArray(value))
    return isSameSet(stored as string[], value as string[]);
  return JSON.stringify(stored ?? null) === JSON.stringify(value ?? null);
}

/**
 * `last_active_at` before an update of `storefront_updated_at`. Rows older than the column use
 * `storefront_updated_at`, which echoes of our own writes also move.
 */
export const KNOWN_ACTIVITY =
  "coalesce(last_active_at, CASE WHEN last_login_at IS NULL THEN storefront_updated_at END)";
