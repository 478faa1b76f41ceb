// What an answer may show of a credential: its first and last four characters (SPEC "Masking in GET /config").
const SHOWN = 4;
const SHORTEST_SHOWN = 12;
const STARS = "****";

export function mask(secret: string): string {
  return secret.length < SHORTEST_SHOWN ? STARS : secret.slice(0, SHOWN) + STARS + secret.slice(-SHOWN);
}

/** Whether `value` is what `mask` shows of `secret`: a form that is sent back unchanged must not destroy it. */
export function isMaskOf(value: unknown, secret: unknown): boolean {
  return typeof value === "string" && typeof secret === "string" && value === mask(secret);
}
