// Holds back scripts, frames and pictures of known vendors until the shopper agrees: the first script of a page, in
// stores that switched it on. It only changes them into the marked form that marked-scripts.ts starts; there each one
// runs once, in the page's order. Whatever fails here leaves the page as it was.
//
//   the page's own scripts   the observer gets them before they run (HTML standard, end of a script element)
//   later ones               the functions that insert them, and those that set an address
import type { BlockerValues } from "../../domain/tenants/storefront/blocker-values.ts";
import { toHolder } from "../../domain/vendors/held-addresses.ts";
import { RUNNABLE_TYPE } from "../../domain/vendors/script-type.ts";
import { CONSENT_KEY } from "../storage-keys.ts";
import { attempt, readChoice } from "./browser-store.ts";
import { hasGpc, type StoreWindow } from "./window-globals.ts";

/** sessionStorage: when a region allowed what without a question, for the next page until its region is known. */
const FREE_KEY = "crm_free";
const FREE_MS = 1_800_000;

type Question = "cookie" | "marketing";
type Held = HTMLScriptElement | HTMLIFrameElement | HTMLImageElement;
type Method = (this: unknown, ...args: unknown[]) => unknown;

const win = window as StoreWindow & { _crmHeld?: (() => void)[] };
const [months, ownTag, groups] = JSON.parse(
  (document.currentScript as HTMLElement).dataset.crmHeld as string,
) as BlockerValues;
const [ofAddress, ofCode] = [toHolder(groups), toHolder(groups, 2)];

function isAllowed(purpose: string): boolean {
  const question: Question = purpose === "marketing" ? purpose : "cookie";
  if (hasGpc && question === "marketing") return false;
  const chosen = (win._crmConsent?.read() ?? readChoice(CONSENT_KEY, months))?.[question];
  const now = win._crmConsent?.holds?.(question) ?? chosen;
  const free = attempt(() => JSON.parse(sessionStorage[FREE_KEY]) as Record<Question, number>);
  // Without a choice, a region allowed it.
  if (now && chosen === undefined)
    attempt(() => (sessionStorage[FREE_KEY] = JSON.stringify({ ...free, [question]: Date.now() })));
  return now ?? Date.now() - (free?.[question] as number) < FREE_MS;
}

/** The purposes that are missing a consent. */
function missing(address: string, find = ofAddress): string | undefined {
  const url = new URL(address, document.baseURI);
  const isOwn = ownTag && url.href.includes("/gtag/js?id=" + ownTag);
  const purposes = isOwn ? "" : find(url);
  return purposes && !purposes.split(" ").every(isAllowed) ? purposes : undefined;
}
const missingInCode = (code: string) => {
  for (const [, host] of code.matchAll(/\/\/([\w.-]+)/g)) {
    const purposes = attempt(() => missing("https://" + host, ofCode));
    if (purposes) return purposes;
  }
  return undefined;
};

/** Ran already, or will: it is not made to run a second time. */
const passed = new WeakSet<object>();
const waiting = new WeakSet<object>();
/** The platform's lists of addresses: each of them waits by itself. */
const PLATFORM = /asyncLoad|web-pixels-manager/;

function hold(script: HTMLScriptElement, address = script.getAttribute("src")): void {
  if (passed.has(script) || !RUNNABLE_TYPE.test(script.type)) return;
  const code = script.id + script.text;
  const purposes = address ? missing(address) : !PLATFORM.test(code) && missingInCode(code);
  if (!purposes) return;
  if (script.type) script.dataset.type = script.type;
  script.dataset.consent = purposes;
  script.type = "text/plain";
  waiting.add(script);
}

/** Returns whether it keeps its address for later. */
function keeps(one: Held, address: string, native: (value: string) => void): boolean {
  if (one instanceof HTMLScriptElement) {
    // Its insertion is what counts; once it is in the page, an address starts it.
    if (one.isConnected) hold(one, address);
    return false;
  }
  const purposes = missing(address);
  if (one instanceof HTMLIFrameElement) {
    if (purposes) {
      waiting.add(one);
      one.dataset.consent = purposes;
      one.dataset.src = address;
    } else if (waiting.delete(one)) delete one.dataset.consent;
  } else if (purposes) {
    // A picture is requested without being in the page: a marked script does it.
    const held = (win._crmHeld ||= []);
    const script = document.createElement("script");
    script.type = "text/plain";
    script.dataset.consent = purposes;
    script.text = `_crmHeld[${held.push(() => native(address)) - 1}]()`;
    document.head.append(script);
  }
  return !!purposes;
}

function check(one: unknown): void {
  if (one instanceof HTMLScriptElement) hold(one);
  else if (one instanceof HTMLIFrameElement || one instanceof HTMLImageElement) {
    const address = one.getAttribute("src");
    if (!address || !missing(address)) return;
    if (one instanceof HTMLIFrameElement && one.isConnected) one.src = "about:blank";
    else one.removeAttribute("src");
    keeps(one, address, (value) => (one.src = value));
  }
}
const inside = (node: unknown) =>
  (node as Partial<ParentNode>).querySelectorAll?.("script,iframe,img") ?? [];
function checkAll(_self: unknown, nodes: unknown[]): void {
  for (const node of nodes) for (const one of [node, ...inside(node)]) check(one);
}

/** `before` returns true where the native function must not act. */
function wrap(
  { prototype }: { prototype: object },
  names: string,
  before: (self: unknown, args: unknown[], native: Method) => boolean | void,
): void {
  const table = prototype as Record<string, Method | undefined>;
  for (const name of names.split(" ")) {
    const native = table[name];
    if (native)
      table[name] = function (...args) {
        return attempt(() => before(this, args, native)) ? undefined : native.apply(this, args);
      };
  }
}

wrap(Node, "appendChild insertBefore replaceChild", checkAll);
for (const one of [Element, Document, DocumentFragment])
  wrap(one, "append prepend replaceChildren", checkAll);
for (const one of [Element, CharacterData]) wrap(one, "before after replaceWith", checkAll);
wrap(Element, "insertAdjacentElement", checkAll);
wrap(Range, "insertNode", checkAll);
// The script in its stead is another element: its events are dispatched at this one too, for code that waits for them.
wrap(HTMLScriptElement, "replaceWith", (self, [next]) => {
  const script = self as HTMLScriptElement;
  if (!waiting.has(script)) return;
  for (const moment of ["load", "error"]) {
    script.removeAttribute("on" + moment);
    (next as Element).addEventListener(moment, () => script.dispatchEvent(new Event(moment)));
  }
});
wrap(
  Element,
  "setAttribute",
  (self, [name, value], native) =>
    /^(script|iframe|img)$/.test((self as Element).localName) &&
    /^src$/i.test(name as string) &&
    keeps(self as Held, String(value), (address) => native.call(self, "src", address)),
);
for (const { prototype } of [HTMLScriptElement, HTMLIFrameElement, HTMLImageElement]) {
  const native = Object.getOwnPropertyDescriptor(prototype, "src") as PropertyDescriptor;
  Object.defineProperty(prototype, "src", {
    ...native,
    set(this: Held, value: unknown) {
      const set = (address: unknown) => native.set?.call(this, address);
      if (!attempt(() => keeps(this, String(value), set))) set(value);
    },
  });
}

/** The first of two attributes of one name counts. */
const marked = (text: unknown) =>
  String(text).replace(/<(script|iframe)\b([^>]*)/gi, (tag: string, name: string, rest: string) => {
    const address = /\ssrc\s*=\s*["']?([^"'\s>]+)/i.exec(rest)?.[1];
    const purposes = address && attempt(() => missing(address));
    if (!purposes) return tag;
    return /s/i.test(name)
      ? `<script type="text/plain" data-consent="${purposes}"${rest}`
      : `<iframe data-consent="${purposes}"${rest.replace(/\ssrc\b/i, " data-src")}`;
  });
wrap(Document, "write writeln", (_self, parts) => {
  parts.forEach((part, at) => (parts[at] = marked(part)));
});

new MutationObserver((records) => {
  // The observer gets a script before it runs only when the parser inserts it.
  const isParsing = document.readyState === "loading";
  for (const { target, addedNodes } of records) {
    // The code of a script may arrive in pieces.
    const changed = target.nodeType === Node.TEXT_NODE ? target.parentNode : target;
    if (isParsing && changed instanceof HTMLScriptElement) attempt(() => hold(changed));
    for (const node of addedNodes)
      for (const one of [node, ...inside(node)]) {
        const isScript = one instanceof HTMLScriptElement;
        if (isParsing || !isScript) attempt(() => check(one));
        if (isScript && one.hasAttribute("src") && !waiting.has(one)) passed.add(one);
      }
  }
}).observe(document, { childList: true, subtree: true, characterData: true });
