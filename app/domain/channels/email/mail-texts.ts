// The texts of our mails by language. `{brand}` and its like are filled in by messages.ts.
import en from "../../../locales/en/mails.json" with { type: "json" };
import es from "../../../locales/es/mails.json" with { type: "json" };
import fr from "../../../locales/fr/mails.json" with { type: "json" };
import glossaryEn from "../../../locales/en/glossary.json" with { type: "json" };
import glossaryEs from "../../../locales/es/glossary.json" with { type: "json" };
import glossaryFr from "../../../locales/fr/glossary.json" with { type: "json" };
import type { MailTemplate } from "../../identity/mails.ts";

export type MailLocale = "en" | "es" | "fr";
type MailText = { subject: string; body: string; action?: string; note: string };
type MailTexts = Omit<typeof en, "templates"> & { templates: Record<MailTemplate, MailText> };

/** The names of channels, as the screens call them. */
export const CHANNEL_NAMES: Record<MailLocale, Readonly<Record<string, string>>> = {
  en: glossaryEn.channels,
  es: glossaryEs.channels,
  fr: glossaryFr.channels,
};

export const MAIL_TEXTS: Record<MailLocale, MailTexts> = { en, es, fr };
