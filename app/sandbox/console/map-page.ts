/** The live map: the store, the service and every outside system as boxes; the script moves them. */
import type { Sandbox } from "../sandbox.ts";
import type { LiveConsole } from "./live/live-console.ts";
import { createScenarios, SCENARIOS } from "./live/scenarios.ts";
import { OUTSIDE_SYSTEMS, STORE } from "./live/systems.ts";
import type { MapSystem, Mode } from "./live/systems.ts";
import { escapeHtml, layout } from "./page-layout.ts";

const HEAD =
  '<link rel="stylesheet" href="/console/console.css"><script type="module" src="/console/console.js"></script>';

const SWITCHES: readonly [mode: Exclude<Mode, "working">, label: string][] = [
  ["down", "Down"],
  ["slow", "Slow"],
  ["limited", "Rate limited"],
  ["refuses", "Refuses"],
];

export function mapPage(sandbox: Sandbox, live: LiveConsole, head: string): string {
  const scenarios = createScenarios();
  const buttons = SCENARIOS.map(
    (name, index) =>
      `<button type="button" data-scenario="${name}"${index === 0 ? ' class="primary"' : ""}>${escapeHtml(scenarios[name].label)}</button>`,
  );
  const stories = SCENARIOS.map(
    (name) =>
      `<dt>${escapeHtml(scenarios[name].label)}</dt><dd>${escapeHtml(scenarios[name].about)}</dd>`,
  );
  const content = `<main class="console" id="console">
    <h1 class="unseen">Demo console: what happens between the store, the service and the systems</h1>
    <div class="stage">
      <div class="scenarios" role="group" aria-label="Scenarios">${buttons.join("")}</div>
      <p class="notice" id="notice" role="status"></p>
      ${installNotice(sandbox, live.shop())}
      <div class="map" id="map">
        <svg class="lines" id="lines" aria-hidden="true"></svg>
        <div class="column callers">
          ${storeBox()}
          <section class="box" data-node="agent" aria-label="Agent"><h2>Agent</h2><p class="purpose">Buys for Ada, by OAuth and a mandate</p><p class="last" data-last></p></section>
        </div>
        <section class="box service" data-node="service" aria-label="Service">
          <h2>Service</h2><p class="state" id="service-state">Connecting…</p>
          <div class="part" data-part="inbox"><h3>Inbox</h3><p class="last" data-last>Waits for webhooks</p></div>
          <div class="part" data-part="queue"><h3>Queue</h3><p class="last"><b id="queued">–</b> waiting</p><p class="last"><b id="dead">–</b> dead letters</p></div>
        </section>
        <div class="column systems">${OUTSIDE_SYSTEMS.map((one) => systemBox(one, live)).join("")}</div>
      </div>
    </div>
    <section class="story" aria-labelledby="story-title" tabindex="0">
      <h2 id="story-title">What happens</h2>
      <div id="story"><p class="quiet">Press a button. Every request is real: watch it travel, and read here what each system got.</p><dl class="stories">${stories.join("")}</dl></div>
    </section>
    <p class="unseen" role="log" aria-live="polite" id="announcer"></p>
    <noscript><p class="notice shown">The map needs JavaScript. The tabs above show the raw state without it.</p></noscript>
  </main>`;
  return layout("Demo console", content, head, HEAD);
}

function storeBox(): string {
  return `<section class="box" data-node="${STORE.system}" aria-label="${STORE.label}"><h2>${STORE.label}</h2>
    <p class="purpose">${STORE.purpose}</p><p class="last" data-last></p><p class="waiting" data-waiting></p>${switches(STORE)}</section>`;
}

function systemBox(place: MapSystem, live: LiveConsole): string {
  const { system, label, purpose } = place;
  const end = live.isByFile(system)
    ? '<p class="quiet by-file">A folder: nothing to fail</p>'
    : switches(place);
  return `<section class="box system" data-node="${system}" aria-label="${escapeHtml(label)}"><h2>${escapeHtml(label)}</h2>${end}
    <div class="now"><p class="last" data-last>${escapeHtml(purpose)}</p><p class="waiting" data-waiting></p></div></section>`;
}

function switches({ system, label }: MapSystem): string {
  const buttons = SWITCHES.map(
    ([mode, text]) =>
      `<button type="button" aria-pressed="false" data-system="${system}" data-mode="${mode}" aria-label="${escapeHtml(`${label}: ${text}`)}">${text}</button>`,
  );
  return `<div class="switches" role="group" aria-label="${escapeHtml(`${label} fails`)}">${buttons.join("")}</div>`;
}

function installNotice(sandbox: Sandbox, shop: string): string {
  if (sandbox.storefront.isInstalled(shop)) return "";
  const url = new URL(`/auth/install?shop=${encodeURIComponent(shop)}`, sandbox.appUrl()).href;
  return `<p class="notice shown">The app is not installed in ${escapeHtml(shop)}. <a href="${escapeHtml(url)}">Install it</a></p>`;
}
