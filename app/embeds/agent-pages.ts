// The pages on which a shopper decides about an agent: plain HTML, no script. What the agent says of itself is data: shown
// in an element that keeps its direction to itself, never part of a sentence of ours.
import { agentWordsOf } from "./agent-page-words.ts";
import { escapeHtml, page, type PageLook } from "./account-pages.ts";

/** An agent as it is shown: its own word for itself, and the hosts that say more. */
export type ShownAgent = { name: string; host: string | null; returnsTo: string };

export type SignInProblem = "wrong" | "unverified" | "suspended" | "busy";
export type PageProblem = "unknown_client" | "wrong_redirect" | "closed" | "expired" | "faulty";

const said = (text: string) => `<bdi>${escapeHtml(text)}</bdi>`;

function describe(look: PageLook, agent: ShownAgent): string {
  const words = agentWordsOf(look.locale);
  return `<p><strong>${said(agent.name)}</strong><br><small>${escapeHtml(words.ownWord)}</small></p>
<dl><dt>${escapeHtml(words.address)}</dt><dd>${agent.host === null ? escapeHtml(words.noAddress) : said(agent.host)}</dd><dt>${escapeHtml(words.goesTo)}</dt><dd>${said(agent.returnsTo)}</dd></dl>`;
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
  const words = agentWordsOf(look.locale);
  const problem = values.problem
    ? `<p class="error" role="alert" id="problem">${escapeHtml(words[values.problem])}</p>`
    : "";
  const aria = problem ? ' aria-invalid="true" aria-describedby="problem"' : "";
  const links = values.elsewhere
    .map(
      ({ provider, href }) =>
        `<p><a href="${escapeHtml(href)}">${escapeHtml(words[provider])}</a></p>`,
    )
    .join("");
  return page(
    look,
    words.signInTitle,
    `<p>${escapeHtml(words.signInText)}</p>${describe(look, values.agent)}${problem}<form method="post" action="${escapeHtml(values.action)}"><input type="hidden" name="action" value="sign_in">
<label for="email">${escapeHtml(words.email)}</label><input id="email" name="email" type="email" autocomplete="username" required value="${escapeHtml(values.email)}"${aria}>
<label for="password">${escapeHtml(words.password)}</label><input id="password" name="password" type="password" autocomplete="current-password" maxlength="128" required${aria}>
<div><button type="submit">${escapeHtml(words.signIn)}</button></div></form>${links}`,
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
  const words = agentWordsOf(look.locale);
  const items = values.scopes
    .map((scope) => `<li>${escapeHtml(words.scopes[scope] ?? scope)}</li>`)
    .join("");
  const button = (action: string, text: string) =>
    `<button type="submit" name="action" value="${action}">${escapeHtml(text)}</button>`;
  return page(
    look,
    words.consentTitle,
    `<p>${escapeHtml(words.asks)}</p>${describe(look, values.agent)}<p>${escapeHtml(words.may)}</p><ul>${items}</ul><p>${escapeHtml(words.withdraw)}</p><p>${escapeHtml(words.signedInAs)} ${said(values.account)}</p>
<form method="post" action="${escapeHtml(values.action)}"><input type="hidden" name="csrf" value="${escapeHtml(values.csrf)}">${button("deny", words.deny)} ${button("approve", words.allow)} ${button("switch", words.switch)}</form>`,
  );
}

/** `detail` is for the agent's developer: what is wrong, in the protocol's own words. */
export function renderAgentProblem(
  look: PageLook,
  problem: PageProblem,
  detail: string | null,
): string {
  const words = agentWordsOf(look.locale);
  return page(
    look,
    words.errorTitle,
    `<p class="error" role="alert">${escapeHtml(words[problem])}</p>${detail ? `<p><small lang="en">${escapeHtml(detail)}</small></p>` : ""}`,
  );
}
