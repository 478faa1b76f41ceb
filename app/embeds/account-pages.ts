// The pages behind mailed links, and the page of a sign-in without a return address: plain HTML, no
// script. Pure functions of public values.
import { localeOf, accountTexts } from "./texts.ts";

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
  const texts = accountTexts(look.locale);
  const problem = values.problem
    ? `<p class="error" role="alert" id="problem">${escapeHtml(values.problem === "busy" ? texts.busy : texts.wrongPassword)}</p>`
    : "";
  return page(
    look,
    texts.resetTitle,
    `${problem}<form method="post" action="/auth/password/reset?shop=${encodeURIComponent(values.shop)}">
<input type="hidden" name="token" value="${escapeHtml(values.token)}">
<label for="password">${escapeHtml(texts.newPassword)}</label><input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="128" required aria-describedby="${problem ? "problem " : ""}rule"${problem ? ' aria-invalid="true"' : ""}>
<small id="rule">${escapeHtml(texts.rule)}</small><div><button type="submit">${escapeHtml(texts.save)}</button></div></form>`,
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
    `${problem}<form method="post" action="/auth/verify-email?shop=${encodeURIComponent(values.shop)}"><input type="hidden" name="token" value="${escapeHtml(values.token)}">${password}<div><button type="submit">${escapeHtml(texts.verify)}</button></div></form>`,
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
  const texts = accountTexts(look.locale);
  const { consents = {}, formType = null } = values.choice ?? {};
  const lines = [
    ...(Object.entries(consents) as [keyof ShownChoice["consents"], boolean][]).map(
      ([type, isGranted]) =>
        texts.labelled
          .replace("{label}", () => texts[type])
          .replace("{value}", () => (isGranted ? texts.granted : texts.declined)),
    ),
    ...(formType === null ? [] : [texts.subscription.replace("{form}", () => formType)]),
  ];
  const list = lines.map((line) => `<li>${escapeHtml(line)}</li>`).join("");
  return page(
    look,
    texts.confirmTitle,
    `<p>${escapeHtml(texts.confirmText)}</p>${list && `<p>${escapeHtml(texts.confirmChanges)}</p><ul>${list}</ul>`}<form method="post" action="/auth/consent-confirm?shop=${encodeURIComponent(values.shop)}"><input type="hidden" name="token" value="${escapeHtml(values.token)}"><button type="submit">${escapeHtml(texts.confirm)}</button></form>`,
  );
}

export function renderExportForm(look: PageLook, values: { shop: string; token: string }): string {
  const texts = accountTexts(look.locale);
  return page(
    look,
    texts.exportTitle,
    `<p>${escapeHtml(texts.exportText)}</p><form method="post" action="/gdpr/export?shop=${encodeURIComponent(values.shop)}"><input type="hidden" name="token" value="${escapeHtml(values.token)}"><button type="submit">${escapeHtml(texts.download)}</button></form>`,
  );
}

export type Notice = "saved" | "verified" | "confirmed" | "badLink" | "exportGone";

export function renderNotice(look: PageLook, notice: Notice): string {
  const texts = accountTexts(look.locale);
  const text = {
    saved: texts.savedText,
    verified: texts.verifiedText,
    confirmed: texts.confirmedText,
    badLink: texts.badLinkText,
    exportGone: texts.exportGoneText,
  }[notice];
  return page(look, texts[notice], `<p role="status">${escapeHtml(text)}</p>`);
}

export function renderSignInError(look: PageLook & { error: string }): string {
  const texts = accountTexts(look.locale);
  return page(
    look,
    texts.signInFailed,
    `<p class="error" role="alert">${escapeHtml(texts.signInText)}</p><p><small>${escapeHtml(look.error)}</small></p>`,
  );
}
