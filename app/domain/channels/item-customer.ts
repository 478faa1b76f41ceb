// Finds the customer of a queue row when the channel runs. Rows of the service itself name a user;
// rows from outside contain the storefront's id or an email address.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type { Columns, StorefrontUser } from "../../db.server.ts";
import type { Read } from "../../runtime/database/read-together.ts";
import { PermanentFailure, type QueueItem } from "../bus/channel.ts";
import { OWN_FAILURES } from "../bus/log/own-failures.ts";
import { CUSTOMER_GID, isLookAlike, normaliseEmail } from "../customers/customer-change.ts";
import {
  findCustomerSnapshot,
  isPresent,
  type CustomerSnapshot,
} from "../customers/customer-snapshot.ts";
import { FOREIGN_NUMBER_SOURCES } from "../bus/foreign-numbers.ts";
import { IS_CONTACT } from "../tags/system-tags.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { fieldsOf, firstText, textOf, type Fields } from "./payload-fields.ts";

/** The row's reference to the person; only `userId` when the service itself wrote it. */
export type PersonReference =
  { userId: number } | { userId: null; gid: string | null; email: string | null };

const UserId = z.number().int().positive().max(2_147_483_647);

/** `isStorefronts`: the storefront sent the id, so that a number is one of its own. */
function toGid(id: string | null, isStorefronts: boolean): string | null {
  if (id === null || CUSTOMER_GID.test(id)) return id;
  return isStorefronts && /^\d{1,20}$/.test(id) ? `gid://shopify/Customer/${id}` : null;
}

/**
 * An event without a ledger entry has no entity; a message that names a person is about that
 * person.
 */
const isAboutCustomer = (item: QueueItem) =>
  item.entityType === "customer" || item.entityType === "";

function referenceIn(
  item: QueueItem,
  fields: Fields,
  ids: readonly (string | null)[],
  email: string | null,
): PersonReference {
  const isStorefronts = !FOREIGN_NUMBER_SOURCES.has(item.source);
  const gid =
    [...ids, textOf(fields.admin_graphql_api_id), textOf(fields.id)]
      .map((id) => toGid(id, isStorefronts))
      .find((found) => found !== null) ?? null;
  const isOwn = email !== null && email.includes("@") && !isLookAlike(email);
  return { userId: null, gid, email: isOwn ? normaliseEmail(email) : null };
}

/**
 * For an order, an invoice and the like: their customer. An order's own `user_id` is a clerk of the
 * store.
 */
export function readPerson(item: QueueItem): PersonReference {
  const { payload } = item;
  if (isAboutCustomer(item)) {
    const userId = UserId.safeParse(
      FOREIGN_NUMBER_SOURCES.has(item.source) ? undefined : payload.user_id,
    );
    return userId.success
      ? { userId: userId.data }
      : referenceIn(item, payload, [item.entityId], firstText(payload, "email"));
  }
  const customer = fieldsOf(payload.customer);
  return referenceIn(
    item,
    customer,
    [],
    firstText(customer, "email") ?? firstText(payload, "email", "contact_email"),
  );
}

// The storefront's id takes precedence over the address, which another customer may have by now. The store's deletion
// leaves the address with the deleted row.
const findUser = (condition: string) => `
  SELECT u.id FROM storefront_users u
  WHERE u.shop = $1 AND (u.storefront_customer_gid = $2 OR lower(u.email) = $3::text) AND ${condition}
  ORDER BY (u.storefront_customer_gid IS NOT DISTINCT FROM $2::text AND $2::text IS NOT NULL) DESC,
    (u.status = 'deleted') LIMIT 1`;
const FIND_ANY = findUser("true");
const FIND_CUSTOMER = findUser(`NOT ${IS_CONTACT}`);

const valuesOf = (person: PersonReference) =>
  person.userId === null ? [person.gid, person.email] : [null, null];

/** The account of the person whom the row names by the storefront's id or an address. */
export const userIdRead = (person: PersonReference): Read<Columns<StorefrontUser, "id">> => ({
  sql: FIND_ANY,
  values: valuesOf(person),
});

async function findUserBy(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
  statement: string,
): Promise<number | null> {
  const person = readPerson(item);
  if (person.userId !== null) return person.userId;
  if (person.gid === null && person.email === null) return null;
  const { sql } = dataOf(ctx, tenant);
  const [user] = await sql<Columns<StorefrontUser, "id">>(statement, valuesOf(person));
  return user?.id ?? null;
}

/** The account that an event is about, as the merchant's screens show it; null for an unknown person. */
export const findNamedUserId = (ctx: Ctx, tenant: Tenant, item: QueueItem) =>
  findUserBy(ctx, tenant, item, FIND_ANY);

/**
 * The account of this store, deleted or not; null for an unknown person. An event from outside that names a
 * contact's address names an unknown person: an entry in a form must not keep it from its destinations.
 */
export const findUserId = (ctx: Ctx, tenant: Tenant, item: QueueItem) =>
  findUserBy(ctx, tenant, item, FIND_CUSTOMER);

/** Null when the customer is deleted or the address is unverified: then nothing is sent. */
export async function findPresentCustomer(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
): Promise<CustomerSnapshot | null> {
  const customer = await findCustomerSnapshot(ctx, tenant, userId);
  return customer && isPresent(customer) ? customer : null;
}

/** For a channel that accepts customers only. */
export function requireCustomer(item: QueueItem): void {
  if (!isAboutCustomer(item))
    throw new PermanentFailure(
      OWN_FAILURES.entityRefused.text(item.channel, "customers", item.entityType),
    );
}

/** The customer of a row that must be about one; also null when the store has no such customer. */
export async function findItemCustomer(
  ctx: Ctx,
  tenant: Tenant,
  item: QueueItem,
): Promise<CustomerSnapshot | null> {
  requireCustomer(item);
  const userId = await findUserId(ctx, tenant, item);
  return userId === null ? null : findPresentCustomer(ctx, tenant, userId);
}
