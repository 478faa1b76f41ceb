// The live map in the browser: hears the sandbox's events and shows them. It writes text only, never HTML.

const map = document.getElementById("map");
const notice = document.getElementById("notice");
const announcer = document.getElementById("announcer");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
/** Real calls take a few milliseconds: the map shows one after the other. */
const HOP_MS = 170;
const ANSWER_MS = 60;
const LIT_MS = 1500;
const MAX_LOG = 30;

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {}))
    if (value !== false && value !== null) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function announce(text) {
  announcer.append(element("span", {}, `${text} `));
  while (announcer.childElementCount > MAX_LOG) announcer.firstElementChild.remove();
}

const nodeOf = (name) => document.querySelector(`[data-node="${CSS.escape(name)}"]`);
const labelOf = (name) => nodeOf(name)?.getAttribute("aria-label") ?? "Somebody";
const isGood = (status) => status !== null && status < 400;
const answerText = (status, ms) => `${status ?? "no answer"} · ${Math.round(ms)} ms`;

// --- Lines between the boxes ---------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";
const lines = new Map();

function drawLines() {
  const svg = document.getElementById("lines");
  if (getComputedStyle(svg).display === "none") return;
  const origin = map.getBoundingClientRect();
  const place = (box) => {
    const { left, right, top, height } = box.getBoundingClientRect();
    return {
      left: left - origin.left,
      right: right - origin.left,
      y: top - origin.top + height / 2,
    };
  };
  const service = place(nodeOf("service"));
  const [inbox, queue] = ["inbox", "queue"].map((part) =>
    place(document.querySelector(`[data-part="${part}"]`)),
  );
  for (const box of map.querySelectorAll("[data-node]")) {
    const name = box.dataset.node;
    if (name === "service") continue;
    const to = place(box);
    const isCaller = to.right < service.left;
    const [from, fromY] = isCaller ? [service.left, inbox.y] : [service.right, queue.y];
    const end = isCaller ? to.right : to.left;
    const middle = (from + end) / 2;
    // From the service outwards: a call to the service runs it backwards.
    const path = `M${from},${fromY} C${middle},${fromY} ${middle},${to.y} ${end},${to.y}`;
    const line = lines.get(name) ?? newLine(svg, name);
    line.base.setAttribute("d", path);
    line.run.setAttribute("d", path);
  }
}

function newLine(svg, name) {
  const [base, run] = ["base", "run"].map((part) => {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", part);
    if (part === "run") path.setAttribute("pathLength", "1");
    svg.append(path);
    return path;
  });
  run.addEventListener("animationend", () => run.classList.remove("out", "back"));
  lines.set(name, { base, run });
  return lines.get(name);
}

function travel(name, direction) {
  const run = lines.get(name)?.run;
  if (!run || calm.matches) return;
  run.classList.remove("out", "back");
  run.getBoundingClientRect();
  run.classList.add(direction);
}

// --- Calls that light the boxes ------------------------------------------------------------------

const pulses = [];
let isPlaying = false;
const litTimers = new Map();

function light(box, tone) {
  if (!box) return;
  box.classList.toggle("alarm", tone === "bad");
  box.classList.add("lit");
  clearTimeout(litTimers.get(box));
  litTimers.set(
    box,
    setTimeout(() => box.classList.remove("lit", "alarm"), LIT_MS),
  );
}

function showPulse({ from, to, text, isAnswered, status, ms }) {
  const isWebhook = text.startsWith("Webhook ");
  const outside = nodeOf(to === "service" ? from : to);
  const inside =
    to === "service"
      ? isWebhook
        ? document.querySelector('[data-part="inbox"]')
        : nodeOf("service")
      : document.querySelector('[data-part="queue"]');
  if (!isAnswered || (to === "service" && !isWebhook))
    travel(to === "service" ? from : to, to === "service" ? "back" : "out");
  if (!isAnswered) {
    light(outside);
    if (to === "service") light(inside);
    return;
  }
  const tone = isGood(status) ? "good" : "bad";
  light(to === "service" ? inside : outside, tone);
  const shown = to === "service" && isWebhook ? inside : outside;
  const line = shown?.querySelector("[data-last]");
  if (!line) return;
  const what = isWebhook
    ? text.slice("Webhook ".length)
    : to === "service"
      ? text
      : text.split(" ", 1)[0];
  line.textContent = `${what} · ${answerText(status, ms)}`;
  line.classList.toggle("good", tone === "good");
  line.classList.toggle("bad", tone === "bad");
}

function play() {
  const pulse = pulses.shift();
  isPlaying = pulse !== undefined;
  if (!pulse) return;
  showPulse(pulse);
  const gap = pulse.isAnswered ? ANSWER_MS : HOP_MS;
  setTimeout(play, calm.matches || document.hidden || pulses.length > 16 ? 0 : gap);
}

function hear(pulse) {
  pulses.push(pulse);
  if (!isPlaying) play();
}

// --- The state of the service and of each system -------------------------------------------------

let world = null;
let clockOffset = 0;

const SERVICE_TEXT = {
  unknown: ["Asking…", ""],
  up: ["Running", "good"],
  starting: ["Starting", "waiting"],
  away: ["Does not answer", "bad"],
  refused: ["Refuses the console", "bad"],
};
const MODE_TEXT = {
  working: "works again",
  down: "is down",
  slow: "is slow",
  limited: "limits the rate",
  refuses: "refuses the data",
};

function showWorld(next) {
  const before = world;
  world = next;
  clockOffset = next.now - Date.now();
  const { state, detail, pending, deadLetters } = next.service;
  const [text, tone] = SERVICE_TEXT[state];
  const line = document.getElementById("service-state");
  line.textContent = text;
  line.className = `state ${tone}`;
  const isKnown = state === "up" && next.isAsked;
  document.getElementById("queued").textContent = isKnown ? pending : "–";
  document.getElementById("dead").textContent = isKnown ? deadLetters : "–";
  showNotice(
    state === "away" || state === "starting" || state === "refused"
      ? `The service is not available. ${detail} The console looks again by itself.`
      : "",
  );
  if (before && before.service.state !== state) announce(`Service: ${text}.`);
  for (const system of next.systems) {
    const box = nodeOf(system.system);
    const earlier = before?.systems.find((one) => one.system === system.system);
    box.dataset.mode = system.mode;
    const base = lines.get(system.system)?.base;
    base?.setAttribute("class", `base ${system.mode}`);
    for (const button of box.querySelectorAll("[data-mode]"))
      button.setAttribute("aria-pressed", String(button.dataset.mode === system.mode));
    if (earlier && earlier.mode !== system.mode)
      announce(`${labelOf(system.system)} ${MODE_TEXT[system.mode]}.`);
    if (earlier && earlier.circuit !== system.circuit)
      announce(`${labelOf(system.system)}: circuit ${system.circuit}.`);
  }
  showCountdowns();
}

function showCountdowns() {
  for (const system of world?.systems ?? []) {
    const line = nodeOf(system.system)?.querySelector("[data-waiting]");
    if (!line) continue;
    const text = waitingText(system);
    if (line.textContent !== text) line.textContent = text;
    line.classList.toggle("calm", system.waiting === 0 && system.circuit === "closed");
  }
}

function waitingText({ hasQueue, waiting, nextAttemptAt, circuit, openUntil, delivered }) {
  if (!hasQueue) return "";
  if (waiting === 0 && circuit === "closed")
    return `Circuit closed · ${delivered.toLocaleString("en")} sent today`;
  const parts = [];
  if (waiting > 0) parts.push(`${waiting} waiting`);
  if (circuit === "open") parts.push(`circuit open, closes ${countdown(openUntil)}`);
  else if (waiting > 0 && nextAttemptAt) parts.push(`retry ${countdown(nextAttemptAt)}`);
  return parts.join(" · ");
}

function countdown(iso) {
  const seconds = Math.ceil((Date.parse(iso) - Date.now() - clockOffset) / 1000);
  if (!(seconds > 0)) return "now";
  return `in ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function showNotice(text) {
  if (notice.textContent === text) return;
  notice.textContent = text;
  notice.classList.toggle("shown", text !== "");
}

// --- What happens: the story of the newest scenario ----------------------------------------------

let told = { id: 0, steps: 0, deliveries: "", verdict: "" };

/** From here on the steps are the story, and what the systems got follows. */
const MANY_STEPS = 6;

const STATE_TEXT = {
  delivered: "delivered",
  skipped: "nothing to send",
  retry: "waits",
  dead: "dead letter",
};
const STATE_TONE = { delivered: "good", skipped: "neutral", retry: "waiting", dead: "bad" };

function showRun(run) {
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
  tellRun(run);
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
      element(
        "span",
        { class: `result ${tone}` },
        ms === null ? "" : `${status ?? "no answer"} · ${Math.round(ms)} ms`,
      ),
    ),
  );
  return [element("h3", {}, "Step by step"), element("ol", { class: "steps" }, ...items)];
}

/** Reads out what is new since the last time. */
function tellRun(run) {
  if (told.id !== run.id) told = { id: run.id, steps: 0, deliveries: "", verdict: "" };
  for (const { text, status, ms } of run.steps.slice(told.steps))
    announce(
      ms === null ? `${text}.` : `${text}: ${status ?? "no answer"} in ${Math.round(ms)} ms.`,
    );
  told.steps = run.steps.length;
  for (const { label, channel, eventId, state, attempts, ms } of run.deliveries) {
    const key = ` ${eventId}/${channel}/${attempts}/${state}`;
    if (told.deliveries.includes(key)) continue;
    told.deliveries += key;
    announce(`${label}: ${STATE_TEXT[state]} in ${ms} ms.`);
  }
  if (told.verdict !== run.verdict.text) announce(run.verdict.text);
  told.verdict = run.verdict.text;
}

// --- Buttons -------------------------------------------------------------------------------------

async function post(path, body) {
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (answer.ok) return;
    const { message } = await answer.json();
    announce(message ?? `The sandbox answered ${answer.status}.`);
  } catch {
    showNotice("The sandbox does not answer. The console connects again by itself.");
  }
}

function onPress({ target }) {
  const button = target.closest("button");
  const { scenario, system, mode } = button?.dataset ?? {};
  if (scenario && button.getAttribute("aria-disabled") !== "true")
    void post("/_control/scenario", { scenario });
  if (system)
    void post("/_control/mode", {
      system,
      mode: button.getAttribute("aria-pressed") === "true" ? "working" : mode,
    });
}

// --- The stream ----------------------------------------------------------------------------------

/** `onEvent`: by the name of the event. A hidden page lets go of the stream. */
function listen(onEvent) {
  let source = null;
  const open = () => {
    if (source) return;
    source = new EventSource("/_control/events");
    const { lost, ...events } = onEvent;
    for (const [name, handle] of Object.entries(events))
      source.addEventListener(name, ({ data }) => handle(JSON.parse(data)));
    source.addEventListener("error", () => lost?.());
  };
  const close = () => {
    source?.close();
    source = null;
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  addEventListener("pageshow", ({ persisted }) => persisted && open());
  open();
}

function startMap() {
  drawLines();
  new ResizeObserver(drawLines).observe(map);
  document.addEventListener("click", onPress);
  setInterval(showCountdowns, 500);
  listen({
    world: showWorld,
    run: showRun,
    pulse: hear,
    lost: () => showNotice("The sandbox does not answer. The console connects again by itself."),
  });
}

/** A tab with raw state follows what happens, unless somebody reads or types in it. */
function followRaw(raw) {
  let timer = 0;
  const refresh = async () => {
    if (raw.querySelector("details[open]") || raw.contains(document.activeElement)) return;
    const answer = await fetch(location.href).catch(() => null);
    if (!answer?.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    raw.replaceChildren(...page.querySelector("[data-raw]").childNodes);
  };
  listen({
    pulse: () => {
      clearTimeout(timer);
      timer = setTimeout(() => void refresh(), 400);
    },
  });
}

if (map) startMap();
else {
  const raw = document.querySelector("[data-raw]");
  if (raw) followRaw(raw);
}
