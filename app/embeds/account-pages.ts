// The pages behind mailed links, and the page of a sign-in without a return address: plain HTML, no
// script. Pure functions of public values.
import { STYLES } from "../generated/embeds/scripts.ts";
import { pageTokens, PLAIN_THEME, type BrandTheme } from "./page-theme.ts";
import { localeOf, accountTexts } from "./texts.ts";

/** What a page shows of its store. */
export type PageLook = {
  locale: string;
  brand: string;
  /** An http or https address. */
  logoUrl: string | null;
  theme: BrandTheme;
};

/** The look of a page that belongs to no store. */
export const plainLook = (locale: string, brand: string): PageLook => ({
  locale,
  brand,
  logoUrl: null,
  theme: PLAIN_THEME,
});

export const escapeHtml = (text: string) =>
  text.replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);

export const renderBrand = ({ logoUrl, brand }: Pick<PageLook, "logoUrl" | "brand">): string =>
  `<p class="brand">${logoUrl === null ? "" : `<img src="${escapeHtml(logoUrl)}" alt="" class="logo">`}<bdi>${escapeHtml(brand)}</bdi></p>`;

/** The document around a page of its own, in light and dark. */
export function ownDocument(look: PageLook, title: string, main: string, head = ""): string {
  return `<!doctype html><html lang="${localeOf(look.locale)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">${head}<title>${escapeHtml(title)}</title><style>${pageTokens(look.theme)}${STYLES.controls}${STYLES.page}</style></head>
<body class="crm crm-ui crm-own">${main}</body></html>`;
}

export function page(look: PageLook, title: string, body: string): string {
  return ownDocument(
    look,
    `${title} - ${look.brand}`,
    `<main>${renderBrand(look)}<div class="card"><h1>${escapeHtml(title)}</h1>${body}</div></main>`,
    '<meta name="robots" content="noindex">',
  );
}

/** The language too: the page after the form is in the same one. */
const hiddenFields = (look: PageLook, token: string): string =>
  `<input type="hidden" name="token" value="${escapeHtml(token)}"><input type="hidden" name="locale" value="${localeOf(look.locale)}">`;

export function renderResetForm(
  look: PageLook,
  values: { shop: string; token: string; problem?: "password" | "busy" },
): string {
  const texts = accountTexts(look.locale);
  const problem = values.problem
    ? `<p class="error" role="alert" id="problem">${escapeHtml(values.problem === "busy" ? texts.busy : texts.wrongPassword)}</p>`
    : "";
  return page(
    look,
    texts.resetTitle,
    `${problem}<form method="post" action="/auth/password/reset?shop=${encodeURIComponent(values.shop)}">
${hiddenFields(look, values.token)}
<label for="password">${escapeHtml(texts.newPassword)}</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="128" required aria-describedby="${problem ? "problem " : ""}rule"${problem ? ' aria-invalid="true"' : ""}>
<small id="rule">${escapeHtml(texts.rule)}</small><button type="submit" class="wide">${escapeHtml(texts.save)}</button></form>`,
  );
}

export type VerifyForm = {
  shop: string;
  token: string;
  /** The account whose password is required; null where the link alone is enough. */
  passwordFor: string | null;
  problem?: "password" | "busy" | undefined;
};

export function renderVerifyForm(look: PageLook, values: VerifyForm): string {
  const texts = accountTexts(look.locale);
  const problem = values.problem
    ? `<p class="error" role="alert" id="problem">${escapeHtml(values.problem === "busy" ? texts.busy : texts.wrongPassword)}</p>`
    : "";
  const password =
    values.passwordFor === null
      ? `<p>${escapeHtml(texts.verifyText)}</p>`
      : `<p>${escapeHtml(texts.verifyAccount.replace("{email}", () => values.passwordFor ?? ""))}</p>
<label for="password">${escapeHtml(texts.verifyPassword)}</label><input id="password" name="password" type="password" autocomplete="current-password" minlength="8" maxlength="128" required aria-describedby="${problem ? "problem " : ""}hint"${problem ? ' aria-invalid="true"' : ""}>
<small id="hint">${escapeHtml(texts.verifyPasswordHint)}</small>`;
  // A button, not the mere opening of the page: mail scanners open every link.
  return page(
    look,
    texts.verifyTitle,
    `${problem}<form method="post" action="/auth/verify-email?shop=${encodeURIComponent(values.shop)}">${hiddenFields(look, values.token)}${password}<button type="submit" class="wide">${escapeHtml(texts.verify)}</button></form>`,
  );
}

/** What a link confirms: what each consent becomes, by the consents' names. */
export type ShownChoice = {
  consents: Partial<
    Record<"tos" | "privacy" | "cookie" | "marketing", "granted" | "declined" | "withdrawn">
  >;
  formType: string | null;
  /** The store asked for it, and the reader has not decided. */
  isAsked?: boolean;
};

export function renderConsentForm(
  look: PageLook,
  values: { shop: string; token: string; choice: ShownChoice | null },
): string {
  const texts = accountTexts(look.locale);
  const { consents = {}, formType = null, isAsked = false } = values.choice ?? {};
  const lines = [
    ...Object.entries(consents).map(([type, outcome]) =>
      texts.labelled
        .replace("{label}", () => texts[type as keyof typeof consents])
        .replace("{value}", () => texts[outcome]),
    ),
    ...(formType === null
      ? []
      : [texts.subscription.replace("{form}", () => nameOfForm(formType, texts.forms))]),
  ];
  const list = lines.map((line) => `<li>${escapeHtml(line)}</li>`).join("");
  return page(
    look,
    texts.confirmTitle,
    `<p>${escapeHtml(isAsked ? texts.askedText : texts.confirmText)}</p>${list && `<p>${escapeHtml(texts.confirmChanges)}</p><ul>${list}</ul>`}<form method="post" action="/auth/consent-confirm?shop=${encodeURIComponent(values.shop)}">${hiddenFields(look, values.token)}<button type="submit" class="wide">${escapeHtml(texts.confirm)}</button></form>`,
  );
}

/** A form by its name in the reader's language, else by its type as a name: `spring_club` is Spring club. */
function nameOfForm(formType: string, names: Record<string, string>): string {
  if (Object.hasOwn(names, formType)) return names[formType] as string;
  const text = formType.replace(/[_-]+/g, " ").trim();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function renderExportForm(look: PageLook, values: { shop: string; token: string }): string {
  const texts = accountTexts(look.locale);
  return page(
    look,
    texts.exportTitle,
    `<p>${escapeHtml(texts.exportText)}</p><form method="post" action="/gdpr/export?shop=${encodeURIComponent(values.shop)}">${hiddenFields(look, values.token)}<button type="submit" class="wide">${escapeHtml(texts.download)}</button></form>`,
  );
}

/** Links to the account page. */
export function renderPasswordSaved(look: PageLook, shop: string): string {
  const texts = accountTexts(look.locale);
  const query = new URLSearchParams({ shop, locale: localeOf(look.locale) });
  return page(
    look,
    texts.saved,
    `<p role="status">${escapeHtml(texts.savedText)}</p><p><a class="button wide" href="/embed/account?${escapeHtml(query.toString())}">${escapeHtml(texts.signIn)}</a></p>`,
  );
}

export type Notice = "verified" | "confirmed" | "badLink" | "exportGone";

export function renderNotice(look: PageLook, notice: Notice): string {
  const texts = accountTexts(look.locale);
  const text = {
    verified: texts.verifiedText,
    confirmed: texts.confirmedText,
    badLink: texts.badLinkText,
    exportGone: texts.exportGoneText,
  }[notice];
  return page(look, texts[notice], `<p role="status">${escapeHtml(text)}</p>`);
}

/** `address`: where the page opens. */
export function renderRefusedLink(look: PageLook, address: string): string {
  const texts = accountTexts(look.locale);
  return page(
    look,
    texts.refusedLink,
    `<p role="status">${escapeHtml(texts.refusedLinkText)}</p><p><a class="button wide" href="${escapeHtml(address)}">${escapeHtml(texts.openPage)}</a></p>`,
  );
}

export function renderSignInError(look: PageLook, error: string): string {
  const texts = accountTexts(look.locale);
  return page(
    look,
    texts.signInFailed,
    `<p class="error" role="alert">${escapeHtml(texts.signInText)}</p><p><small>${escapeHtml(error)}</small></p>`,
  );
}
