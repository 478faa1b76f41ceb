// The base of the platform's web components in the sandbox. An element takes the attributes and values that the
// vendor's types know; anything else is an error, as a mistake here would be invisible until it is deployed.
import { VENDOR_ELEMENTS } from "../vendor-elements.ts";
import { SHEET } from "./style.ts";

export type Surface = keyof typeof VENDOR_ELEMENTS;
type Values = "text" | "flag" | "number" | "event" | readonly string[];
type Attributes = Readonly<Record<string, Values>>;

/** Draws into the shadow; the function that it returns is called whenever an attribute changes. */
export type Drawing = (element: HostElement, shadow: ShadowRoot) => (() => void) | void;

/** Every element has them. */
const COMMON = new Set(["id", "slot", "key"]);
/** Attributes of an HTML element that the platform's elements do not have. */
const FORBIDDEN = [
  "className",
  "style",
  "innerHTML",
  "outerHTML",
  "innerText",
  "title",
  "tabIndex",
];

function reportError(message: string): never {
  const error = new Error(message);
  globalThis.reportError(error);
  throw error;
}

const toText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

export class HostElement extends HTMLElement {
  readonly #values = new Map<string, unknown>();
  #update: (() => void) | undefined;
  #isWaiting = false;

  connectedCallback(): void {
    if (!this.shadowRoot) {
      const shadow = this.attachShadow({ mode: "open", delegatesFocus: true });
      shadow.adoptedStyleSheets = [SHEET];
      this.#update = drawings.get(this.localName)?.(this, shadow) ?? undefined;
    }
    this.#update?.();
  }

  readText(name: string): string {
    return toText(this.#values.get(name));
  }

  readFlag(name: string): boolean {
    const value = this.#values.get(name);
    return value === true || value === name || value === "true";
  }

  /** Stores what the person entered, without drawing the element again. */
  keepValue(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  readValue(name: string): unknown {
    return this.#values.get(name);
  }

  writeValue(name: string, value: unknown): void {
    const known = attributesOf(this.localName)[name] as Values;
    const isOneOf = typeof known === "object" && value !== "" && value !== null;
    if (isOneOf && value !== undefined && !known.includes(toText(value)))
      reportError(
        `<${this.localName} ${name}="${toText(value)}">: the platform knows ${known.join(", ")}`,
      );
    this.#values.set(name, value);
    if (name === "hidden") this.toggleAttribute("data-hidden", this.readFlag("hidden"));
    if (!this.#update || this.#isWaiting) return;
    this.#isWaiting = true;
    queueMicrotask(() => {
      this.#isWaiting = false;
      this.#update?.();
    });
  }

  override setAttribute(name: string, value: string): void {
    if (COMMON.has(name) || name.startsWith("data-")) return super.setAttribute(name, value);
    const lower = name.toLowerCase();
    const known = Object.keys(attributesOf(this.localName)).find(
      (one) => one.toLowerCase() === lower && !one.startsWith("on"),
    );
    if (!known) return reportError(`<${this.localName}> has no attribute ${name}`);
    if (lower === "lang" || lower === "dir") super.setAttribute(lower, value);
    // As an attribute a flag is there or not; as a property an empty text is none.
    const isFlag = attributesOf(this.localName)[known] === "flag";
    return this.writeValue(known, isFlag ? value !== "false" : value);
  }

  override removeAttribute(name: string): void {
    super.removeAttribute(name);
    const lower = name.toLowerCase();
    const known = Object.keys(attributesOf(this.localName)).find(
      (one) => one.toLowerCase() === lower,
    );
    if (known && !COMMON.has(known)) this.writeValue(known, undefined);
  }

  override addEventListener(type: string, ...rest: unknown[]): void {
    const isKnown = Object.keys(attributesOf(this.localName)).some(
      (one) => one.toLowerCase() === `on${type.toLowerCase()}`,
    );
    if (!isKnown && !isOurs) reportError(`<${this.localName}> has no event ${type}`);
    super.addEventListener(
      type.toLowerCase(),
      ...(rest as [EventListener, AddEventListenerOptions?]),
    );
  }

  /** Adds a listener to the drawn element. */
  listen(type: string, listener: (event: Event) => void): void {
    super.addEventListener(type, listener);
  }
}

let surface: Surface = "customerAccount";
/** While the drawing itself adds listeners. */
let isOurs = false;
const drawings = new Map<string, Drawing>();

const attributesOf = (tag: string): Attributes =>
  (VENDOR_ELEMENTS[surface] as Record<string, Attributes>)[tag] ?? {};

/** Defines the surface's elements; each must be drawn, and each drawing must be of an element. */
export function defineElements(wanted: Surface, drawn: Record<string, Drawing>): void {
  surface = wanted;
  for (const [tag, attributes] of Object.entries(VENDOR_ELEMENTS[surface]) as [
    string,
    Attributes,
  ][]) {
    const drawing = drawn[tag];
    if (!drawing) throw new Error(`The sandbox does not draw <${tag}>`);
    drawings.set(tag, (element, shadow) => {
      isOurs = true;
      try {
        return drawing(element, shadow);
      } finally {
        isOurs = false;
      }
    });
    class Defined extends HostElement {}
    for (const [name, values] of Object.entries(attributes)) {
      if (COMMON.has(name) || name === "lang" || name === "dir") continue;
      if (values === "event")
        // Preact looks here for the name of the event.
        Object.defineProperty(Defined.prototype, name.toLowerCase(), { value: null });
      else
        Object.defineProperty(Defined.prototype, name, {
          configurable: true,
          get(this: HostElement) {
            return values === "flag" ? this.readFlag(name) : this.readValue(name);
          },
          set(this: HostElement, value: unknown) {
            this.writeValue(name, value);
          },
        });
    }
    for (const name of FORBIDDEN)
      Object.defineProperty(Defined.prototype, name, {
        get: () => reportError(`<${tag}> has no ${name}`),
        set() {
          reportError(`<${tag}> has no ${name}`);
        },
      });
    customElements.define(tag, Defined);
  }
}

export const isKnownElement = (tag: string): boolean => tag in VENDOR_ELEMENTS[surface];
