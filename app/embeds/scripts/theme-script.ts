// The theme's own script: puts the app's pages into the places that the theme keeps for them, and takes a
// sign-in home. What it does not manage is still there as a link.
import type { StoreWindow } from "./window-globals.ts";

const { path, locale, banner, crmChoices } = (
  document.querySelector("[data-crm-theme]") as HTMLElement
).dataset;
const query = `?locale=${encodeURIComponent(locale as string)}`;
const FOOTER = "[data-crm-embed=footer]";
/** In a theme where another banner asks, only the links are ours. */
const isAsking = banner === "true";
const UNWANTED = isAsking ? "noscript" : "noscript,.crm-banner";
/** The store's own page comes first; the banner waits for it, and no longer than this. */
const BANNER_WAIT_MS = 3_000;

// The banner's script, which also follows the store's own record of consent.
if (crmChoices) {
  const choices = document.createElement("script");
  choices.src = crmChoices;
  document.head.append(choices);
}

/**
 * A script that was parsed elsewhere runs in no browser when it is put into the page: each one is made
 * anew. What is there for readers without scripts was parsed as if for them.
 */
function insert(place: Element, root: Node): void {
  const own = document.importNode(root as Element | DocumentFragment, true);
  for (const part of own.querySelectorAll(UNWANTED)) part.remove();
  for (const parsed of own.querySelectorAll("script")) {
    const script = document.createElement("script");
    for (const { name, value } of parsed.attributes) script.setAttribute(name, value);
    script.async = false;
    script.text = parsed.text;
    parsed.replaceWith(script);
  }
  place.replaceChildren(own);
}

async function fill(place: HTMLElement): Promise<void> {
  const name = encodeURIComponent(place.dataset.crmEmbed as string);
  const page = await fetch(`${path}/embed/${name}${query}`);
  if (!page.ok) return;
  const root = new DOMParser()
    .parseFromString(await page.text(), "text/html")
    .querySelector("[data-crm-root]");
  if (root) insert(place, root);
}

const elementsOf = (selector: string) => document.querySelectorAll<HTMLElement>(selector);
const fillAll = (selector: string) =>
  elementsOf(selector).forEach((place) => void fill(place).catch(() => {}));

let isPlaced = false;
function placeFooter(): void {
  if (isPlaced) return;
  isPlaced = true;
  if (isAsking && !document.querySelector(FOOTER)) {
    const place = document.createElement("div");
    place.dataset.crmEmbed = "footer";
    document.body.append(place);
  }
  // The page has the footer with its banner where the app's metafield has it.
  const written = document.querySelector<HTMLTemplateElement>("template[data-crm-footer]");
  if (!written) return fillAll(FOOTER);
  for (const place of elementsOf(FOOTER)) insert(place, written.content);
  (window as StoreWindow)._crmChoices?.();
}

fillAll(`[data-crm-embed]:not(${FOOTER})`);
if (document.readyState === "complete" || performance.now() > BANNER_WAIT_MS) placeFooter();
else {
  addEventListener("load", () => setTimeout(placeFooter));
  setTimeout(placeFooter, BANNER_WAIT_MS);
}

// A sign-in elsewhere comes back with a one-time code in the address's fragment. It takes the verifier that
// this tab kept when it left: a link with somebody else's code would sign the reader in as that person.
/** shopper/session.ts uses the same keys. */
const VERIFIER = "crm_sign_in";
const TOKEN = "crm_session";
const EXCHANGE_AGAIN_MS = 3_000;

/** Links of the theme itself to a sign-in: they send the verifier's SHA-256 along. */
async function prepareHandOff(): Promise<void> {
  if (!crypto.subtle) return;
  const kept = crypto.randomUUID();
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(kept));
  const challenge = btoa(String.fromCharCode(...new Uint8Array(digest)))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace("=", "");
  document.addEventListener(
    "click",
    ({ target }) => {
      const link = (target as Element).closest?.<HTMLAnchorElement>('a[href*="handoff=fragment"]');
      if (!link || link.href.includes("handoff_challenge=")) return;
      link.href += `&handoff_challenge=${challenge}`;
      sessionStorage[VERIFIER] = kept;
    },
    true,
  );
}
void prepareHandOff();

const code = /[#&]session_code=([\w-]{1,100})/.exec(location.hash)?.[1];
const verifier = code && (sessionStorage[VERIFIER] as string | undefined);
/** Again while nothing decides, as in an outage: the code is used up with the service's answer. */
async function exchange(): Promise<void> {
  try {
    const answer = await fetch(`${path}/auth/session`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ code, handoff_verifier: verifier }),
    });
    if (answer.status > 428) throw answer;
    const { token } = (await answer.json()) as { token?: string };
    if (token) sessionStorage[TOKEN] = token;
    document.dispatchEvent(new Event("crm:session"));
  } catch {
    setTimeout(() => void exchange(), EXCHANGE_AGAIN_MS);
  }
}
if (verifier) {
  delete sessionStorage[VERIFIER];
  history.replaceState(null, "", location.pathname + location.search);
  void exchange();
}
