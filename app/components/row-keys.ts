// Rows that a merchant adds and takes away, and that nothing tells apart but that they were there before.
import { useRef } from "react";

export type Keyed = { key: number };

/** The key of a row that comes after these. */
export const nextKey = (rows: readonly Keyed[]): number =>
  Math.max(-1, ...rows.map(({ key }) => key)) + 1;

/** Taking a row away takes the focus with it: a keyboard goes on at the button that adds one. */
export function useFocusAfterRemoval() {
  const adding = useRef<HTMLDivElement>(null);
  return { adding, focusAdding: () => adding.current?.querySelector("button")?.focus() };
}
