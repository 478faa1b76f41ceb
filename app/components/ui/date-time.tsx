// A time in UTC, the same on the server and in the browser: a local time, or one formatted by each
// side's own locale data, would differ and break hydration.
import { useLocale, type Locale } from "../i18n/locale.ts";

const MONTHS: Record<Locale, readonly string[]> = {
  en: ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"],
  es: ["ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"],
  fr: [
    "janv.",
    "févr.",
    "mars",
    "avr.",
    "mai",
    "juin",
    "juil.",
    "août",
    "sept.",
    "oct.",
    "nov.",
    "déc.",
  ],
};

export function formatDay(locale: Locale, at: string): string {
  const date = new Date(at);
  return `${date.getUTCDate()} ${MONTHS[locale][date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

export function formatMoment(locale: Locale, at: string): string {
  return `${formatDay(locale, at)}, ${new Date(at).toISOString().slice(11, 16)} UTC`;
}

export function DateTime({ at }: { at: string }) {
  return <time dateTime={at}>{formatMoment(useLocale(), at)}</time>;
}
