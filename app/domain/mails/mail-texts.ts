// The texts of our mails by language. `{brand}` and its like are filled in by render-mail.ts.
import en from "../../locales/en/mails.json" with { type: "json" };
import es from "../../locales/es/mails.json" with { type: "json" };
import fr from "../../locales/fr/mails.json" with { type: "json" };
import glossaryEn from "../../locales/en/glossary.json" with { type: "json" };
import glossaryEs from "../../locales/es/glossary.json" with { type: "json" };
import glossaryFr from "../../locales/fr/glossary.json" with { type: "json" };
import type { Language } from "../../locales/languages.ts";

/** The mails about a store's customers, which the queue sends. */
export const MAIL_TEMPLATES = [
  "welcome",
  "verify_email",
  "verify_changed_email",
  "reset_password",
  "account_exists",
  "sign_in_linked",
  "account_deleted",
  "confirm_consent",
  "request_consent",
  "data_export",
  "dead_letter",
  "privacy_due",
  "storefront_finding",
] as const;
export type MailTemplate = (typeof MAIL_TEMPLATES)[number];

/** Also the mails that are sent at once: the test of a connection, and a code for the admin pages. */
export type MailName = MailTemplate | "connection_test" | "gate_code";

export type MailLocale = Language;
/** `why`: why the recipient receives it. */
type MailText = { subject: string; body: string; action?: string; note?: string; why: string };
type MailTexts = Omit<typeof en, "templates"> & { templates: Record<MailName, MailText> };

/** The names of channels, as the screens call them. */
export const CHANNEL_NAMES: Record<MailLocale, Readonly<Record<string, string>>> = {
  en: glossaryEn.channels,
  es: glossaryEs.channels,
  fr: glossaryFr.channels,
};

export const MAIL_TEXTS: Record<MailLocale, MailTexts> = { en, es, fr };
