// The lines between the boxes of the map.
import { calm, nodeOf } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const lines = new Map();

export function drawLines() {
  const map = document.getElementById("map");
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

/** Shows a call on its way; `direction` is `out`, or `back` towards the service. */
export function travel(name, direction) {
  const run = lines.get(name)?.run;
  if (!run || calm.matches) return;
  run.classList.remove("out", "back");
  run.getBoundingClientRect();
  run.classList.add(direction);
}

/** A line to a system that fails is dashed. */
export const markLine = (name, mode) => lines.get(name)?.base.setAttribute("class", `base ${mode}`);
