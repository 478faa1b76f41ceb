// The person of a privacy request, and the patterns that find the person in stored data.
import type { Ctx } from "../../context.server.ts";
import { storableText } from "../../runtime/database/storable-json.ts";
import { normaliseEmail } from "../customers/customer-change.ts";

/** The platform's identifiers of the person; each may be missing. */
export type Subject = {
  gid?: string;
  email?: string;
  phone?: string;
  /** Gids. */
  orders?: string[];
};

/** The person's known identifiers, which must not be found after the erasure, and the accounts. */
export type KnownSubject = {
  userIds: number[];
  gids: string[];
  emails: string[];
  phones: string[];
  names: string[];
  orders: string[];
  eventIds: string[];
};

export const hasIdentifier = ({ gid, email, phone }: Subject): boolean =>
  Boolean(gid ?? email ?? phone);

export function subjectKey(ctx: Ctx, shop: string, { gid, email, phone }: Subject): string | null {
  const value = gid ?? email ?? phone?.replace(/\D/g, "");
  return value ? ctx.secrets.pseudonym(`${shop}/privacy`, value) : null;
}

/** Numbers above 2^53 keep their digits from the raw bytes: `JSON.parse` rounds them. */
function parseWithExactIds(raw: Buffer): unknown {
  const keepDigits = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^\d+$/.test(context?.source ?? "")
      ? context?.source
      : value;
  return JSON.parse(raw.toString("utf8"), keepDigits);
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
const idOf = (value: unknown): string | null =>
  /^\d{1,20}$/.test(String(value)) && (typeof value === "number" || typeof value === "string")
    ? String(value)
    : null;
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== ""
    ? storableText(value).trim().slice(0, 500)
    : undefined;

/**
 * Reads `customer`, the orders and the platform's own number of the request; missing fields stay
 * missing.
 */
export function readSubject(raw: Buffer): { subject: Subject; externalId: string | null } {
  const body = fieldsOf(parseWithExactIds(raw));
  const customer = fieldsOf(body.customer);
  const id = idOf(customer.id);
  const [email, phone] = [textOf(customer.email), textOf(customer.phone)];
  const orders = [body.orders_requested, body.orders_to_redact]
    .flatMap((list) => (Array.isArray(list) ? list.map(idOf) : []))
    .filter((order) => order !== null)
    .slice(0, 10_000);
  return {
    subject: {
      ...(id && { gid: `gid://shopify/Customer/${id}` }),
      ...(email && { email: normaliseEmail(email) }),
      ...(phone && { phone }),
      ...(orders.length > 0 && { orders: orders.map((order) => `gid://shopify/Order/${order}`) }),
    },
    externalId: idOf(fieldsOf(body.data_request).id),
  };
}

const MIN_PHONE_DIGITS = 7;
const escapeRegex = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
/** In the forms in which other programs write JSON. */
const jsonEscaped = (text: string) =>
  text.replace(
    /[^\u0020-\u007e]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const spellings = (text: string): string[] =>
  [...new Set([text, jsonEscaped(text)])].map(escapeRegex);
/** Whole, not the end of a longer address; and in its URL-encoded form. */
const addressPattern = (email: string): string[] => [
  ...spellings(email).map((text) => `(?<![a-z0-9._+-])${text}(?![a-z0-9-]|\\.[a-z0-9])`),
  escapeRegex(encodeURIComponent(email)),
];
const namePattern = (name: string): string[] =>
  spellings(name).map((text) => `(?<!\\w)${text}(?!\\w)`);

function phonePattern(phone: string): string[] {
  const digits = phone.replace(/\D/g, "");
  return digits.length < MIN_PHONE_DIGITS
    ? []
    : [`(?<!\\d)${digits.split("").join("[^0-9a-zA-Z]{0,3}")}(?!\\d)`];
}

/** Direct identifiers: addresses, phone numbers in any notation, full names. Case-insensitive. */
export function identityPatterns({
  emails,
  phones,
  names,
}: Pick<KnownSubject, "emails" | "phones" | "names">): string[] {
  return [
    ...emails.flatMap(addressPattern),
    ...phones.flatMap(phonePattern),
    ...names.flatMap(namePattern),
  ];
}

/** Also references by the storefront's id, in the forms that ids have in payloads. */
export function mentionPattern(subject: KnownSubject): string | null {
  const ids = subject.gids
    .map((gid) => gid.slice(gid.lastIndexOf("/") + 1))
    .filter((digits) => /^\d+$/.test(digits));
  const references = ids.map((id) => `(Customer\\\\?/|"(id|customer_id)" ?: ?"?)${id}(?!\\d)`);
  const parts = [...identityPatterns(subject), ...references];
  return parts.length > 0 ? parts.join("|") : null;
}
