// `GET /privacy`: the public privacy policy, plain HTML without script. A pure function of public
// values.
import type { PolicySet, PrivacyPolicy } from "../domain/compliance/privacy-policy.ts";
import { ownDocument, plainLook, renderBrand, type PageLook } from "./account-pages.ts";
import { escapeHtml } from "./escaping.ts";
import { mailAddress } from "./public-config.ts";
import { localeOf, privacyTexts, type Locale, type PrivacyTexts } from "./texts.ts";

const LANGUAGES: Record<Locale, string> = { en: "English", es: "Español", fr: "Français" };

/** `look`: the store's; null where no store is named. */
export function renderPrivacyPage(
  policy: PrivacyPolicy,
  language: string,
  look: PageLook | null,
): string {
  const texts = privacyTexts(language);
  const locale = localeOf(language);
  const name = policy.store?.name ?? "";
  const periods = policy.store ? fill(texts.storePeriods, { store: name }) : texts.periods;
  const body = [
    `<header>${look ? renderBrand(look) : ""}<h1>${escapeHtml(texts.title)}</h1><p>${escapeHtml(texts.subtitle)}</p>${languageLinks(policy, texts, locale)}</header>`,
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
  return ownDocument(
    { ...(look ?? plainLook(locale, name)), locale },
    name ? `${texts.title} - ${name}` : texts.title,
    `<main class="reading">${body.join("\n")}</main>`,
  );
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
  return `<section class="card"><h3>${escapeHtml(title)}</h3>${paragraph(holds)}<dl class="facts"><dt>${escapeHtml(texts.of)}</dt><dd>${escapeHtml(who)}</dd><dt>${escapeHtml(texts.why)}</dt><dd>${escapeHtml(why)}</dd><dt>${escapeHtml(texts.kept)}</dt><dd>${list(kept)}</dd></dl></section>`;
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
const paragraph = (text: string) => text && `<p>${escapeHtml(text)}</p>`;
const list = (texts: readonly string[]) =>
  `<ul>${texts.map((text) => `<li>${escapeHtml(text)}</li>`).join("")}</ul>`;
const fill = (text: string, values: Record<string, string>) =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
