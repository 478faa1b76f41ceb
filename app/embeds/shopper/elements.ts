// Elements made by hand. There is no way in here from text to markup: names, tags and titles are somebody else's words.
import { WORDS } from "./page-data.ts";

export type Child = Node | string | null | false | undefined;
type Attributes = Record<string, string | boolean | ((event: Event) => void) | null | undefined>;

export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (typeof value === "string") element.setAttribute(key, value);
  }
  element.append(
    ...children.filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** Somebody else's word, in an element that keeps its direction to itself. */
export const said = (text: string): HTMLElement => el("bdi", {}, text);

const app = () => document.getElementById("crm-app") as HTMLElement;

/** Puts a view in place of what was there. The title is focused when the person caused it, so that a reader begins there. */
export function show(view: Child[], options: { focus: boolean }): void {
  app().replaceChildren(
    ...view.filter((child) => child !== null && child !== undefined && child !== false),
  );
  app().setAttribute("aria-busy", "false");
  if (options.focus) document.getElementById("crm-title")?.focus();
}

/** Says it to everybody, in the one place that is listened to. */
export function say(text: string): void {
  const place = document.getElementById("crm-said");
  if (place) place.textContent = text;
}

export const problem = (text: string): HTMLElement =>
  el("p", { class: "error", role: "alert" }, text);

export function button(
  text: string,
  act: (button: HTMLButtonElement) => Promise<unknown> | void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const made: HTMLButtonElement = el(
    "button",
    { type: "button", ...attributes, click: () => void busyWhile(made, async () => act(made)) },
    text,
  );
  return made;
}

/** One press at a time. Not `disabled`: that would take the focus away. */
export async function busyWhile(control: HTMLElement, work: () => Promise<unknown>): Promise<void> {
  if (control.getAttribute("aria-disabled") === "true") return;
  control.setAttribute("aria-disabled", "true");
  try {
    await work();
  } finally {
    control.removeAttribute("aria-disabled");
  }
}

/** A part of the dashboard: its heading, and a place whose content comes later. */
export function part(
  id: string,
  title: string,
  note: string | null = null,
): { section: HTMLElement; place: HTMLElement } {
  const place = el("div", { "aria-busy": "true" }, el("p", { class: "quiet" }, WORDS.loading));
  return {
    section: el(
      "section",
      { id: `crm-${id}`, "aria-labelledby": `crm-${id}-title` },
      el("h2", { id: `crm-${id}-title`, tabindex: "-1" }, title),
      note && el("p", { class: "quiet" }, note),
      place,
    ),
    place,
  };
}

/** Fills a part, or says that it could not be had, with a way to try again. */
export async function fillPart(place: HTMLElement, load: () => Promise<Child[]>): Promise<void> {
  place.setAttribute("aria-busy", "true");
  try {
    const children = await load();
    place.replaceChildren(
      ...children.filter((child) => child !== null && child !== undefined && child !== false),
    );
  } catch (error) {
    place.replaceChildren(
      problem(error instanceof Error ? error.message : WORDS.failed),
      button(WORDS.tryAgain, () => fillPart(place, load), { class: "plain" }),
    );
  }
  place.setAttribute("aria-busy", "false");
}

/** A file for the person, from what was fetched with the session: an address could not carry it. */
export function saveFile(name: string, type: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  URL.revokeObjectURL(href);
}
