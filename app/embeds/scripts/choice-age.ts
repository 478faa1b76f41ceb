// How old a choice is, by the browser's own clock.
import type { Choice, Flags } from "./window-globals.ts";

/**
 * Whether a choice ended: so many months of the calendar after it was made. Where the last month is too
 * short, its missing days count into the next one. Without a time that can be read it has no age.
 */
export function isPast(at: string | undefined, months: number, now: number): boolean {
  const end = new Date(at as string);
  return end.setMonth(end.getMonth() + months) <= now;
}

/**
 * A choice with new answers. It is as old as its older answer: one that was not asked for again does not
 * become younger. `last` is the stored choice, also when it ended: it stays beside the new one
 * because its refusal of what that leaves open still counts where nobody is asked.
 */
export function withAnswers(
  old: Choice | null,
  flags: Flags,
  version: string | undefined,
  now: string,
  last?: Choice | null,
): Choice {
  const next: Choice = { ...(old ?? (last && { ended: last })), ...flags, version };
  if (next.cookie === flags.cookie && next.marketing === flags.marketing) next.at = now;
  return next;
}
