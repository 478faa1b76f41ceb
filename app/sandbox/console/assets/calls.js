// Calls on their way: they light the boxes, and each box shows its last answer.
import { answerText, calm, nodeOf } from "./dom.js";
import { travel } from "./lines.js";

/** Real calls take a few milliseconds: the map shows one after the other. */
const HOP_MS = 170;
const ANSWER_MS = 60;
const LIT_MS = 1500;
/** More than so many waiting calls are shown at once. */
const MAX_WAITING = 16;

const isGood = (status) => status !== null && status < 400;
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
  setTimeout(play, calm.matches || document.hidden || pulses.length > MAX_WAITING ? 0 : gap);
}

export function showCall(pulse) {
  pulses.push(pulse);
  if (!isPlaying) play();
}
