// Times in the store's time zone, or in UTC when it is not known, which the text then says. The
// parts are formatted here: with locale data the server's text and the browser's would differ and
// break hydration.
import { useLocale, type Locale } from "../i18n/locale.ts";
import { useTimeZone } from "../i18n/time-zone.tsx";

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

const formats = new Map<string, Intl.DateTimeFormat>();

/** UTC for a zone that this browser does not know. */
function formatIn(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const options = {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  } as const;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", { ...options, timeZone: zone });
  } catch {
    format = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", { ...options, timeZone: "UTC" });
  }
  formats.set(zone, format);
  return format;
}

function partsOf(at: string, zone: string | null) {
  const parts = formatIn(zone ?? "UTC").formatToParts(new Date(at));
  const partOf = (type: string) => parts.find((part) => part.type === type)?.value ?? "";
  return {
    year: partOf("year"),
    month: Number(partOf("month")),
    day: partOf("day"),
    time: `${partOf("hour")}:${partOf("minute")}`,
    second: partOf("second"),
  };
}

const toDay = (locale: Locale, day: string, month: number, year: string) =>
  `${day} ${MONTHS[locale][month - 1]} ${year}`;

/** `zone`: IANA name, null for UTC. */
export function formatDay(locale: Locale, at: string, zone: string | null = null): string {
  const { day, month, year } = partsOf(at, zone);
  return toDay(locale, day, month, year);
}

/** A day that has no time, as `2026-11-23`; other text is returned as it is. */
export function formatPlainDay(locale: Locale, day: string): string {
  const [, year = "", month = "", date = ""] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? [];
  return year === "" ? day : toDay(locale, String(Number(date)), Number(month), year);
}

export function formatMoment(locale: Locale, at: string, zone: string | null = null): string {
  const { day, month, year, time } = partsOf(at, zone);
  return `${toDay(locale, day, month, year)}, ${time}${zone === null ? " UTC" : ""}`;
}

/** To the second, for a log: "23 Nov 2026, 04:15:32". */
function formatSecond(locale: Locale, at: string, zone: string | null): string {
  const { day, month, year, time, second } = partsOf(at, zone);
  return `${toDay(locale, day, month, year)}, ${time}:${second}${zone === null ? " UTC" : ""}`;
}

/** The formats of this page: its language and its store's time zone. */
export function useDateFormat() {
  const locale = useLocale();
  const zone = useTimeZone();
  return {
    formatDay: (at: string) => formatDay(locale, at, zone),
    formatTime: (at: string) => partsOf(at, zone).time,
    formatMoment: (at: string) => formatMoment(locale, at, zone),
    formatSecond: (at: string) => formatSecond(locale, at, zone),
    /** The same with the name of the zone. */
    formatFull: (at: string) =>
      `${formatMoment(locale, at, zone)}${zone === null ? "" : ` (${zone})`}`,
  };
}

export function DateTime({ at }: { at: string }) {
  const { formatMoment: format, formatFull } = useDateFormat();
  return (
    // A browser's rules of a zone may be older than the server's.
    <time dateTime={at} title={formatFull(at)} suppressHydrationWarning>
      {format(at)}
    </time>
  );
}
