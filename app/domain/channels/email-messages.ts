// Mails as text and HTML. Names and brands are typed by strangers: no line breaks in a subject, no markup in HTML.
import type { MailTemplate } from "../identity/mails.ts";
import { MAIL_WORDS, type MailLocale } from "./email-words.ts";

export type MailValues = {
  locale: string;
  brand: string;
  name: string | null;
  provider: string | null;
  link: string | null;
  channel?: string | null;
  eventId?: string | null;
};

const oneLine = (text: string) =>
  text
    .replace(/[\r\n\t\v\f\u0085\u2028\u2029\u0000]+/g, " ")
    .trim()
    .slice(0, 120);
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

function localeOf(locale: string): MailLocale {
  const language = locale.slice(0, 2).toLowerCase();
  return language === "es" || language === "fr" ? language : "en";
}

export function renderMail(
  template: MailTemplate,
  values: MailValues,
): { subject: string; text: string; html: string } {
  const locale = localeOf(values.locale);
  const { greeting, templates, providers } = MAIL_WORDS[locale];
  const provider =
    values.provider === "storefront" || values.provider === "federated"
      ? providers[values.provider]
      : "";
  const words = templates[template];
  // By a function, and once: a brand such as "$& Co" or "{provider}" is a name and no pattern.
  const blanks: Record<string, string> = {
    brand: oneLine(values.brand),
    provider,
    channel: oneLine(values.channel ?? ""),
    event: values.eventId ?? "",
  };
  const fill = (text: string) =>
    text.replace(/\{(brand|provider|channel|event)\}/g, (_, blank: string) => blanks[blank] ?? "");
  const hello = greeting(oneLine(values.name ?? ""));
  const [subject, body, note] = [fill(words.subject), fill(words.body), fill(words.note)];
  const action =
    values.link && words.action ? { label: fill(words.action), link: values.link } : null;
  return {
    subject,
    text: [hello, body, ...(action ? [`${action.label}: ${action.link}`] : []), note].join("\n\n"),
    html: `<!doctype html><html lang="${locale}"><body style="font-family:sans-serif;line-height:1.5"><p>${escapeHtml(hello)}</p><p>${escapeHtml(body)}</p>${action ? `<p><a href="${escapeHtml(action.link)}">${escapeHtml(action.label)}</a></p>` : ""}<p>${escapeHtml(note)}</p></body></html>`,
  };
}
