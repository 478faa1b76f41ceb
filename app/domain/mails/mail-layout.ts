// The HTML of every mail: one column of at most 600 px, in tables with inline styles, because mail
// programs know neither flex boxes nor, in part, style elements. Every value is escaped here.
import { textColorOn, type MailBrand } from "./mail-brand.ts";
import type { MailLocale } from "./mail-texts.ts";

/** `light` and `dark`, for previews, override what the reader's device prefers. */
export type MailScheme = "auto" | "light" | "dark";

export type MailContent = {
  locale: MailLocale;
  scheme: MailScheme;
  subject: string;
  brand: MailBrand;
  paragraphs: readonly string[];
  /** A part of the paragraphs to be shown large: a code. */
  emphasis: string | null;
  action: { label: string; link: string } | null;
  note: string | null;
  footer: {
    sentBy: string;
    why: string;
    /** The sentence with the store's address in place of `{address}`. */
    contact: string;
    privacy: string;
  };
};

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const DARK_WHEN: Record<MailScheme, string> = {
  auto: "(prefers-color-scheme:dark)",
  light: "not all",
  dark: "all",
};
/** For a store without a brand colour. */
const DEFAULT_COLOR = "#1a1c1d";

/**
 * A brand colour stays as it is in dark mode, with a line around the button, because it may be as dark
 * as the ground; the default colour turns. A logo gets a light ground: many are dark on nothing.
 */
function darkRules(isBranded: boolean): string {
  const button = isBranded
    ? ".button{border-color:#8f959c!important}"
    : ".button{background-color:#f3f4f5!important;border-color:#f3f4f5!important}.button a{color:#1a1c1d!important}.line{background-color:#f3f4f5!important}";
  return `.ground{background-color:#111213!important}.card{background-color:#1f2123!important}.text,.text a{color:#f3f4f5!important}.quiet,.quiet a{color:#c3c7cc!important}.logo{background-color:#ffffff!important;padding:8px!important;border-radius:6px!important}${button}`;
}

const TABLE = `role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"`;
/** Outlook knows no max-width. */
const OUTLOOK_OPEN = `<!--[if mso]><table role="presentation" width="600" align="center" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->`;
const OUTLOOK_CLOSE = `<!--[if mso]></td></tr></table><![endif]-->`;

/**
 * Language and direction stand at the outer table, too: a mail program that shows the mail inside its own page
 * drops the root element, and its page may be written from right to left.
 */
export function layOutMail(mail: MailContent): string {
  const { locale, scheme, brand, footer } = mail;
  const color = brand.color ?? DEFAULT_COLOR;
  const colorScheme = scheme === "auto" ? "light dark" : scheme;
  const paragraphs = mail.paragraphs.map((text) => paragraph(emphasised(text, mail.emphasis)));
  const note = mail.note
    ? `<p class="quiet" style="margin:24px 0 0;font-size:14px;line-height:20px;color:#505459">${escapeHtml(mail.note)}</p>`
    : "";
  return `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="${colorScheme}">
<meta name="supported-color-schemes" content="${colorScheme}">
<title>${escapeHtml(mail.subject)}</title>
<style>:root{color-scheme:${colorScheme};supported-color-schemes:${colorScheme}}@media ${DARK_WHEN[scheme]}{${darkRules(brand.color !== null)}}</style>
</head>
<body class="ground" style="margin:0;padding:0;background-color:#f3f4f5">
<table ${TABLE} lang="${locale}" dir="ltr" class="ground" style="background-color:#f3f4f5"><tr><td align="center" style="padding:24px 12px">
${OUTLOOK_OPEN}
<table ${TABLE} class="card" style="max-width:600px;background-color:#ffffff;border-radius:8px;${FONT}">
<tr><td class="line" style="height:4px;line-height:4px;font-size:0;background-color:${color};border-radius:8px 8px 0 0">&#160;</td></tr>
<tr><td style="padding:28px 32px 0">${header(brand)}</td></tr>
<tr><td style="padding:20px 32px 32px">
${paragraphs.join("\n")}
${mail.action ? button(mail.action, color) : ""}
${note}
</td></tr>
</table>
<table ${TABLE} style="max-width:600px;${FONT}">
<tr><td class="quiet" style="padding:20px 32px;font-size:13px;line-height:20px;color:#505459">
${escapeHtml(footer.sentBy)} ${escapeHtml(footer.why)}${contact(brand, footer)}
</td></tr>
</table>
${OUTLOOK_CLOSE}
</td></tr></table>
</body>
</html>`;
}

/** The logo's alternative text stands in its place where images are not loaded. */
function header({ name, logoUrl }: MailBrand): string {
  const style = "font-size:20px;line-height:28px;font-weight:600;color:#1a1c1d";
  return logoUrl
    ? `<img class="logo" src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" height="40" style="display:block;height:40px;max-width:100%;border:0;${style}">`
    : `<p class="text" style="margin:0;overflow-wrap:anywhere;${style}">${escapeHtml(name)}</p>`;
}

const paragraph = (html: string): string =>
  `<p class="text" style="margin:0 0 16px;font-size:16px;line-height:24px;color:#1a1c1d;overflow-wrap:anywhere">${html}</p>`;

function emphasised(text: string, emphasis: string | null): string {
  const html = escapeHtml(text);
  if (!emphasis) return html;
  const part = escapeHtml(emphasis);
  return html.replace(
    part,
    () =>
      `<strong style="font-size:28px;line-height:40px;letter-spacing:3px;white-space:nowrap">${part}</strong>`,
  );
}

const button = ({ label, link }: { label: string; link: string }, color: string): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:24px 0 0"><tr><td class="button" align="center" style="background-color:${color};border:1px solid ${color};border-radius:6px"><a href="${escapeHtml(link)}" style="display:inline-block;padding:12px 24px;font-size:16px;line-height:24px;font-weight:600;color:${textColorOn(color)};text-decoration:none;overflow-wrap:anywhere">${escapeHtml(label)}</a></td></tr></table>`;

function contact({ supportEmail, privacyUrl }: MailBrand, footer: MailContent["footer"]): string {
  const link = (href: string, text: string) =>
    `<a href="${escapeHtml(href)}" style="color:#505459">${escapeHtml(text)}</a>`;
  const lines = [
    ...(supportEmail
      ? [
          escapeHtml(footer.contact).replace("{address}", () =>
            link(`mailto:${encodeURIComponent(supportEmail).replace("%40", "@")}`, supportEmail),
          ),
        ]
      : []),
    ...(privacyUrl ? [link(privacyUrl, footer.privacy)] : []),
  ];
  return lines.map((line) => `<br>${line}`).join("");
}
