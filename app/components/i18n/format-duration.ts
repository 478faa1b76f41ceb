// Durations as the reader's language writes them, in the unit that fits.
import { formatCount } from "./format-number.ts";
import type { Locale } from "./locale.ts";

const DECIMAL: Record<Locale, string> = { en: ".", es: ",", fr: "," };
const DAY: Record<Locale, string> = { en: "d", es: "d", fr: "j" };
const [MINUTE, HOUR, DAYS] = [60, 3_600, 86_400] as const;

/** "85 ms", "1.2 s", "12 s", "3 min". */
export function formatMs(locale: Locale, ms: number): string {
  if (ms < 1_000) return `${formatCount(locale, ms)}\u00a0ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1).replace(".", DECIMAL[locale])}\u00a0s`;
  return formatSeconds(locale, ms / 1_000);
}

/** "45 s", "12 min", "3 h", "2 d". */
export function formatSeconds(locale: Locale, seconds: number): string {
  const whole = (unit: number) => formatCount(locale, Math.floor(seconds / unit));
  if (seconds < MINUTE) return `${whole(1)}\u00a0s`;
  if (seconds < HOUR) return `${whole(MINUTE)}\u00a0min`;
  if (seconds < DAYS) return `${whole(HOUR)}\u00a0h`;
  return `${whole(DAYS)}\u00a0${DAY[locale]}`;
}
