// What happened in the newest run of a scenario: the change, what each system received, the steps.
import { announce, answerText, element, labelOf } from "./dom.js";

let announced = { id: 0, steps: 0, deliveries: "", verdict: "" };

/** From here on the steps are the story, and what the systems got follows. */
const MANY_STEPS = 6;

const STATE_TEXT = {
  delivered: "delivered",
  skipped: "nothing to send",
  retry: "waits",
  dead: "dead letter",
};
const STATE_TONE = { delivered: "good", skipped: "neutral", retry: "waiting", dead: "bad" };

export function showRun(run) {
  for (const button of document.querySelectorAll("[data-scenario]")) {
    button.setAttribute("aria-current", String(button.dataset.scenario === run.scenario));
    // Not `disabled`: the button that has the focus would lose it.
    button.setAttribute("aria-disabled", String(run.isActing));
  }
  const story = document.getElementById("story");
  const open = new Set(
    [...story.querySelectorAll("details[open]")].map(({ dataset }) => dataset.key),
  );
  const focused = document.activeElement?.closest?.("#story [data-key]")?.dataset.key;
  story.replaceChildren(
    element("p", { class: "title" }, run.title),
    element("p", { class: "quiet" }, new Date(run.startedAt).toLocaleTimeString()),
    element("p", { class: `verdict ${run.verdict.tone}` }, run.verdict.text),
    ...diffPart(run),
    ...(run.steps.length > MANY_STEPS
      ? [...stepsPart(run), ...gotPart(run, open)]
      : [...gotPart(run, open), ...stepsPart(run)]),
  );
  if (focused) story.querySelector(`[data-key="${CSS.escape(focused)}"] summary`)?.focus();
  announceRun(run);
}

function diffPart({ diff }) {
  if (diff.length === 0) return [];
  const rows = diff.map(({ field, before, after }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, field),
      element("td", { class: before === "" ? "" : "before" }, before === "" ? "–" : before),
      element("td", { class: "after" }, after),
    ),
  );
  const heads = ["Field", "Before", "After"].map((text) => element("th", { scope: "col" }, text));
  return [
    element("h3", {}, "What changes"),
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...rows),
    ),
  ];
}

function gotPart({ deliveries, id }, open) {
  if (deliveries.length === 0) return [];
  const items = deliveries.map((delivery) => {
    const { label, state, httpStatus, ms, attempts, reason, received, eventId, channel } = delivery;
    const key = `${id}/${eventId}/${channel}`;
    const tries = attempts > 1 ? `, attempt ${attempts}` : "";
    const result = `${STATE_TEXT[state]}${httpStatus === null ? "" : ` · ${httpStatus}`} · ${ms} ms${tries}`;
    return element(
      "details",
      { class: "got", "data-key": key, open: open.has(key) ? "" : null },
      element(
        "summary",
        {},
        element("span", { class: "name" }, label),
        element("span", { class: `result ${STATE_TONE[state]}` }, result),
        briefOf(received),
      ),
      ...(reason ? [element("p", { class: "quiet" }, reason)] : []),
      ...receivedPart(received),
    );
  });
  return [element("h3", {}, "What each system got"), ...items];
}

/** In a line what arrived: that it says nothing about the person, or the first of what it says. */
function briefOf(received) {
  if (!received) return null;
  if (received.privacy && !received.privacy.isPersonal) {
    const event = received.fields.find(({ name }) => name === "event");
    const text = received.privacy.text;
    return element("span", { class: "brief privacy" }, event ? `${event.value}. ${text}` : text);
  }
  const fields = received.fields.filter(({ name }) => name !== "slug").slice(0, 3);
  return element("span", { class: "brief" }, fields.map(({ value }) => value).join(", "));
}

function receivedPart(received) {
  if (!received)
    return [element("p", { class: "quiet" }, "No request of this attempt was seen here.")];
  const terms = received.fields.flatMap(({ name, value }) => [
    element("dt", {}, name),
    element("dd", {}, value),
  ]);
  return [
    element("p", { class: "quiet" }, element("code", {}, received.line)),
    element("dl", {}, ...terms),
    received.privacy?.isPersonal
      ? element("p", { class: "privacy personal" }, received.privacy.text)
      : null,
    element("pre", { tabindex: "0", "aria-label": "The body as it arrived" }, received.body),
  ].filter((part) => part !== null);
}

function stepsPart({ steps }) {
  if (steps.length === 0) return [];
  const items = steps.map(({ atMs, from, to, text, status, ms, tone }) =>
    element(
      "li",
      {},
      element("span", { class: "at" }, `+${atMs} ms`),
      element(
        "span",
        {},
        text,
        element(
          "span",
          { class: "who" },
          from === to ? labelOf(from) : `${labelOf(from)} to ${labelOf(to)}`,
        ),
      ),
      element("span", { class: `result ${tone}` }, ms === null ? "" : answerText(status, ms)),
    ),
  );
  return [element("h3", {}, "Step by step"), element("ol", { class: "steps" }, ...items)];
}

/** Reads out what is new since the last time. */
function announceRun(run) {
  if (announced.id !== run.id) announced = { id: run.id, steps: 0, deliveries: "", verdict: "" };
  for (const { text, status, ms } of run.steps.slice(announced.steps))
    announce(
      ms === null ? `${text}.` : `${text}: ${status ?? "no answer"} in ${Math.round(ms)} ms.`,
    );
  announced.steps = run.steps.length;
  for (const { label, channel, eventId, state, attempts, ms } of run.deliveries) {
    const key = ` ${eventId}/${channel}/${attempts}/${state}`;
    if (announced.deliveries.includes(key)) continue;
    announced.deliveries += key;
    announce(`${label}: ${STATE_TEXT[state]} in ${ms} ms.`);
  }
  if (announced.verdict !== run.verdict.text) announce(run.verdict.text);
  announced.verdict = run.verdict.text;
}
