// The times of one event: "2 minutes ago, 23 Nov 2026, 04:15:32" in the store's time zone, and waits.
import { useEffect, useState } from "react";
import { useLocale, type Locale } from "../../i18n/locale.ts";
import { useDateFormat } from "../../ui/date-time.tsx";
import { formatRelative } from "../../ui/relative-time.tsx";

const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

/** The server's time until the page is in use, then the browser's, every second. */
export function useNow(servedAt: string): number {
  const [now, setNow] = useState(Date.parse(servedAt));
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}

export function EventTime({ at, now }: { at: string; now: number }) {
  const locale = useLocale();
  const { formatSecond, formatFull } = useDateFormat();
  const past = formatRelative(locale, at, now);
  return (
    // The browser's language data may be newer than the server's.
    <time dateTime={at} title={formatFull(at)} suppressHydrationWarning>
      {past === null ? formatSecond(at) : `${past}, ${formatSecond(at)}`}
    </time>
  );
}

/** The two largest units of a wait: "1 min 30 sec". */
export function formatWait(locale: Locale, ms: number): string {
  const seconds = Math.round(ms / 1_000);
  const parts = UNITS.map(([unit, size], at) => {
    const larger = UNITS[at - 1]?.[1];
    return { unit, count: Math.floor((larger ? seconds % larger : seconds) / size) };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  const shown = first < 0 ? [{ unit: "second", count: 0 }] : parts.slice(first, first + 2);
  return shown
    .filter(({ count }, at) => at === 0 || count > 0)
    .map(({ unit, count }) =>
      new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short" }).format(count),
    )
    .join(" ");
}
