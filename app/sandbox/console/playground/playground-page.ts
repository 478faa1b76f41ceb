/** The playground: the agent's steps, every request and answer, and what Ada and the merchant see. */
import { escapeHtml, layout } from "../page-layout.ts";
import { PLAYGROUND_STEPS } from "./playground-steps.ts";

const HEAD =
  '<link rel="stylesheet" href="/console/playground.css"><script type="module" src="/console/playground.js"></script>';

export function playgroundPage(shop: string, head: string): string {
  const steps = PLAYGROUND_STEPS.map(
    ({ name, title, about }) =>
      `<li data-step="${name}"><h3>${escapeHtml(title)}</h3><p class="quiet">${escapeHtml(about)}</p><p class="result" hidden></p></li>`,
  );
  const admin = `/storefront/${escapeHtml(shop)}/admin/apps`;
  const content = `<main class="playground" id="playground">
    <div class="intro"><h1>Agent playground</h1>
      <p class="quiet">A scripted agent, without a model, against the running service. Every request is real.</p>
      <div class="buttons" role="group" aria-label="Run">
        <button type="button" class="primary" data-do="next">Next step</button>
        <button type="button" data-do="all">Run all</button>
        <button type="button" data-do="again">Start again</button>
      </div>
      <p class="notice" id="notice" role="status"></p></div>
    <section class="card" aria-labelledby="steps-title"><h2 id="steps-title">Steps</h2><ol class="steps" id="steps">${steps.join("")}</ol></section>
    <section class="card wire" aria-labelledby="wire-title"><h2 id="wire-title">Requests and answers</h2>
      <div id="exchanges"><p class="quiet">Nothing was sent yet.</p></div></section>
    <div class="views">
      <section class="card" aria-labelledby="ada-title"><h2 id="ada-title">What Ada sees</h2>
        <div id="shopper"><p class="quiet">Ada is not signed in yet.</p></div>
        <p><a href="/accounts/${escapeHtml(shop)}" target="_blank" rel="noreferrer">Her customer account (opens in a new tab)</a></p></section>
      <section class="card" aria-labelledby="merchant-title"><h2 id="merchant-title">What the merchant sees</h2>
        <div id="merchant"><p class="quiet">No agent has called yet.</p></div>
        <p><a href="${admin}" target="_blank" rel="noreferrer">The app in the store admin (opens in a new tab)</a></p></section>
    </div>
    <noscript><p class="notice shown">The playground needs JavaScript.</p></noscript>
  </main>`;
  return layout("Agent playground", content, head, HEAD);
}
