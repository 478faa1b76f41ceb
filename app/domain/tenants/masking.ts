// What an answer may show of a credential: its first and last four characters (SPEC "Masking in GET /config").
const SHOWN = 4;
const SHORTEST_SHOWN = 12;
const STARS = "****";

export function mask(secret: string): string {
  return secret.length < SHORTEST_SHOWN
    ? STARS
    : secret.slice(0, SHOWN) + STARS + secret.slice(-SHOWN);
}

const MASK = /^(?:\*{4}|.{4}\*{4}.{4})$/s;

/** Whether `value` is what `mask` shows of some secret: a form that is sent back must not destroy what was masked. */
export function isMask(value: unknown): boolean {
  return typeof value === "string" && MASK.test(value);
}
