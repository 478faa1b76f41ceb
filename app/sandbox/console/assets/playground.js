// The playground in the browser: its buttons, and the state of the run.
import { element, showNotice } from "./dom.js";

const LOOK_EVERY_MS = 1_200;
const LOST = "The sandbox does not answer. The page asks again by itself.";
const byId = (id) => document.getElementById(id);
let isBusy = false;

async function press({ target }) {
  const action = target.closest("[data-do]")?.dataset.do;
  if (!action || isBusy) return;
  setBusy(true);
  try {
    const answer = await fetch("/_control/playground", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ do: action }),
    });
    if (!answer.ok && answer.status !== 409) throw new Error();
  } catch {
    showNotice(LOST);
  }
  await look();
}

function setBusy(busy) {
  isBusy = busy;
  for (const button of document.querySelectorAll("[data-do]"))
    button.setAttribute("aria-disabled", String(busy));
}

let looking = null;
/** One at a time; while a step runs it follows at once. */
function look() {
  looking ??= read().finally(() => (looking = null));
  return looking;
}

async function read() {
  try {
    const answer = await fetch("/_control/playground");
    if (!answer.ok) throw new Error();
    show(await answer.json());
  } catch {
    showNotice(LOST);
  }
  if (isBusy) setTimeout(look, 150);
}

function show(state) {
  setBusy(state.isBusy);
  showNotice(state.problem ?? "");
  for (const { name, state: step, result } of state.steps) {
    const item = document.querySelector(`[data-step="${CSS.escape(name)}"]`);
    item.dataset.state = step;
    if (step === "running") item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
    const text = item.querySelector(".result");
    text.hidden = result === null;
    text.textContent = result ?? "";
  }
  showExchanges(state.exchanges);
  fill("shopper", state.shopper && shopperView(state.shopper), "Ada is not signed in yet.");
  fill("merchant", state.merchant && callList(state.merchant.activity), "No agent has called yet.");
}

const FROM = { agent: "Agent", storefront: "Ada" };

/** Rows are added, so that an open one stays open. */
function showExchanges(exchanges) {
  const list = byId("exchanges");
  const known = list.querySelectorAll("details").length;
  if (exchanges.length < known || known === 0) list.replaceChildren();
  if (exchanges.length === 0)
    return list.replaceChildren(element("p", { class: "quiet" }, "Nothing was sent yet."));
  for (const exchange of exchanges.slice(list.querySelectorAll("details").length))
    list.append(exchangeRow(exchange));
}

function exchangeRow({ from, text, request, response, status, ms }) {
  return element(
    "details",
    {},
    element(
      "summary",
      {},
      element("span", { class: "who" }, FROM[from] ?? from),
      element("span", { class: "what" }, text),
      element("span", { class: status < 400 ? "good" : "bad" }, `${status} · ${Math.round(ms)} ms`),
    ),
    element("p", { class: "part" }, "Request"),
    element("pre", { tabindex: "0" }, request),
    element("p", { class: "part" }, "Answer"),
    element("pre", { tabindex: "0" }, response),
  );
}

/** Not while somebody reads in it; and only when it changed. */
function fill(id, content, empty) {
  const place = byId(id);
  const made = content ?? element("p", { class: "quiet" }, empty);
  if (place.textContent !== made.textContent) place.replaceChildren(made);
}

function shopperView({ mayAct, mayPay, agents, mandates, activity }) {
  const fact = (name, value) => [element("dt", {}, name), element("dd", {}, value)];
  return element(
    "div",
    {},
    element(
      "dl",
      {},
      ...fact("Agents may act", mayAct ? "yes" : "no"),
      ...fact("Agents may pay", mayPay ? "yes" : "no"),
      ...fact("Linked agents", agents.join(", ") || "none"),
      ...fact(
        "Mandates",
        mandates.map(({ text, status }) => `${text} (${status})`).join("; ") || "none",
      ),
    ),
    element("h3", {}, "What agents did"),
    callList(activity),
  );
}

function callList(calls) {
  if (calls.length === 0) return null;
  return element("ul", {}, ...calls.map(callRow));
}

function callRow({ at, agent, customer, operation, outcome, code, amount, calls }) {
  const who = [agent, customer].filter(Boolean).join(" for ");
  const what = [operation, calls > 1 && `${calls} times`, amount].filter(Boolean).join(", ");
  return element(
    "li",
    {},
    element("span", { class: outcome === "done" ? "good" : "bad" }, outcome),
    ` ${what}${code ? ` (${code})` : ""} `,
    element("br", {}),
    element("span", { class: "quiet" }, `${at.slice(11, 19)} · ${who}`),
  );
}

document.addEventListener("click", (event) => void press(event));
setInterval(() => {
  if (!document.hidden && !isBusy) void look();
}, LOOK_EVERY_MS);
void look();
