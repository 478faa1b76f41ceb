/** The languages of the screens, the mails and the shopper's own pages; the banner has more (storefront-texts.ts). */
export const LANGUAGES = ["en", "es", "fr"] as const;
export type Language = (typeof LANGUAGES)[number];
