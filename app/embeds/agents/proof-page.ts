// `GET /commerce/mandates/verify`: anybody checks the proof of a mandate, on a page without script.
import type { Check } from "../../domain/agents/ap2/proof-checks.ts";
import type { CheckedMandate } from "../../domain/agents/ap2/verify-proof.ts";
import { escapeHtml, ownDocument, renderBrand, type PageLook } from "../account-pages.ts";
import { localeOf, proofTexts, type ProofTexts } from "../texts.ts";

export type ProofPage = {
  action: string;
  /** What was pasted, to be shown again. */
  pasted: string;
  /** Null before the first check. */
  result: { mandates: readonly CheckedMandate[] } | "unreadable" | null;
};

export function renderProofPage(look: PageLook, { action, pasted, result }: ProofPage): string {
  const texts = proofTexts(look.locale);
  const isUnreadable = result === "unreadable";
  const problem = isUnreadable
    ? `<p class="error" role="alert" id="problem">${escapeHtml(texts.unreadable)}</p>`
    : "";
  const described = `${isUnreadable ? "problem " : ""}hint`;
  const form = `<form method="post" action="${escapeHtml(action)}">${problem}
<label for="proof">${escapeHtml(texts.label)}</label><textarea id="proof" name="proof" rows="6" required spellcheck="false" autocomplete="off" aria-describedby="${described}"${isUnreadable ? ' aria-invalid="true"' : ""}>${escapeHtml(pasted)}</textarea>
<small id="hint">${escapeHtml(texts.hint)}</small><button type="submit" class="wide">${escapeHtml(texts.check)}</button></form>`;
  const shown =
    result === null || isUnreadable
      ? ""
      : result.mandates.map((mandate) => renderMandate(mandate, look.locale, texts)).join("\n");
  return ownDocument(
    look,
    `${texts.title} - ${look.brand}`,
    `<main class="reading">${renderBrand(look)}<h1>${escapeHtml(texts.title)}</h1><p>${escapeHtml(texts.intro)}</p><div class="card">${form}</div>${shown && `<div role="status">${shown}</div>`}</main>`,
    '<meta name="robots" content="noindex">',
  );
}

const isKnown = <T extends object>(texts: T, name: string): name is Extract<keyof T, string> =>
  Object.hasOwn(texts, name);

function renderMandate(mandate: CheckedMandate, locale: string, texts: ProofTexts): string {
  const { type, content, checks, is_authentic, is_usable } = mandate;
  const name =
    type !== null && isKnown(texts.types, type) ? texts.types[type] : texts.types.unknown;
  const verdict = is_usable ? "usable" : is_authentic ? "authentic" : "forged";
  const facts = content
    ? [
        [amountLabel(mandate, texts), amountText(content, locale)],
        [texts.merchant, content.merchant],
        [texts.expires, timeText(content.expires_at, locale)],
        [texts.audience, content.audience],
        [texts.nonce, content.nonce],
        [texts.id, content.mandate_id],
      ]
    : [];
  const rows = facts
    .map(([label, value]) =>
      label && value ? `<dt>${escapeHtml(label)}</dt><dd><bdi>${escapeHtml(value)}</bdi></dd>` : "",
    )
    .join("");
  return `<section class="card"><h2>${escapeHtml(name)}</h2><p class="verdict ${verdict}">${escapeHtml(texts.verdicts[verdict])}</p>
${rows && `<dl class="facts">${rows}</dl>`}<ul class="checks">${checks.map((check) => renderCheck(check, texts)).join("")}</ul></section>`;
}

function renderCheck({ check, outcome, reason }: Check, texts: ProofTexts): string {
  const because = reason ? ` <small>${escapeHtml(texts.reasons[reason])}</small>` : "";
  return `<li class="${outcome}"><span>${escapeHtml(texts.checks[check])}</span> <strong>${escapeHtml(texts.outcomes[outcome])}</strong>${because}</li>`;
}

const amountLabel = ({ type }: CheckedMandate, texts: ProofTexts): string =>
  type?.includes(".open.") ? texts.upTo : texts.amount;

type Content = NonNullable<CheckedMandate["content"]>;

const amountText = ({ amount, currency }: Content, locale: string): string | null =>
  amount === null || currency === null
    ? null
    : new Intl.NumberFormat(localeOf(locale), { style: "currency", currency }).format(
        Number(amount),
      );

const timeText = (time: string, locale: string): string =>
  new Intl.DateTimeFormat(localeOf(locale), {
    year: "numeric",
    month: "long",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZone: "UTC",
    timeZoneName: "short",
  }).format(new Date(time));
