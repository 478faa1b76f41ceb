// The 90 days of the demo store: how busy each one was, and the day of the outage.
import type { Dice } from "./random.ts";

export const HISTORY_DAYS = 90;
/** Counted back from today; inside the shortest period that any chart shows. */
export const OUTAGE_DAYS_AGO = 5;
/** Every outside system was down between these hours (UTC). */
const OUTAGE_FROM_HOUR = 8;
const OUTAGE_UNTIL_HOUR = 17;

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Sunday first: people shop at the weekend. */
const WEEKDAYS = [1.25, 0.9, 0.85, 0.9, 1, 1.1, 1.35];
/** Days with a newsletter or a sale, by how long ago. */
const BUSY: Readonly<Record<number, number>> = { 71: 1.9, 44: 2.3, 43: 1.6, 16: 2.1 };
const OUTAGE_TRADE = 0.15;
/** By hour of the day (UTC), from midnight. */
const HOURS = [
  2, 1, 1, 1, 1, 2, 4, 7, 9, 10, 10, 11, 12, 11, 10, 10, 11, 13, 15, 16, 15, 12, 7, 4,
].map((weight, hour) => [hour, weight] as const);

export type Calendar = {
  /** The newest moment of the history. */
  end: Date;
  /** A moment of the history, more often on a busy day, at most `maxDaysAgo` days ago. */
  anyTime(dice: Dice, maxDaysAgo?: number): Date;
  /** A moment of that day. */
  timeOn(dice: Dice, daysAgo: number): Date;
  /** A moment between both, both included. */
  between(dice: Dice, from: Date, until: Date): Date;
  /** How busy a day was: 1 is usual. */
  trade(daysAgo: number): number;
  outage: { from: Date; until: Date };
  isOutage(at: Date): boolean;
};

export function createCalendar(end: Date): Calendar {
  const today = Math.floor(end.getTime() / DAY_MS) * DAY_MS;
  const dayStart = (daysAgo: number) => today - daysAgo * DAY_MS;
  const outage = {
    from: new Date(dayStart(OUTAGE_DAYS_AGO) + OUTAGE_FROM_HOUR * HOUR_MS),
    until: new Date(dayStart(OUTAGE_DAYS_AGO) + OUTAGE_UNTIL_HOUR * HOUR_MS),
  };
  const trade = (daysAgo: number): number => {
    if (daysAgo === OUTAGE_DAYS_AGO) return OUTAGE_TRADE;
    const growth = 0.55 + 0.45 * (1 - daysAgo / HISTORY_DAYS);
    const weekday = WEEKDAYS[new Date(dayStart(daysAgo)).getUTCDay()] as number;
    // Today is not over.
    const share = daysAgo === 0 ? (end.getTime() - today) / DAY_MS : 1;
    return growth * weekday * (BUSY[daysAgo] ?? 1) * share;
  };
  const isOutage = (at: Date) => at >= outage.from && at < outage.until;

  const timeOn = (dice: Dice, daysAgo: number): Date => {
    const length = daysAgo === 0 ? end.getTime() - today : DAY_MS;
    const inDay = dice.weighted(HOURS) * HOUR_MS + dice.int(0, HOUR_MS - 1);
    const at = new Date(dayStart(daysAgo) + Math.floor((inDay / DAY_MS) * length));
    // The store's own pages were hardly reachable either.
    return isOutage(at) && dice.chance(0.8)
      ? new Date(outage.until.getTime() + dice.int(0, 6 * HOUR_MS))
      : at;
  };

  return {
    end,
    outage,
    isOutage,
    trade,
    timeOn,
    anyTime(dice, maxDaysAgo = HISTORY_DAYS - 1) {
      const days = Array.from({ length: maxDaysAgo + 1 }, (_, day) => [day, trade(day)] as const);
      return timeOn(dice, dice.weighted(days));
    },
    between: (dice, from, until) =>
      new Date(from.getTime() + Math.floor(dice.next() * (until.getTime() - from.getTime()))),
  };
}
