// Browser storage of the scripts. Where storage is forbidden or full, a value is kept for this page,
// and the shopper is asked again on the next one.
import { isPast } from "./choice-age.ts";
import type { Choice } from "./window-globals.ts";

/** Undefined where storage is forbidden or full, or the value is not JSON. */
export function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {}
}

/** What storage did not take. For this page it counts more than what is still stored. */
export const held: Record<string, unknown> = {};

export const read = <T>(key: string): T | null | undefined =>
  (held[key] as T) ?? attempt(() => JSON.parse(localStorage[key] as string) as T);

/** Returns whether storage took the value. Where it did not, the older value stays. */
export const put = (key: string, value: unknown): boolean =>
  !!attempt(() => (localStorage[key] = JSON.stringify(value)));

/** Returns whether the value is stored, and not only kept for this page. */
export function write(key: string, value?: unknown): boolean {
  held[key] = value;
  // An older value takes room, and must not come back on the next page.
  const isStored = put(key, value) || !!attempt(() => delete localStorage[key] && put(key, value));
  if (isStored) delete held[key];
  return isStored;
}

export const TYPES = ["tos", "privacy", "cookie", "marketing"] as const;

/**
 * A damaged value is no choice: the shopper is asked again. A choice has at least one boolean, and
 * nothing else among its flags. Without `months` it may be of any age.
 */
export function readChoice(key: string, months?: number | false): Choice | null {
  const kept = read<Record<string, unknown>>(key);
  const kinds = TYPES.map((type) => typeof kept?.[type]).join();
  // Short for "a boolean" and "no string, number or object".
  const isChoice = /b/.test(kinds) && !/[rt]/.test(kinds);
  return isChoice && !(months && isPast((kept as Choice).at, months, Date.now()))
    ? (kept as Choice)
    : null;
}

export const word = (isGranted: unknown) => (isGranted === true ? "granted" : "denied");
