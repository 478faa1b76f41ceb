// How long a choice of the banner holds in a browser, in months of the calendar, before the banner asks again.
export const LIFETIME_LEAST = 1;
export const LIFETIME_MOST = 24;
export const LIFETIME_DEFAULT = 12;
