// Reads payloads of other systems: own properties only, ids and money as text, no rounding.
export type Fields = Record<string, unknown>;

/** The value as an object; an empty object for anything else. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};

export const ownField = (fields: Fields, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

export const listOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];

/**
 * A trimmed text, or a number within the safe range; null for anything else and for an empty text.
 */
export function textOf(value: unknown): string | null {
  if (typeof value === "string") return value.trim() || null;
  return typeof value === "number" &&
    Number.isFinite(value) &&
    (!Number.isInteger(value) || Number.isSafeInteger(value))
    ? String(value)
    : null;
}

/** The first of the named fields with a text. */
export function firstText(fields: Fields, ...names: string[]): string | null {
  for (const name of names) {
    const text = textOf(ownField(fields, name));
    if (text !== null) return text;
  }
  return null;
}

/**
 * Money and quantities as written, never through a float; null when the text is not a plain
 * decimal.
 */
export function decimalOf(value: unknown): string | null {
  const text = textOf(value);
  return text !== null && /^-?\d{1,30}(\.\d{1,20})?$/.test(text) ? text : null;
}

/**
 * A unit price times a whole quantity, exactly. `price` as `decimalOf` reads it, `quantity` whole.
 */
export function multiply(price: string, quantity: string): string {
  const [whole = "0", fraction = ""] = price.split(".");
  const product = BigInt(whole + fraction) * BigInt(quantity);
  const digits = (product < 0n ? -product : product).toString().padStart(fraction.length + 1, "0");
  const unsigned = fraction
    ? `${digits.slice(0, -fraction.length)}.${digits.slice(-fraction.length)}`
    : digits;
  return product < 0n ? `-${unsigned}` : unsigned;
}
