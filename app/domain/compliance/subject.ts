// The person of a privacy request, and the patterns that find the person in stored data.
import type { Ctx } from "../../context.server.ts";
import { gidOf, parseWithExactIds, PayloadId } from "../../integrations/storefront/payload-ids.ts";
import { storableText } from "../../runtime/database/storable-json.ts";
import { isLookAlike, normaliseEmail } from "../customers/customer-change.ts";
import { foldPhone } from "./personal-values/person-values.ts";
import {
  addressSpelling,
  customerIdSpelling,
  nameSpelling,
  phoneSpelling,
  type Spelling,
} from "./personal-values/spellings.ts";

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

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
const MAX_TEXT_CHARACTERS = 500;
const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== ""
    ? storableText(value).trim().slice(0, MAX_TEXT_CHARACTERS)
    : undefined;

/**
 * Reads `customer`, the orders and the platform's own number of the request; missing fields stay
 * missing.
 */
export function readSubject(raw: Buffer): { subject: Subject; externalId: string | null } {
  const body = fieldsOf(parseWithExactIds(raw.toString("utf8")));
  const customer = fieldsOf(body.customer);
  const gid = gidOf("Customer", customer.id);
  const [email, phone] = [textOf(customer.email), textOf(customer.phone)];
  const orders = [body.orders_requested, body.orders_to_redact]
    .flatMap((list) => (Array.isArray(list) ? list.map((id) => gidOf("Order", id)) : []))
    .filter((order) => order !== null)
    .slice(0, 10_000);
  return {
    subject: {
      ...(gid && { gid }),
      // The address of another person would have that one's data erased, or handed out.
      ...(email && !(gid && isLookAlike(email)) && { email: normaliseEmail(email) }),
      ...(phone && { phone }),
      ...(orders.length > 0 && { orders }),
    },
    externalId: PayloadId.parse(fieldsOf(body.data_request).id),
  };
}

export const addressSpellings = ({ emails }: Pick<KnownSubject, "emails">): Spelling[] =>
  emails.map(addressSpelling);

/**
 * The addresses and the storefront's ids. Neither names nor phone numbers: other people's rows have the same
 * words and digits (personal-values/).
 */
export const mentionSpellings = (subject: Pick<KnownSubject, "emails" | "gids">): Spelling[] => [
  ...addressSpellings(subject),
  ...subject.gids
    .map((gid) => gid.slice(gid.lastIndexOf("/") + 1))
    .filter((digits) => /^\d+$/.test(digits))
    .map(customerIdSpelling),
];

/** Names and phone numbers in sentences, for texts that an erasure cannot change. */
export const sentenceSpellings = ({
  names,
  phones,
}: Pick<KnownSubject, "names" | "phones">): Spelling[] => [
  ...names.map(nameSpelling),
  ...phones
    .map(foldPhone)
    .filter((digits) => digits !== null)
    .map(phoneSpelling),
];

/** For a deleted store only a keyed hash is kept, so that the fulfilment can still be proven. */
export const storeKey = (ctx: Ctx, shop: string): string =>
  ctx.secrets.pseudonym("privacy/store", shop);
