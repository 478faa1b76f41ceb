// The sign-in page of the standalone admin pages: plain HTML, no script, no data of the pages behind it.
import { escapeHtml, page, plainLook } from "./account-pages.ts";
import { gateTexts, type Locale } from "./texts.ts";

export type GateProblem = "key" | "code" | "busy" | "origin";
export type GateStage = "ask" | "sent";

/** `action`: the requested URL, the target of the forms and of the redirect after the sign-in. */
export function renderGate(values: {
  locale: Locale;
  action: string;
  stage: GateStage;
  hasMail: boolean;
  problem: GateProblem | null;
}): string {
  const { locale, stage, hasMail, problem } = values;
  const texts = gateTexts(locale);
  const form = (step: string, inner: string, button: string, look = "wide") =>
    `<form method="post" action="${escapeHtml(values.action)}"><input type="hidden" name="gate" value="${step}">${inner}<button type="submit" class="${look}">${escapeHtml(button)}</button></form>`;
  const field = (id: string, label: string, attributes: string) =>
    `<label for="${id}">${escapeHtml(label)}</label><input id="${id}" name="${id}" required ${attributes}>`;
  const code = `<p role="status">${escapeHtml(texts.code.sent)}</p>${form("code", field("code", texts.code.label, 'inputmode="numeric" autocomplete="one-time-code" maxlength="20"'), texts.code.button)}<p><a href="${escapeHtml(values.action)}">${escapeHtml(texts.code.other)}</a></p>`;
  const ask = hasMail
    ? form(
        "ask",
        field("address", texts.mail.label, 'type="email" autocomplete="email" maxlength="320"'),
        texts.mail.button,
      )
    : `<p>${escapeHtml(texts.mail.none)}</p>`;
  const key = form(
    "key",
    field("admin_key", texts.key.label, 'type="password" autocomplete="off" maxlength="400"'),
    texts.key.button,
    hasMail ? "plain wide" : "wide",
  );
  const notice = problem
    ? `<p class="error" role="alert">${escapeHtml(texts.problems[problem])}</p>`
    : "";
  return page(
    plainLook(locale, texts.brand),
    texts.title,
    `${notice}${stage === "sent" ? code : `<p>${escapeHtml(texts.intro)}</p>${ask}<hr>${key}`}`,
  );
}
