// What the scripts keep in the browser. A browser that forbids it is none the worse: it is asked again at the next page.
import type { Choice } from "./store-window.ts";

/** Null where storage is forbidden or full, or holds what is no JSON. */
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

/** Only `true` is a yes. What says yes otherwise is damaged and no choice: the shopper is asked again. */
export function readChoice(key: string): Choice | null {
  const kept = read<Record<string, unknown>>(key);
  return TYPES.some((type) => kept?.[type] && kept[type] !== true) ? null : kept;
}
