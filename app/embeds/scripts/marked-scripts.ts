// Scripts and frames of others that wait for the shopper's consent: `data-consent` names their purposes, and
// each of them must be allowed.
//
//   <script type="text/plain" data-consent="marketing" data-src="https://..."></script>, or with code inside
//   <iframe data-consent="analytics marketing" data-src="https://..."></iframe>
import { QUESTION_OF } from "../../domain/vendors/mark-purposes.ts";
import { RUNNABLE_TYPE } from "../../domain/vendors/script-type.ts";
import { attempt } from "./browser-store.ts";
import { hasGpc, type ConsentApi } from "./window-globals.ts";

const MARKED = "script[type='text/plain'][data-consent],iframe[data-consent][data-src]";
/** By any name that a page may have written. */
const QUESTIONS: Record<string, "cookie" | "marketing" | undefined> = QUESTION_OF;
/** How long the later ones wait for a host that does not answer. */
const PATIENCE_MS = 3_000;
type Marked = HTMLScriptElement | HTMLIFrameElement;

/** Empty for a script with its code inside. */
const addressOf = (one: Marked) => one.dataset.src ?? one.getAttribute("src") ?? "";

/** Code may be in an address, as in `data:`: such an address is never loaded. */
const isLoadable = (address: string) =>
  !address ||
  ["http:", "https:"].includes(attempt(() => new URL(address, document.baseURI).protocol) ?? "");

/** Resolves when a script that later ones may need has run. */
function activate(one: Marked): Promise<unknown> | undefined {
  const address = addressOf(one);
  if (one instanceof HTMLIFrameElement) {
    delete one.dataset.consent;
    one.src = address;
    return undefined;
  }
  // What was parsed as plain text never runs: the script is made anew.
  const script = document.createElement("script");
  for (const attribute of one.attributes)
    if (!/^(type|src|data-(consent|src|type))$/.test(attribute.name))
      script.setAttributeNode(attribute.cloneNode() as Attr);
  // Its attribute is empty once the browser has read it.
  script.nonce = one.nonce;
  script.type = one.dataset.type ?? "";
  script.async = one.hasAttribute("async");
  if (address) script.src = address;
  else script.text = one.text;
  const isAwaited = address && !script.async && !script.noModule && RUNNABLE_TYPE.test(script.type);
  const done = new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    for (const moment of ["load", "error"]) script.addEventListener(moment, end);
  });
  one.replaceWith(script);
  return isAwaited ? done : undefined;
}

/** In the page's order, each once, as soon as it is allowed. Nothing ends what runs already. */
export function activateMarked(consent: ConsentApi): void {
  const isAllowed = (purpose: string) => {
    const question = QUESTIONS[purpose];
    return (
      !!question && !(hasGpc && question === "marketing") && consent.holds?.(question) === true
    );
  };
  const isReady = (one: Marked) =>
    (one.dataset.consent ?? "").trim().split(/\s+/).every(isAllowed) && isLoadable(addressOf(one));
  const findReady = () => [...document.querySelectorAll<Marked>(MARKED)].find(isReady);
  let isBusy = false;
  const work = async () => {
    // A script that is still being parsed has half of its code.
    if (isBusy || document.readyState === "loading") return;
    isBusy = true;
    try {
      for (let one = findReady(); one; one = findReady()) await activate(one);
    } finally {
      isBusy = false;
    }
  };
  const { imply } = consent;
  consent.imply = (flags) => {
    imply?.(flags);
    void work();
  };
  for (const moment of ["DOMContentLoaded", "crm:choice"])
    document.addEventListener(moment, () => void work());
  // Parts of the page that arrive later.
  new MutationObserver(() => void work()).observe(document, { childList: true, subtree: true });
  void work();
}
