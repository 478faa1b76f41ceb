// Reads the storefront's customer from any of its shapes: REST webhooks of 2024-10 (with tags and
// totals) and of 2026-07 (without), and GraphQL. A missing field is `undefined` and changes nothing.
import { z } from "zod";
import { gidOf, PayloadId } from "../../integrations/storefront/payload-ids.ts";
import { cleanName } from "./person-name.ts";

export type CustomerChange = {
  gid: string;
  createdAt?: Date | undefined;
  /** When the storefront made this change, by its own clock. */
  changedAt: Date;
  /** When it was read from the storefront's API, by this service's clock. A webhook's content was not. */
  readAt?: Date;
  email?: string | null | undefined;
  /** The address may be another person's (`isLookAlike`): it leads to no account, and takes it from none. */
  isLookAlike?: true;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  phone?: string | null | undefined;
  country?: string | null | undefined;
  language?: string | null | undefined;
  tags?: string[] | undefined;
  number_of_orders?: number | undefined;
  amount_spent?: number | undefined;
  email_subscription_status?: string | null | undefined;
  sms_subscription_status?: string | null | undefined;
  /** Whether the customer objected to the sale of data at the store. */
  hasSaleOptOut?: boolean;
};

const text = z.string().max(5_000).nullish();
const name = z.string().max(5_000).overwrite(cleanName).nullish();
/** Some topics write it in capitals, as GraphQL does. */
export const marketingState = z.string().max(80).toLowerCase().nullish();
const consent = z.looseObject({ state: marketingState }).nullish();
const when = z.iso.datetime({ offset: true }).nullish();
export const count = z
  .union([z.number(), z.string().regex(/^\d+$/)])
  .transform(Number)
  .nullish();
export const money = z
  .union([z.number(), z.string().regex(/^-?\d+(\.\d+)?$/)])
  .transform(Number)
  .nullish();

export const CUSTOMER_GID = /^gid:\/\/shopify\/Customer\/\d{1,20}$/;

const RestCustomer = z.looseObject({
  admin_graphql_api_id: z.string().regex(CUSTOMER_GID).optional(),
  id: PayloadId,
  email: text,
  first_name: name,
  last_name: name,
  phone: text,
  created_at: when,
  updated_at: when,
  default_address: z.looseObject({ country_code: text, country: text }).nullish(),
  tags: z.string().max(100_000).nullish(),
  orders_count: count,
  total_spent: money,
  email_marketing_consent: consent,
  sms_marketing_consent: consent,
});

function splitTags(list: string): string[] {
  return list
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
}

/** Email addresses compare trimmed, in NFKC and lower case. */
export function normaliseEmail(email: string): string {
  return email.trim().normalize("NFKC").toLowerCase();
}

/**
 * Whether normalisation turns the address into another one, as `ſam@` into `sam@`. The two mailboxes may belong to
 * different people, so a proof of the first says nothing about the second.
 */
export function isLookAlike(email: string): boolean {
  const asSent = email.trim();
  const normal = normaliseEmail(email);
  const isOfOthers = /\P{ASCII}/u.test(asSent) && !/\P{ASCII}/u.test(normal);
  return isOfOthers || asSent.normalize("NFC").toLowerCase() !== normal;
}

const addressOf = (
  email: string | null | undefined,
): Pick<CustomerChange, "email" | "isLookAlike"> =>
  email
    ? { email: normaliseEmail(email), ...(isLookAlike(email) && { isLookAlike: true }) }
    : { email };
const toDate = (iso: string | null | undefined) => (iso ? new Date(iso) : undefined);

/** Null when the payload names no customer. */
export function parseRestCustomer(
  payload: unknown,
  triggeredAt: Date | null,
  receivedAt: Date,
): CustomerChange | null {
  const parsed = RestCustomer.safeParse(payload);
  if (!parsed.success) return null;
  const customer = parsed.data;
  const gid = customer.admin_graphql_api_id ?? gidOf("Customer", customer.id);
  if (!gid) return null;
  const {
    default_address: address,
    email_marketing_consent: email,
    sms_marketing_consent: sms,
  } = customer;
  return {
    gid,
    createdAt: toDate(customer.created_at),
    changedAt: triggeredAt ?? toDate(customer.updated_at) ?? receivedAt,
    ...addressOf(customer.email),
    first_name: customer.first_name,
    last_name: customer.last_name,
    phone: customer.phone,
    country: address && (address.country_code ?? address.country ?? undefined),
    tags:
      customer.tags === undefined || customer.tags === null ? undefined : splitTags(customer.tags),
    number_of_orders: customer.orders_count ?? undefined,
    amount_spent: customer.total_spent ?? undefined,
    email_subscription_status: email ? email.state : undefined,
    sms_subscription_status: sms ? sms.state : undefined,
  };
}

/** Whether the payload has the newer shape, whose tags and totals must be fetched. */
export function isPartial(change: CustomerChange): boolean {
  return (
    change.tags === undefined ||
    change.number_of_orders === undefined ||
    change.amount_spent === undefined ||
    change.email_subscription_status === undefined
  );
}

/** A field is absent when the platform withholds it from this app. */
export type GraphqlCustomer = {
  id: string;
  createdAt: string;
  updatedAt: string;
  firstName?: string | null;
  lastName?: string | null;
  locale: string | null;
  tags: string[];
  numberOfOrders: string;
  amountSpent: { amount: string };
  dataSaleOptOut?: boolean;
  defaultEmailAddress?: { emailAddress: string; marketingState: string } | null;
  defaultPhoneNumber?: { phoneNumber: string; marketingState: string } | null;
  defaultAddress?: { countryCodeV2: string | null } | null;
};

/**
 * GraphQL returns the full current state, so every field is set, also the empty ones. A field of
 * another shape than the schema's is absent: it changes nothing, and stops no other customer of its
 * page.
 */
export function fromGraphqlCustomer(customer: GraphqlCustomer): CustomerChange {
  const email = partOf(customer.defaultEmailAddress);
  const phone = partOf(customer.defaultPhoneNumber);
  const address = partOf(customer.defaultAddress);
  const firstName = textOf(customer.firstName);
  const lastName = textOf(customer.lastName);
  const createdAt = new Date(customer.createdAt);
  return {
    gid: customer.id,
    createdAt: isTime(createdAt) ? createdAt : undefined,
    changedAt: new Date(customer.updatedAt),
    ...addressOf(email && textOf(email.emailAddress)),
    first_name: firstName && cleanName(firstName),
    last_name: lastName && cleanName(lastName),
    phone: phone && textOf(phone.phoneNumber),
    country: address && textOf(address.countryCodeV2),
    language: textOf(customer.locale)?.slice(0, 2).toLowerCase() ?? null,
    tags: isTextList(customer.tags) ? customer.tags : undefined,
    number_of_orders: numberOf(customer.numberOfOrders),
    amount_spent: numberOf(partOf(customer.amountSpent)?.amount),
    email_subscription_status: email && textOf(email.marketingState)?.toLowerCase(),
    sms_subscription_status: phone && textOf(phone.marketingState)?.toLowerCase(),
    ...(customer.dataSaleOptOut && { hasSaleOptOut: true }),
  };
}

const textOf = (value: unknown): string | null | undefined =>
  typeof value === "string" || value === null ? value : undefined;

const partOf = <T extends object>(value: T | null | undefined): T | null | undefined =>
  typeof value === "object" && !Array.isArray(value) ? value : undefined;

const isTextList = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
}

export const isTime = (date: Date): boolean => !Number.isNaN(date.getTime());

export const isCustomerGid = (gid: unknown): boolean =>
  typeof gid === "string" && CUSTOMER_GID.test(gid);

/** Whether the change names a customer and a time: without them it belongs to nobody. */
export const isReadable = ({ gid, changedAt }: CustomerChange): boolean =>
  isCustomerGid(gid) && isTime(changedAt);

const MAX_AHEAD_MS = 10 * 60_000;

/** A time far ahead would make every later change of the customer an old one. */
export const notFarAhead = (at: Date, now: Date): Date =>
  new Date(Math.min(at.getTime(), now.getTime() + MAX_AHEAD_MS));

/** The parts of a customer that the platform may withhold from an app. */
const PERSONAL = ["email", "first_name", "last_name", "phone", "country"] as const;

/** The change without its empty personal fields, for a store whose platform withholds such fields. */
export function withoutEmptyFields(change: CustomerChange): CustomerChange {
  const filled = { ...change };
  for (const name of PERSONAL) if (filled[name] === null) delete filled[name];
  return filled;
}

/**
 * The fetched state, which is at least as new as the webhook. A part that the platform withheld in it
 * comes from the webhook, unless empty; such a change keeps the customer's own time, so that a later
 * complete reading of the same state counts.
 */
export function completeChange(change: CustomerChange, fetched: CustomerChange): CustomerChange {
  const read = Object.entries(fetched).filter(([, value]) => value !== undefined);
  if (read.length === Object.keys(fetched).length) {
    const at = Math.max(fetched.changedAt.getTime(), change.changedAt.getTime());
    return { ...change, ...fetched, changedAt: new Date(at) };
  }
  return { ...withoutEmptyFields(change), ...Object.fromEntries(read) };
}
