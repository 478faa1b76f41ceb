// The console in the browser: its buttons, and the sandbox's event stream.
import { showCall } from "./calls.js";
import { announce, showNotice } from "./dom.js";
import { drawLines } from "./lines.js";
import { showRun } from "./story.js";
import { showCountdowns, showWorld } from "./world.js";

const LOST = "The sandbox does not answer. The console connects again by itself.";

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
    showNotice(LOST);
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
  const map = document.getElementById("map");
  drawLines();
  new ResizeObserver(drawLines).observe(map);
  document.addEventListener("click", onPress);
  setInterval(showCountdowns, 500);
  listen({
    world: showWorld,
    run: showRun,
    pulse: showCall,
    lost: () => showNotice(LOST),
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

if (document.getElementById("map")) startMap();
else {
  const raw = document.querySelector("[data-raw]");
  if (raw) followRaw(raw);
}
