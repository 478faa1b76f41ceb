import { formatCount } from "../i18n/format-number.ts";
import type { Locale } from "../i18n/locale.ts";

/** The people of a tag are counted up to this number (domain/tags/tag-usage.ts). */
const MAX_COUNTED = 10_000;

/** "10,000+" where a tag has more people than are counted. */
export const formatPeople = (locale: Locale, people: number): string =>
  people > MAX_COUNTED ? `${formatCount(locale, MAX_COUNTED)}+` : formatCount(locale, people);
