// How long ago or until, with the exact time beside: "2 minutes ago, 23 Nov 2026, 04:15:32 UTC".
import { useEffect, useState } from "react";
import { useLocale, type Locale } from "../../i18n/locale.ts";
import { formatDay } from "../../ui/date-time.tsx";

const UNITS: readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
  ["second", 1],
];

function formatRelative(locale: Locale, at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1_000);
  const [unit, size] = UNITS.find(([, most]) => Math.abs(seconds) >= most) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(locale).format(Math.trunc(seconds / size), unit);
}

const formatSeconds = (locale: Locale, at: string): string =>
  `${formatDay(locale, at)}, ${new Date(at).toISOString().slice(11, 19)} UTC`;

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

export function RelativeTime({ at, now }: { at: string; now: number }) {
  const locale = useLocale();
  return (
    // The browser's language data may be newer than the server's.
    <time dateTime={at} suppressHydrationWarning>
      {formatRelative(locale, at, now)}, {formatSeconds(locale, at)}
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
