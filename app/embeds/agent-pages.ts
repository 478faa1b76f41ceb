// The pages on which a shopper decides about an agent: plain HTML, no script. The agent's
// self-description is untrusted: it is shown in an element that isolates its direction, never
// inside a sentence of ours.
import { agentTexts } from "./texts.ts";
import { escapeHtml, page, type PageLook } from "./account-pages.ts";

/** An agent as the pages show it: its self-declared name and its verified hosts. */
export type ShownAgent = { name: string; host: string | null; returnsTo: string };

export type SignInProblem = "wrong" | "unverified" | "suspended" | "busy";
export type PageProblem = "unknown_client" | "wrong_redirect" | "closed" | "expired" | "faulty";

const isolate = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`;

function describe(look: PageLook, agent: ShownAgent): string {
  const texts = agentTexts(look.locale);
  return `<p><strong>${isolate(agent.name)}</strong><br><small>${escapeHtml(texts.ownWord)}</small></p>
<dl><dt>${escapeHtml(texts.address)}</dt><dd>${agent.host === null ? escapeHtml(texts.noAddress) : isolate(agent.host)}</dd><dt>${escapeHtml(texts.goesTo)}</dt><dd>${isolate(agent.returnsTo)}</dd></dl>`;
}

export function renderAgentSignIn(
  look: PageLook,
  values: {
    agent: ShownAgent;
    action: string;
    email: string;
    problem: SignInProblem | null;
    elsewhere: { provider: "federated" | "storefront"; href: string }[];
  },
): string {
  const texts = agentTexts(look.locale);
  const problem = values.problem
    ? `<p class="error" role="alert" id="problem">${escapeHtml(texts[values.problem])}</p>`
    : "";
  const aria = problem ? ' aria-invalid="true" aria-describedby="problem"' : "";
  const links = values.elsewhere
    .map(
      ({ provider, href }) =>
        `<p><a href="${escapeHtml(href)}">${escapeHtml(texts[provider])}</a></p>`,
    )
    .join("");
  return page(
    look,
    texts.signInTitle,
    `<p>${escapeHtml(texts.signInText)}</p>${describe(look, values.agent)}${problem}<form method="post" action="${escapeHtml(values.action)}"><input type="hidden" name="action" value="sign_in">
<label for="email">${escapeHtml(texts.email)}</label><input id="email" name="email" type="email" autocomplete="username" required value="${escapeHtml(values.email)}"${aria}>
<label for="password">${escapeHtml(texts.password)}</label><input id="password" name="password" type="password" autocomplete="current-password" maxlength="128" required${aria}>
<div><button type="submit">${escapeHtml(texts.signIn)}</button></div></form>${links}`,
  );
}

export function renderAgentConsent(
  look: PageLook,
  values: {
    agent: ShownAgent;
    action: string;
    csrf: string;
    scopes: readonly string[];
    account: string;
  },
): string {
  const texts = agentTexts(look.locale);
  const scopeTexts: Record<string, string> = texts.scopes;
  const items = values.scopes
    .map((scope) => `<li>${escapeHtml(scopeTexts[scope] ?? scope)}</li>`)
    .join("");
  const button = (action: string, text: string) =>
    `<button type="submit" name="action" value="${action}">${escapeHtml(text)}</button>`;
  return page(
    look,
    texts.consentTitle,
    `<p>${escapeHtml(texts.asks)}</p>${describe(look, values.agent)}<p>${escapeHtml(texts.may)}</p><ul>${items}</ul><p>${escapeHtml(texts.withdraw)}</p><p>${escapeHtml(texts.signedInAs)} ${isolate(values.account)}</p>
<form method="post" action="${escapeHtml(values.action)}"><input type="hidden" name="csrf" value="${escapeHtml(values.csrf)}">${button("deny", texts.deny)} ${button("approve", texts.allow)} ${button("switch", texts.switch)}</form>`,
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
