// "2 minutes ago", with the whole time as its title. It keeps itself up to date.
import { useEffect, useState } from "react";
import { useLocale, type Locale } from "../i18n/locale.ts";
import { useDateFormat } from "./date-time.tsx";

const REFRESH_MS = 15_000;
const MAX_DAYS = 30;
const UNITS = [
  ["second", 60],
  ["minute", 60],
  ["hour", 24],
  ["day", MAX_DAYS],
] as const;

/** Null for a time that is more than thirty days away. */
export function formatRelative(locale: Locale, at: string, now: number): string | null {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  let amount = Math.trunc((Date.parse(at) - now) / 1_000);
  for (const [unit, limit] of UNITS) {
    if (Math.abs(amount) < limit) return format.format(amount, unit);
    amount = Math.trunc(amount / limit);
  }
  return null;
}

/** The day for a time that is more than thirty days away. */
export function RelativeTime({ at }: { at: string }) {
  const locale = useLocale();
  const { formatDay, formatFull } = useDateFormat();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    // The server has rendered it a moment earlier.
    <time dateTime={at} title={formatFull(at)} suppressHydrationWarning>
      {formatRelative(locale, at, now) ?? formatDay(at)}
    </time>
  );
}
