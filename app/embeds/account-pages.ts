// The pages behind mailed links, and the page of a sign-in that cannot say where it belongs: plain HTML, no script. Pure
// functions of public values.
import { localeOf, wordsOf } from "./account-page-words.ts";

export type PageLook = { locale: string; brand: string };

export const escapeHtml = (text: string) =>
  text.replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const STYLE = `body{font:1rem/1.5 system-ui,sans-serif;margin:0;background:#f6f6f7;color:#1a1c1d}main{max-width:26rem;margin:10vh auto;padding:2rem;background:#fff;border-radius:.75rem;box-shadow:0 1px 3px #0002}
h1{font-size:1.25rem;margin:0 0 1rem}label{display:block;font-weight:600}input{font:inherit;width:100%;box-sizing:border-box;padding:.6rem;border:1px solid #6b7075;border-radius:.4rem;margin:.25rem 0}
button{font:inherit;font-weight:600;margin-top:1rem;padding:.6rem 1rem;border:0;border-radius:.4rem;background:#1a1c1d;color:#fff;min-height:44px}.brand{color:#56595d;margin:0 0 .5rem}.error{border-left:4px solid #b3261e;padding-left:.75rem}:focus-visible{outline:3px solid #0b57d0;outline-offset:2px}`;

export function page({ locale, brand }: PageLook, title: string, body: string): string {
  return `<!doctype html><html lang="${localeOf(locale)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex"><title>${escapeHtml(title)} - ${escapeHtml(brand)}</title><style>${STYLE}</style></head>
<body><main><p class="brand">${escapeHtml(brand)}</p><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`;
}

export function renderResetForm(
  look: PageLook,
  values: { shop: string; token: string; problem?: "password" | "busy" },
): string {
  const said = wordsOf(look.locale);
  const problem = values.problem
    ? `<p class="error" role="alert" id="problem">${escapeHtml(values.problem === "busy" ? said.busy : said.wrongPassword)}</p>`
    : "";
  return page(
    look,
    said.resetTitle,
    `${problem}<form method="post" action="/auth/password/reset?shop=${encodeURIComponent(values.shop)}">
<input type="hidden" name="token" value="${escapeHtml(values.token)}">
<label for="password">${escapeHtml(said.newPassword)}</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="128" required aria-describedby="${problem ? "problem " : ""}rule"${problem ? ' aria-invalid="true"' : ""}>
<small id="rule">${escapeHtml(said.rule)}</small><div><button type="submit">${escapeHtml(said.save)}</button></div></form>`,
  );
}

export type VerifyForm = {
  shop: string;
  token: string;
  /** The address of an account whose password is asked for; null where the link alone is enough. */
  passwordFor: string | null;
  problem?: "password" | "busy" | undefined;
};

export function renderVerifyForm(look: PageLook, values: VerifyForm): string {
  const words = wordsOf(look.locale);
  const problem = values.problem
    ? `<p class="error" role="alert" id="problem">${escapeHtml(values.problem === "busy" ? words.busy : words.wrongPassword)}</p>`
    : "";
  const password =
    values.passwordFor === null
      ? `<p>${escapeHtml(words.verifyText)}</p>`
      : `<p>${escapeHtml(words.verifyAccount.replace("{email}", () => values.passwordFor ?? ""))}</p>
<label for="password">${escapeHtml(words.verifyPassword)}</label><input id="password" name="password" type="password" autocomplete="current-password" minlength="8" maxlength="128" required aria-describedby="${problem ? "problem " : ""}hint"${problem ? ' aria-invalid="true"' : ""}>
<small id="hint">${escapeHtml(words.verifyPasswordHint)}</small>`;
  // A button, not the mere opening of the page: mail scanners open every link.
  return page(
    look,
    words.verifyTitle,
    `${problem}<form method="post" action="/auth/verify-email?shop=${encodeURIComponent(values.shop)}"><input type="hidden" name="token" value="${escapeHtml(values.token)}">${password}<div><button type="submit">${escapeHtml(words.verify)}</button></div></form>`,
  );
}

/** What a link confirms, by the consents' names. */
export type ShownChoice = {
  consents: Partial<Record<"tos" | "privacy" | "cookie" | "marketing", boolean>>;
  formType: string | null;
};

export function renderConsentForm(
  look: PageLook,
  values: { shop: string; token: string; choice: ShownChoice | null },
): string {
  const words = wordsOf(look.locale);
  const { consents = {}, formType = null } = values.choice ?? {};
  const lines = [
    ...(Object.entries(consents) as [keyof ShownChoice["consents"], boolean][]).map(
      ([type, isGranted]) => `${words[type]}: ${isGranted ? words.granted : words.declined}`,
    ),
    ...(formType === null ? [] : [words.subscription.replace("{form}", () => formType)]),
  ];
  const list = lines.map((line) => `<li>${escapeHtml(line)}</li>`).join("");
  return page(
    look,
    words.confirmTitle,
    `<p>${escapeHtml(words.confirmText)}</p>${list && `<p>${escapeHtml(words.confirmChanges)}</p><ul>${list}</ul>`}<form method="post" action="/auth/consent-confirm?shop=${encodeURIComponent(values.shop)}"><input type="hidden" name="token" value="${escapeHtml(values.token)}"><button type="submit">${escapeHtml(words.confirm)}</button></form>`,
  );
}

export function renderExportForm(look: PageLook, values: { shop: string; token: string }): string {
  const said = wordsOf(look.locale);
  return page(
    look,
    said.exportTitle,
    `<p>${escapeHtml(said.exportText)}</p><form method="post" action="/gdpr/export?shop=${encodeURIComponent(values.shop)}"><input type="hidden" name="token" value="${escapeHtml(values.token)}"><button type="submit">${escapeHtml(said.download)}</button></form>`,
  );
}

export type Notice = "saved" | "verified" | "confirmed" | "badLink" | "exportGone";

export function renderNotice(look: PageLook, notice: Notice): string {
  const said = wordsOf(look.locale);
  const text = {
    saved: said.savedText,
    verified: said.verifiedText,
    confirmed: said.confirmedText,
    badLink: said.badLinkText,
    exportGone: said.exportGoneText,
  }[notice];
  return page(look, said[notice], `<p role="status">${escapeHtml(text)}</p>`);
}

export function renderSignInError(look: PageLook & { error: string }): string {
  const said = wordsOf(look.locale);
  return page(
    look,
    said.signInFailed,
    `<p class="error" role="alert">${escapeHtml(said.signInText)}</p><p><small>${escapeHtml(look.error)}</small></p>`,
  );
}
