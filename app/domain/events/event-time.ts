// When an event happened, as its sender says it: a time of the years 0001 to 9999 in UTC. Other years have
// no text of four digits, or are none for the database.
import { z } from "zod";

const hasYear = (time: Date): boolean =>
  time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9_999;

export const EventTime = z.iso
  .datetime({ offset: true })
  .refine((text) => hasYear(new Date(text)), "must be in the years 0001 to 9999, in UTC");

/** Parses a header. Null when it is missing or invalid, because a bad header rejects no request. */
export function parseEventTime(text: string | null | undefined): Date | null {
  const time = new Date(text ?? Number.NaN);
  return hasYear(time) ? time : null;
}
