// Browser storage of the scripts. Where storage is forbidden, the shopper is asked again on the
// next page.
import type { Choice } from "./window-globals.ts";

/** Null where storage is forbidden or full, or the value is not JSON. */
export function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;
  }
}

export const read = <T>(key: string): T | null =>
  attempt(() => JSON.parse(localStorage[key] as string) as T);

export const write = (key: string, value?: unknown): unknown =>
  attempt(() => (localStorage[key] = JSON.stringify(value)));

export const TYPES = ["tos", "privacy", "cookie", "marketing"] as const;

/**
 * A damaged value is no choice: the shopper is asked again. A choice has at least one boolean, and
 * nothing else among its flags.
 */
export function readChoice(key: string): Choice | null {
  const kept = read<Record<string, unknown>>(key);
  const kinds = TYPES.map((type) => typeof kept?.[type]);
  return kinds.includes("boolean") &&
    kinds.every((kind) => kind === "boolean" || kind === "undefined")
    ? kept
    : null;
}

export const word = (isGranted: unknown) => (isGranted === true ? "granted" : "denied");
