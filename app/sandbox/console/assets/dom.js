// What the parts of the map share: elements, the boxes by name, and what is read out.

const MAX_ANNOUNCEMENTS = 30;
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** Text only, never HTML: names and bodies are other people's. */
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {}))
    if (value !== false && value !== null) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** For the live region of screen readers. */
export function announce(text) {
  const announcer = document.getElementById("announcer");
  announcer.append(element("span", {}, `${text} `));
  while (announcer.childElementCount > MAX_ANNOUNCEMENTS) announcer.firstElementChild.remove();
}

/** The line above the map; empty: none. */
export function showNotice(text) {
  const notice = document.getElementById("notice");
  if (notice.textContent === text) return;
  notice.textContent = text;
  notice.classList.toggle("shown", text !== "");
}

export const nodeOf = (name) => document.querySelector(`[data-node="${CSS.escape(name)}"]`);
export const labelOf = (name) => nodeOf(name)?.getAttribute("aria-label") ?? "Somebody";
export const answerText = (status, ms) => `${status ?? "no answer"} · ${Math.round(ms)} ms`;
