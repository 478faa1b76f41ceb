// The pages on which a shopper decides about an agent: plain HTML, no script. The agent's
// self-description is untrusted: it is shown in an element that isolates its direction, never
// inside a sentence of ours.
import { agentTexts } from "../texts.ts";
import type { OidcProviderName } from "../../domain/inventory/sign-in-providers.ts";
import { escapeHtml, page, type PageLook } from "../account-pages.ts";
import { providerLink } from "../provider-link.ts";
import type { FederatedBrand } from "../public-config.ts";

/** An agent as the pages show it: its self-declared name and its verified hosts. */
export type ShownAgent = { name: string; host: string | null; returnsTo: string };

export type SignInProblem = "wrong" | "unverified" | "suspended" | "busy";
export type PageProblem =
  "unknown_client" | "wrong_redirect" | "closed" | "expired" | "faulty" | "busy";

const isolate = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`;

function describe(look: PageLook, agent: ShownAgent): string {
  const texts = agentTexts(look.locale);
  const fact = (name: string, value: string) => `<dt>${escapeHtml(name)}</dt><dd>${value}</dd>`;
  return `<div class="agent"><strong>${isolate(agent.name)}</strong><small>${escapeHtml(texts.ownWord)}</small>
<dl class="facts">${fact(texts.address, agent.host === null ? escapeHtml(texts.noAddress) : isolate(agent.host))}${fact(texts.goesTo, isolate(agent.returnsTo))}</dl></div>`;
}

export function renderAgentSignIn(
  look: PageLook,
  values: {
    agent: ShownAgent;
    action: string;
    email: string;
    problem: SignInProblem | null;
    elsewhere: { provider: OidcProviderName; href: string }[];
    federatedBrand: FederatedBrand | null;
  },
): string {
  const texts = agentTexts(look.locale);
  const problem = values.problem
    ? `<p class="error" role="alert" id="problem">${escapeHtml(texts[values.problem])}</p>`
    : "";
  const aria = problem ? ' aria-invalid="true" aria-describedby="problem"' : "";
  const links = values.elsewhere.map(
    ({ provider, href }) =>
      `<li>${providerLink(provider, href, texts, values.federatedBrand)}</li>`,
  );
  const ways =
    links.length === 0
      ? ""
      : `<p class="or">${escapeHtml(texts.or)}</p><ul class="ways">${links.join("")}</ul>`;
  return page(
    look,
    texts.signInTitle,
    `<p>${escapeHtml(texts.signInText)}</p>${describe(look, values.agent)}${problem}<form method="post" action="${escapeHtml(values.action)}"><input type="hidden" name="action" value="sign_in">
<label for="email">${escapeHtml(texts.email)}</label><input id="email" name="email" type="email" autocomplete="username" required value="${escapeHtml(values.email)}"${aria}>
<label for="password">${escapeHtml(texts.password)}</label><input id="password" name="password" type="password" autocomplete="current-password" maxlength="128" required${aria}>
<button type="submit" class="wide">${escapeHtml(texts.signIn)}</button></form>${ways}`,
  );
}

/** `offered`: every scope of the store; `idleDays`: how long an unused access lasts. */
export function renderAgentConsent(
  look: PageLook,
  values: {
    agent: ShownAgent;
    action: string;
    csrf: string;
    scopes: readonly string[];
    offered: readonly string[];
    idleDays: number;
    account: string;
  },
): string {
  const texts = agentTexts(look.locale);
  const list = (name: "can" | "cannot", items: readonly string[]) =>
    `<h2>${escapeHtml(texts[name])}</h2><ul class="${name}">${items
      .map((item) => `<li><span>${escapeHtml(item)}</span></li>`)
      .join("")}</ul>`;
  const named = (scopes: readonly string[], names: Record<string, string>) =>
    scopes.map((scope) => names[scope] ?? scope);
  const { scopes } = values;
  const rest = values.offered.filter((scope) => !scopes.includes(scope));
  const cannot = [...named(rest, texts.withoutScope), ...Object.values(texts.never)];
  const button = (action: string, text: string, look: string) =>
    `<button type="submit" name="action" value="${action}" class="${look}">${escapeHtml(text)}</button>`;
  // Cancel is the form's first button: Enter must not allow the request.
  return page(
    look,
    texts.consentTitle,
    `${describe(look, values.agent)}${list("can", named(scopes, texts.scopes))}${list("cannot", cannot)}
<h2>${escapeHtml(texts.until)}</h2><p>${escapeHtml(texts.untilText.replace("{days}", String(values.idleDays)))}</p>
<form method="post" action="${escapeHtml(values.action)}"><input type="hidden" name="csrf" value="${escapeHtml(values.csrf)}"><div class="actions even">${button("deny", texts.deny, "plain")}${button("approve", texts.allow, "")}</div>
<p class="quiet account">${escapeHtml(texts.signedInAs)} ${isolate(values.account)}</p>${button("switch", texts.switch, "link")}</form>`,
  );
}

/** `detail` is for the agent's developer: what is wrong, in the protocol's own texts. */
export function renderAgentProblem(
  look: PageLook,
  problem: PageProblem,
  detail: string | null,
): string {
  const texts = agentTexts(look.locale);
  return page(
    look,
    texts.errorTitle,
    `<p class="error" role="alert">${escapeHtml(texts[problem])}</p>${detail ? `<p><small lang="en">${escapeHtml(detail)}</small></p>` : ""}`,
  );
}
