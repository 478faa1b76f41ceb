// How much an agent's message may hold. The SDKs check it in times that its bytes do not show: comparing the fields
// of an object grows with the square of their number, and each wrong item of a list is a finding with a text. One
// message of a megabyte, which anybody may send, took half a minute.
import { AppError } from "../../runtime/errors.ts";

/** Far more than any message has in one place. */
const MAX_FIELDS = 1_000;
/** In a message of MCP, or in what an A2A message gives a tool, whose longest lists have a hundred items. */
const MAX_VALUES = 10_000;

/** Throws `malformed_request` when an object anywhere in the message has more fields. */
export function requireFewFields(message: unknown): void {
  countValues(message);
}

/** Throws `malformed_request` when the message has more fields and items altogether, or an object of it has. */
export function requireFewValues(message: unknown): void {
  if (!hasFewValues(message))
    throw new AppError("malformed_request", {
      message: `The message has more than ${MAX_VALUES} values.`,
    });
}

/** Throws like `requireFewFields`. */
export const hasFewValues = (value: unknown): boolean => countValues(value) <= MAX_VALUES;

function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  const values: unknown[] = Object.values(value);
  if (!Array.isArray(value) && values.length > MAX_FIELDS)
    throw new AppError("malformed_request", {
      message: `An object of the message has more than ${MAX_FIELDS} fields.`,
    });
  return values.reduce((count: number, inner) => count + countValues(inner), 1);
}
