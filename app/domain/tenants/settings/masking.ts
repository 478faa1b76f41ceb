// How much of a credential a response may show: its first and last four characters (SPEC "Masking in GET
// /config").
const SHOWN = 4;
const MIN_SHOWN = 12;
const STARS = "****";

export function mask(secret: string): string {
  return secret.length < MIN_SHOWN ? STARS : secret.slice(0, SHOWN) + STARS + secret.slice(-SHOWN);
}

const MASK = /^(?:\*{4}|.{4}\*{4}.{4})$/s;

/**
 * Whether `value` may be a mask of a secret: a form that is sent back must not overwrite the secret
 * with its mask.
 */
export function isMask(value: unknown): boolean {
  return typeof value === "string" && MASK.test(value);
}

/** Whether an address proves its caller by its query, as pre-signed ones do. */
export const isSigned = (address: string): boolean => /^https?:[^?]*\?./i.test(address);

/** A pre-signed address without what it proves: `https://bucket.example/drops?****`. */
export const maskQuery = (address: string): string =>
  isSigned(address) ? `${address.slice(0, address.indexOf("?"))}?${STARS}` : address;

export const isMaskedQuery = (value: unknown): boolean =>
  typeof value === "string" && value.endsWith(`?${STARS}`);
