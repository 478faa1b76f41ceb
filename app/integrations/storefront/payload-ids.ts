// Ids that a payload of the platform writes as numbers. They can exceed 2^53, where `JSON.parse` rounds, and a
// rounded number is another customer's or order's.
import { z } from "zod";

/** A number that `JSON.parse` may round has at least this many digits in a row. */
const LONG_NUMBER = /\d{16}/;

/** Parses JSON; a whole number above 2^53 becomes the text of its digits. Throws SyntaxError. */
export function parseWithExactIds(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  const keepDigits = (_: string, value: unknown, context?: { source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^\d+$/.test(context?.source ?? "")
      ? context?.source
      : value;
  return JSON.parse(text, keepDigits);
}

/** The digits of an id, from a text or from a number that was not rounded; null for anything else. */
export const PayloadId = z
  .union([z.string().regex(/^\d{1,20}$/), z.int().positive().transform(String)])
  .nullable()
  .catch(null);

/** What a payload is about, under the names that the topics use for its number. */
export const NumberedPayload = z
  .looseObject({ id: PayloadId, customer_id: PayloadId, customerId: PayloadId })
  .catch({ id: null, customer_id: null, customerId: null });

/** The gid of an object that a payload names by number; null when it does not. */
export function gidOf(type: "Customer" | "Order", id: unknown): string | null {
  const digits = PayloadId.parse(id);
  return digits && `gid://shopify/${type}/${digits}`;
}
