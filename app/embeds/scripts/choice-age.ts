// How old a choice is, by the browser's own clock.
import type { Choice, Flags } from "./window-globals.ts";

/**
 * Whether a choice ended: so many months of the calendar after it was made. Where the last month is too
 * short, its missing days count into the next one. Without a time that can be read it has no age.
 */
export function isPast(at: string | undefined, months: number, now = Date.now()): boolean {
  const end = new Date(at as string);
  return end.setMonth(end.getMonth() + months) <= now;
}

/**
 * A choice with new answers. It is as old as its older answer: one that was not asked for again does not
 * become younger.
 */
export function withAnswers(
  old: Choice | null,
  flags: Flags,
  version: string | undefined,
  now: string,
): Choice {
  const next: Choice = { ...old, ...flags, version };
  if (next.cookie === flags.cookie && next.marketing === flags.marketing) next.at = now;
  return next;
}
