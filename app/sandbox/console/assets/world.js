// The state of the service and of each system: switches, circuits, what waits and until when.
import { announce, labelOf, nodeOf, showNotice } from "./dom.js";
import { markLine } from "./lines.js";

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

export function showWorld(next) {
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
    markLine(system.system, system.mode);
    for (const button of box.querySelectorAll("[data-mode]"))
      button.setAttribute("aria-pressed", String(button.dataset.mode === system.mode));
    if (earlier && earlier.mode !== system.mode)
      announce(`${labelOf(system.system)} ${MODE_TEXT[system.mode]}.`);
    if (earlier && earlier.circuit !== system.circuit)
      announce(`${labelOf(system.system)}: circuit ${system.circuit}.`);
  }
  showCountdowns();
}

export function showCountdowns() {
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
