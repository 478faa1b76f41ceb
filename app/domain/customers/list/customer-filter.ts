// The filter of a merchant's customers as one typed object: a URL, a segment and a bulk change are
// read by this one schema. Its SQL is in filter-condition.ts.
import { z } from "zod";
import { CONSENT_TYPES } from "../../consent/consent-types.ts";
import { ACCOUNT_PROVIDERS } from "../../inventory/sign-in-providers.ts";
import { toSlug } from "../../tags/catalog.ts";

const STATUSES = ["active", "suspended", "deleted"] as const;
/** The last sign-in: within so many days, longer ago than the longest period, or never. */
export const SIGNED_IN = ["7", "30", "90", "older", "never"] as const;
/** The last activity: within so many days, or with a minus none within them. */
export const ACTIVE = ["30", "90", "180", "365", "-30", "-90", "-180", "-365"] as const;
/** A consent that is granted, with a minus one that is not, and one that was declined or withdrawn. */
export const CONSENT_STATES = CONSENT_TYPES.flatMap(
  (type) => [type, `-${type}`, `revoked-${type}`] as const,
);
/** The store's own states of a subscription. */
const SUBSCRIPTIONS = ["subscribed", "not_subscribed", "pending", "unsubscribed"] as const;

const MAX_SEARCH = 200;
const MAX_ORDERS = 1_000_000_000;
const MAX_SPENT = 1_000_000_000_000;

const MAX_LISTED = 20;
const NO_CONTROLS = /^\P{Cc}*$/u;

const text = (most: number) =>
  z.string().trim().min(1).max(most).regex(NO_CONTROLS).optional().catch(undefined);
/** A URL has the values of a list in one text, with commas. */
const listOf = <Value extends z.ZodType<string, string>>(value: Value) =>
  z
    .union([z.string().transform((values) => values.split(",")), z.array(z.string())])
    .transform((values) => values.filter((one) => one.trim() !== ""))
    .pipe(z.array(value).min(1).max(MAX_LISTED))
    .transform((values) => [...new Set(values)])
    .optional()
    .catch(undefined);
const tags = listOf(z.string().max(200).transform(toSlug).pipe(z.string().min(1)));
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values).optional().catch(undefined);
/** A URL has numbers as texts. */
const amount = (shape: RegExp, most: number) =>
  z
    .union([z.number(), z.string().trim().regex(shape).transform(Number)])
    .pipe(z.number().min(0).max(most))
    .optional()
    .catch(undefined);
const orders = amount(/^\d{1,10}$/, MAX_ORDERS).transform((count) =>
  count === undefined ? undefined : Math.trunc(count),
);
const spent = amount(/^\d{1,13}(\.\d{1,4})?$/, MAX_SPENT);
/** A calendar day of the store. */
const day = z.iso
  .date()
  .refine((value) => value >= "1970-01-01" && value <= "9999-12-31")
  .optional()
  .catch(undefined);

/** Invalid parts are ignored, so that an old or mistyped link still shows a list. */
export const CustomerFilter = z.object({
  /** Any part of a name, an email address or a number; a whole phone number. */
  q: z
    .string()
    .transform((typed) => typed.trim().slice(0, MAX_SEARCH) || undefined)
    .optional()
    .catch(undefined),
  /** Has all of these tags, any of these, none of these. */
  tag: tags,
  tag_any: tags,
  tag_none: tags,
  /** A customer must match all of these. */
  consent: listOf(z.enum(CONSENT_STATES as [(typeof CONSENT_STATES)[number]])),
  email_subscription: oneOf(SUBSCRIPTIONS),
  sms_subscription: oneOf(SUBSCRIPTIONS),
  orders_min: orders,
  orders_max: orders,
  /** In the store's currency. */
  spent_min: spent,
  spent_max: spent,
  /** The first and the last day of sign-up. */
  joined_from: day,
  joined_to: day,
  signed_in: oneOf(SIGNED_IN),
  active: oneOf(ACTIVE),
  country: text(80),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$/)
    .optional()
    .catch(undefined),
  provider: oneOf(ACCOUNT_PROVIDERS),
  status: oneOf(STATUSES),
});
export type CustomerFilter = z.output<typeof CustomerFilter>;

export const readFilter = (query: URLSearchParams): CustomerFilter =>
  CustomerFilter.parse(Object.fromEntries(query));

/** Whether anything but the search narrows the list. */
export const hasFilters = (filter: CustomerFilter): boolean =>
  Object.entries(filter).some(([name, value]) => name !== "q" && value !== undefined);
