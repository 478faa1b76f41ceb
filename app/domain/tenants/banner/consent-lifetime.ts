// How long a choice of the banner holds in a browser, in months of the calendar, before the banner asks again.
export const MIN_LIFETIME_MONTHS = 1;
export const MAX_LIFETIME_MONTHS = 24;
export const DEFAULT_LIFETIME_MONTHS = 12;
