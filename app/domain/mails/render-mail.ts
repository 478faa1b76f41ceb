// Mails as text and HTML. Names and brands are untrusted input: no line breaks in a subject, no
// markup in HTML.
import type { MailBrand } from "./mail-brand.ts";
import { layOutMail, type MailScheme } from "./mail-layout.ts";
import { CHANNEL_NAMES, MAIL_TEXTS, type MailLocale, type MailName } from "./mail-texts.ts";

export type MailValues = {
  locale: string;
  /** Null: the service itself writes, for no store. */
  brand: MailBrand | null;
  /** By default `auto`. */
  scheme?: MailScheme;
  name?: string | null;
  provider?: string | null;
  link?: string | null;
  channel?: string | null;
  /** The privacy request whose data the mail hands over, and its legal deadline. */
  request?: { id: number; dueBy: Date; timeZone: string } | null;
  /** How many privacy requests are due, and the first deadline. */
  due?: { requests: number; dueBy: Date; timeZone: string } | null;
  /** What loads on the storefront before consent, by the vendors' names. */
  vendors?: readonly string[] | null;
  attempts?: number | null;
  code?: string | null;
};

export type RenderedMail = { subject: string; text: string; html: string };

/** Who signs the mail; by default the store. */
const SENDERS: Partial<Record<MailName, "app" | "service">> = {
  data_export: "app",
  dead_letter: "app",
  privacy_due: "app",
  storefront_finding: "app",
  connection_test: "app",
  gate_code: "service",
};
/** Mails that do not greet their recipient by name. */
const WITHOUT_GREETING: ReadonlySet<MailName> = new Set(["connection_test", "gate_code"]);

/** For what customers and stores name themselves. */
const MAX_NAME_CHARACTERS = 120;

const oneLine = (text: string) =>
  text
    .replace(/[\r\n\t\v\f\u0085\u2028\u2029\u0000]+/g, " ")
    .trim()
    .slice(0, MAX_NAME_CHARACTERS);

/** The language that a mail is written in. */
export function mailLocaleOf(locale: string): MailLocale {
  const language = locale.slice(0, 2).toLowerCase();
  return language === "es" || language === "fr" ? language : "en";
}

const formatDay = (
  locale: MailLocale,
  { dueBy, timeZone }: { dueBy: Date; timeZone: string },
): string => new Intl.DateTimeFormat(locale, { dateStyle: "long", timeZone }).format(dueBy);

const formatList = (locale: MailLocale, names: readonly string[]): string =>
  new Intl.ListFormat(locale, { type: "conjunction" }).format(names);

/** A mail is read outside the admin, where "your store" is not the name of a system. */
function channelName(locale: MailLocale, channel: string): string {
  if (channel === "storefront") return "Shopify";
  const names = CHANNEL_NAMES[locale];
  return Object.hasOwn(names, channel) ? names[channel]! : channel;
}

export function renderMail(template: MailName, values: MailValues): RenderedMail {
  const locale = mailLocaleOf(values.locale);
  const { greeting, greetingWithoutName, templates, service, footer } = MAIL_TEXTS[locale];
  const texts = templates[template];
  const brand: MailBrand = values.brand
    ? { ...values.brand, name: oneLine(values.brand.name) }
    : { name: service, logoUrl: null, color: null, supportEmail: null, privacyUrl: null };
  const fill = fillerOf(blanksOf(locale, brand, values));
  const name = oneLine(values.name ?? "");
  const hello = name ? greeting.replace("{name}", () => name) : greetingWithoutName;
  const paragraphs = [...(WITHOUT_GREETING.has(template) ? [] : [hello]), fill(texts.body)];
  const note = texts.note ? fill(texts.note) : null;
  const action =
    values.link && texts.action ? { label: fill(texts.action), link: values.link } : null;
  const subject = fill(texts.subject);
  const labelled = (label: string, value: string) =>
    MAIL_TEXTS[locale].labelled.replace("{label}", () => label).replace("{value}", () => value);
  const end = {
    sentBy: fill(footer[SENDERS[template] ?? "store"]),
    why: fill(texts.why),
    contact: footer.contact,
    privacy: footer.privacy,
  };
  return {
    subject,
    text: [
      ...paragraphs,
      ...(action ? [labelled(action.label, action.link)] : []),
      ...(note ? [note] : []),
      // The signature of a mail begins with two hyphens and a space (RFC 3676, section 4.3).
      ["-- ", `${end.sentBy} ${end.why}`, ...contactLines(brand, end, labelled)].join("\n"),
    ].join("\n\n"),
    html: layOutMail({
      locale,
      scheme: values.scheme ?? "auto",
      subject,
      brand,
      paragraphs,
      emphasis: values.code ?? null,
      action,
      note,
      footer: end,
    }),
  };
}

/** What stands in the blanks of a mail's texts. */
function blanksOf(
  locale: MailLocale,
  brand: MailBrand,
  values: MailValues,
): Record<string, string> {
  const { providers } = MAIL_TEXTS[locale];
  const { provider, channel, request, due, vendors, attempts, code } = values;
  const deadline = request ?? due;
  return {
    brand: brand.name,
    provider: provider === "storefront" || provider === "federated" ? providers[provider] : "",
    channel: oneLine(channelName(locale, channel ?? "")),
    request: String(request?.id ?? "-"),
    requests: String(due?.requests ?? "-"),
    due: deadline ? formatDay(locale, deadline) : "-",
    vendors: formatList(locale, vendors ?? []),
    attempts: String(attempts ?? "-"),
    code: code ?? "",
  };
}

/** In a single pass with a replacer: a brand such as "$& Co" or "{provider}" is text and not a pattern. */
const fillerOf = (blanks: Record<string, string>) => (text: string) =>
  text.replace(/\{([a-z]+)\}/g, (written, name: string) =>
    Object.hasOwn(blanks, name) ? (blanks[name] as string) : written,
  );

const contactLines = (
  { supportEmail, privacyUrl }: MailBrand,
  { contact, privacy }: { contact: string; privacy: string },
  labelled: (label: string, value: string) => string,
): string[] => [
  ...(supportEmail ? [contact.replace("{address}", () => supportEmail)] : []),
  ...(privacyUrl ? [labelled(privacy, privacyUrl)] : []),
];
