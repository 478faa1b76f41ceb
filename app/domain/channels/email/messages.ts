// Mails as text and HTML. Names and brands are untrusted input: no line breaks in a subject, no
// markup in HTML.
import type { MailTemplate } from "../../identity/mails.ts";
import { CHANNEL_NAMES, MAIL_TEXTS, type MailLocale } from "./mail-texts.ts";

export type MailValues = {
  locale: string;
  brand: string;
  name: string | null;
  provider: string | null;
  link: string | null;
  channel?: string | null;
  eventId?: string | null;
  attempts?: number | null;
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

const channelName = (locale: MailLocale, channel: string) =>
  Object.hasOwn(CHANNEL_NAMES[locale], channel) ? CHANNEL_NAMES[locale][channel]! : channel;

export function renderMail(
  template: MailTemplate,
  values: MailValues,
): { subject: string; text: string; html: string } {
  const locale = localeOf(values.locale);
  const { greeting, greetingWithoutName, templates, providers } = MAIL_TEXTS[locale];
  const provider =
    values.provider === "storefront" || values.provider === "federated"
      ? providers[values.provider]
      : "";
  const texts = templates[template];
  // A replacer function in a single pass: a brand such as "$& Co" or "{provider}" is text and not a
  // pattern.
  const blanks: Record<string, string> = {
    brand: oneLine(values.brand),
    provider,
    channel: oneLine(channelName(locale, values.channel ?? "")),
    event: values.eventId ?? "",
    attempts: String(values.attempts ?? "-"),
  };
  const fill = (text: string) =>
    text.replace(
      /\{(brand|provider|channel|event|attempts)\}/g,
      (_, blank: string) => blanks[blank] ?? "",
    );
  const name = oneLine(values.name ?? "");
  const hello = name ? greeting.replace("{name}", () => name) : greetingWithoutName;
  const [subject, body, note] = [fill(texts.subject), fill(texts.body), fill(texts.note)];
  const action =
    values.link && texts.action ? { label: fill(texts.action), link: values.link } : null;
  return {
    subject,
    text: [hello, body, ...(action ? [`${action.label}: ${action.link}`] : []), note].join("\n\n"),
    html: `<!doctype html><html lang="${locale}"><body style="font-family:sans-serif;line-height:1.5"><p>${escapeHtml(hello)}</p><p>${escapeHtml(body)}</p>${action ? `<p><a href="${escapeHtml(action.link)}">${escapeHtml(action.label)}</a></p>` : ""}<p>${escapeHtml(note)}</p></body></html>`,
  };
}
