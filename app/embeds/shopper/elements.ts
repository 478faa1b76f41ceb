// Builds DOM elements. Texts are untrusted (names, tags, titles) and are always set as text, never
// as markup.
import { fill, WORDS } from "./page-data.ts";

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

/** "Label: value", with the space before the colon that French has. */
export const labelled = (label: string, value: string): string =>
  fill(WORDS.labelled, { label, value });

/** An untrusted text in its own `bdi` element, which isolates its direction. */
export const isolated = (text: string): HTMLElement => el("bdi", {}, text);

const app = () => document.getElementById("crm-app") as HTMLElement;
/** Within the page's own root: the theme around it may have the same ids. */
const ownElement = (id: string) =>
  app().closest("[data-crm-root]")?.querySelector<HTMLElement>(`#${id}`);

/**
 * Replaces the current view. The title gets the focus when the shopper caused the change, so that a
 * screen reader starts there.
 */
export function show(view: Child[], options: { focus: boolean }): void {
  app().replaceChildren(
    ...view.filter((child) => child !== null && child !== undefined && child !== false),
  );
  app().setAttribute("aria-busy", "false");
  if (options.focus) ownElement("crm-title")?.focus();
}

/** Announces the text in the page's live region. */
export function announce(text: string): void {
  const place = ownElement("crm-live");
  if (place) place.textContent = text;
}

export const problem = (text: string): HTMLElement =>
  el("p", { class: "error", role: "alert" }, text);

/** Why `act` failed is shown behind the button, until the next attempt. */
export function button(
  text: string,
  act: (button: HTMLButtonElement) => Promise<unknown> | void,
  attributes: Attributes = {},
): HTMLButtonElement {
  let failure: HTMLElement | null = null;
  const attempt = async () => {
    failure?.remove();
    failure = null;
    try {
      await act(made);
    } catch (error) {
      failure = problem(error instanceof Error ? error.message : WORDS.failed);
      made.after(failure);
    }
  };
  const made: HTMLButtonElement = el(
    "button",
    { type: "button", ...attributes, click: () => void busyWhile(made, attempt) },
    text,
  );
  return made;
}

/**
 * Ignores further clicks while `work` runs. Uses aria-disabled, because `disabled` would lose the
 * focus.
 */
export async function busyWhile(control: HTMLElement, work: () => Promise<unknown>): Promise<void> {
  if (control.getAttribute("aria-disabled") === "true") return;
  control.setAttribute("aria-disabled", "true");
  try {
    await work();
  } finally {
    control.removeAttribute("aria-disabled");
  }
}

/** Why the page cannot be shown now, with a button that tries again. */
export const failedView = (error: unknown, again: () => Promise<unknown>): HTMLElement =>
  el(
    "div",
    { class: "card" },
    problem(error instanceof Error ? error.message : WORDS.failed),
    button(WORDS.tryAgain, again, { class: "plain" }),
  );

/** A dashboard section: its heading, and a place that is filled later. */
export function createSection(
  id: string,
  title: string,
  note: string | null = null,
): { section: HTMLElement; place: HTMLElement } {
  const place = el("div", { "aria-busy": "true" }, el("p", { class: "quiet" }, WORDS.loading));
  return {
    section: el(
      "section",
      { id: `crm-${id}`, class: "card", "aria-labelledby": `crm-${id}-title` },
      el("h2", { id: `crm-${id}-title`, tabindex: "-1" }, title),
      note && el("p", { class: "quiet" }, note),
      place,
    ),
    place,
  };
}

/** Fills a section, or shows the error with a retry button. */
export async function fillSection(place: HTMLElement, load: () => Promise<Child[]>): Promise<void> {
  place.setAttribute("aria-busy", "true");
  try {
    const children = await load();
    place.replaceChildren(
      ...children.filter((child) => child !== null && child !== undefined && child !== false),
    );
  } catch (error) {
    place.replaceChildren(
      problem(error instanceof Error ? error.message : WORDS.failed),
      button(WORDS.tryAgain, () => fillSection(place, load), { class: "plain" }),
    );
  }
  place.setAttribute("aria-busy", "false");
}

/** Saves fetched text as a file: a plain link could not send the session's bearer token. */
export function saveFile(name: string, type: string, text: string): void {
  const href = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  URL.revokeObjectURL(href);
}
