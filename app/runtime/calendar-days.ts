// Days of a time zone as instants, for statements that group or filter by day: the database may not
// know every zone that the platform names.
const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatIn(zone: string): Intl.DateTimeFormat {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  formats.set(zone, format);
  return format;
}

/** The zone's wall clock at that time, as if it were UTC. */
function wallClock(zone: string, at: number): number {
  const parts = formatIn(zone).formatToParts(at);
  const partOf = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(
    partOf("year"),
    partOf("month") - 1,
    partOf("day"),
    partOf("hour"),
    partOf("minute"),
    partOf("second"),
  );
}

const TIME = "T00:00:00.000Z";

/** After the year 9999 with a sign and six digits, as `Date` reads it. */
const toDay = (at: number): string => new Date(at).toISOString().slice(0, -TIME.length);

/** The day of an instant in the zone, as `2026-11-23`. */
export const dayOf = (zone: string, at: Date): string => toDay(wallClock(zone, at.getTime()));

/** The first instant of a day, which is not midnight where the clocks change at midnight. */
export function startOfDay(zone: string, day: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const starts = [midnight - DAY_MS, midnight + DAY_MS]
    .map((near) => midnight - (wallClock(zone, near) - near))
    .toSorted((a, b) => a - b);
  const found = starts.find((start) => toDay(wallClock(zone, start)) === day);
  return new Date(found ?? (starts.at(-1) as number));
}

/** How many midnights of the zone lie between; negative for a time before. */
export const daysUntil = (zone: string, from: Date, to: Date): number =>
  (Date.parse(dayOf(zone, to)) - Date.parse(dayOf(zone, from))) / DAY_MS;

/** The day after. */
export const nextDay = (day: string): string => toDay(Date.parse(`${day}T00:00:00Z`) + DAY_MS);

export type CalendarDay = { day: string; start: Date };

/** The last days including today, oldest first. */
export function lastDays(zone: string, count: number, now: Date): CalendarDay[] {
  const today = Date.parse(`${dayOf(zone, now)}T00:00:00Z`);
  return Array.from({ length: count }, (_, at) => {
    const day = toDay(today - (count - 1 - at) * DAY_MS);
    return { day, start: startOfDay(zone, day) };
  });
}
