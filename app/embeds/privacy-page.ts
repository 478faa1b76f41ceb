// `GET /privacy`: the public privacy policy, plain HTML without script. A pure function of public
// values.
import type { PolicySet, PrivacyPolicy } from "../domain/compliance/privacy-policy.ts";
import { escapeHtml } from "./escaping.ts";
import { mailAddress } from "./public-config.ts";
import { localeOf, privacyTexts, type Locale, type PrivacyTexts } from "./texts.ts";

const STYLE = `body{font:1rem/1.6 system-ui,sans-serif;margin:0;background:#f6f6f7;color:#1a1c1d}main{max-width:44rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{font-size:1.75rem;line-height:1.25;margin:0}h2{font-size:1.3rem;margin:2.5rem 0 .5rem}h3{font-size:1.05rem;margin:0 0 .5rem}section section{background:#fff;border-radius:.75rem;padding:1.25rem;margin:1rem 0;box-shadow:0 1px 3px #0002;overflow-wrap:anywhere}
p{margin:.5rem 0}ul{margin:.25rem 0;padding-left:1.25rem}dl{margin:.75rem 0 0}dt{font-weight:600;margin-top:.5rem}dd{margin:0}.brand{color:#56595d}nav a{display:inline-block;margin-right:1rem;padding:.25rem 0}a{color:#0b57d0}:focus-visible{outline:3px solid #0b57d0;outline-offset:2px}`;

const LANGUAGES: Record<Locale, string> = { en: "English", es: "Español", fr: "Français" };

export function renderPrivacyPage(policy: PrivacyPolicy, language: string): string {
  const texts = privacyTexts(language);
  const locale = localeOf(language);
  const name = policy.store?.name ?? "";
  const periods = policy.store ? fill(texts.storePeriods, { store: name }) : texts.periods;
  const body = [
    `<header>${paragraph(name, "brand")}<h1>${escapeHtml(texts.title)}</h1><p>${escapeHtml(texts.subtitle)}</p>${languageLinks(policy, texts, locale)}</header>`,
    paragraph(texts.intro),
    section(
      texts.rolesTitle,
      Object.values(texts.roles)
        .map((text) => paragraph(text))
        .join(""),
    ),
    section(
      texts.setsTitle,
      paragraph(periods) + policy.sets.map((set) => renderSet(set, texts)).join(""),
    ),
    section(
      texts.recipientsTitle,
      paragraph(texts.recipientsIntro) +
        list([...new Set(policy.recipients.map((channel) => recipientText(texts, channel)))]) +
        paragraph(texts.recipientsHost),
    ),
    section(texts.rightsTitle, list(Object.values(texts.rights))),
    section(texts.deletionTitle, list(Object.values(texts.deletion))),
    section(texts.securityTitle, list(Object.values(texts.security))),
    section(texts.contactTitle, renderContact(policy, texts)),
  ];
  return `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(name ? `${texts.title} - ${name}` : texts.title)}</title><style>${STYLE}</style></head>
<body><main>${body.join("\n")}</main></body></html>`;
}

function renderSet({ name, people, periods, ends }: PolicySet, texts: PrivacyTexts): string {
  const { title, holds, why } = texts.sets[name];
  const kept = [
    ...periods.map(({ rows, days }) =>
      fill(texts.days, { rows: texts.rows[rows], days: String(days) }),
    ),
    ...ends.map((end) => texts.ends[end]),
  ];
  const who = people.map((one) => texts.people[one]).join(", ");
  return `<section><h3>${escapeHtml(title)}</h3>${paragraph(holds)}<dl><dt>${escapeHtml(texts.of)}</dt><dd>${escapeHtml(who)}</dd><dt>${escapeHtml(texts.why)}</dt><dd>${escapeHtml(why)}</dd><dt>${escapeHtml(texts.kept)}</dt><dd>${list(kept)}</dd></dl></section>`;
}

function renderContact({ store, contact }: PrivacyPolicy, texts: PrivacyTexts): string {
  const link = (address: string) =>
    `<a href="${escapeHtml(mailAddress(address))}">${escapeHtml(address)}</a>`;
  const ask = store?.contact
    ? `<p>${escapeHtml(fill(texts.contactStore, { store: store.name }))} ${link(store.contact)}</p>`
    : paragraph(
        store ? fill(texts.contactStoreNoAddress, { store: store.name }) : texts.contactAnyStore,
      );
  return (
    ask + (contact === null ? "" : `<p>${escapeHtml(texts.contactService)} ${link(contact)}</p>`)
  );
}

/** A channel without a text is shown by its name: nothing that receives data is left out. */
const recipientText = ({ recipients }: PrivacyTexts, channel: string): string =>
  Object.hasOwn(recipients, channel)
    ? recipients[channel as keyof PrivacyTexts["recipients"]]
    : channel;

function languageLinks({ store }: PrivacyPolicy, texts: PrivacyTexts, current: Locale): string {
  const links = (Object.entries(LANGUAGES) as [Locale, string][]).map(([locale, name]) => {
    const query = new URLSearchParams({ ...(store && { shop: store.shop }), locale });
    const mark = locale === current ? ' aria-current="page"' : "";
    return `<a href="/privacy?${escapeHtml(query.toString())}" lang="${locale}" hreflang="${locale}"${mark}>${name}</a>`;
  });
  return `<nav aria-label="${escapeHtml(texts.languages)}">${links.join("")}</nav>`;
}

const section = (title: string, body: string) =>
  `<section><h2>${escapeHtml(title)}</h2>${body}</section>`;
const paragraph = (text: string, name = "") =>
  text && `<p${name && ` class="${name}"`}>${escapeHtml(text)}</p>`;
const list = (texts: readonly string[]) =>
  `<ul>${texts.map((text) => `<li>${escapeHtml(text)}</li>`).join("")}</ul>`;
const fill = (text: string, values: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
