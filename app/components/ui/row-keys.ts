// React keys of rows that a merchant adds and removes: the rows have no id of their own.
import { useRef } from "react";

export type Keyed = { key: number };

/** The key of a row that comes after these. */
export const nextKey = (rows: readonly Keyed[]): number =>
  Math.max(-1, ...rows.map(({ key }) => key)) + 1;

/** Removing a row removes its focus: the focus moves to the button that adds one. */
export function useFocusAfterRemoval() {
  const adding = useRef<HTMLDivElement>(null);
  return { adding, focusAdding: () => adding.current?.querySelector("button")?.focus() };
}
