// Which scripts, frames, pixels and inline snippets of others a store's pages contain, and whether each
// waits for consent. Only what stands in the pages is seen: nothing runs here.
import { z } from "zod";
import { storableText } from "../../runtime/database/storable-json.ts";
import { carriesEmbed } from "../tenants/storefront/theme-links.ts";
import {
  appOfFile,
  findVendor,
  isShopify,
  type Purpose,
  type Vendor,
} from "../vendors/known-vendors.ts";
import { toHolder, type HeldGroup } from "../vendors/held-addresses.ts";
import { toMarkedVersion } from "./marked-version.ts";
import { readElements, type PageElement } from "./read-elements.ts";

/**
 * `before_consent`: loads whatever the shopper chose. `unknown`: so does a script of somebody who is not
 * on the list. `blocked`: waits although it is not marked. `necessary`: payment or security. Sorted by what
 * needs the merchant first.
 */
const SCRIPT_STATES = [
  "before_consent",
  "unknown",
  "google_consent_mode",
  "blocked",
  "waits",
  "necessary",
  "shopify",
] as const;
type ScriptState = (typeof SCRIPT_STATES)[number];

/** `sale_of_data` is a purpose of marks only. */
type ShownPurpose = Purpose | "sale_of_data";

/**
 * `mark`: replace it by the snippet. `mark_tag`: replace its opening tag by the snippet. `ask_app`: an
 * app loads it, so that it is in no theme file. `remove`: it loads where nobody can consent.
 * `cannot_wait`: it writes into the page while that is parsed. `fix_purpose`: it never starts.
 */
type Advice = "mark" | "mark_tag" | "ask_app" | "remove" | "cannot_wait" | "fix_purpose";

export type FoundScript = {
  kind: "script" | "inline" | "frame" | "image";
  /** Its name; of an app's file, the app's handle. */
  vendor: string | null;
  /** Host and path, never a query; empty for code without an address. */
  address: string;
  purposes: ShownPurpose[];
  state: ScriptState;
  /** The names of the pages that contain it. */
  pages: string[];
  advice: Advice | null;
  snippet: string | null;
};

export type CheckedPage = { name: string; url: string; html: string };

export type FoundScripts = {
  /** At most MAX_LISTED, those that need the merchant first. */
  scripts: FoundScript[];
  /** All that were found, by state; 5,000 of a page at most. */
  counts: Record<ScriptState, number>;
  hasEmbed: boolean;
};

const MAX_LISTED = 100;
/** Far more than a store's page has: a hostile one names a hundred thousand addresses. */
const MAX_OF_PAGE = 5_000;
const MAX_ADDRESS_LENGTH = 300;

/** `ours`: the origins of the store itself and of this service. */
export function findScripts(pages: readonly CheckedPage[], ours: readonly string[]): FoundScripts {
  const found = new Map<string, FoundScript>();
  for (const page of pages) {
    let ofPage = 0;
    for (const one of scriptsOf(page, ours)) {
      if (++ofPage > MAX_OF_PAGE) break;
      const key = JSON.stringify([one.kind, one.state, one.vendor, one.address, one.advice]);
      const known = found.get(key);
      if (!known) found.set(key, { ...one, pages: [page.name] });
      else if (!known.pages.includes(page.name)) known.pages.push(page.name);
    }
  }
  const counts = Object.fromEntries(SCRIPT_STATES.map((state) => [state, 0])) as Record<
    ScriptState,
    number
  >;
  for (const { state } of found.values()) counts[state] += 1;
  const scripts = [...found.values()].sort((a, b) => rankOf(a) - rankOf(b)).slice(0, MAX_LISTED);
  return { scripts, counts, hasEmbed: pages.some(({ html }) => carriesEmbed(html)) };
}

/** What every shopper's browser loads comes before what only browsers without scripts do. */
const rankOf = ({ state, advice }: FoundScript): number =>
  SCRIPT_STATES.indexOf(state) + (advice === "remove" ? 0.5 : 0);

type Found = Omit<FoundScript, "pages">;
type Place = {
  ours: readonly string[];
  base: string;
  /** The page has set the defaults of Google's consent mode before this element. */
  hasDefaults: boolean;
  /** Whether an address waits; null before the page's own script that holds it back. */
  isHeld: ((url: URL) => boolean) | null;
};

function* scriptsOf({ url, html }: CheckedPage, ours: readonly string[]): Generator<Found> {
  const { elements, base } = readElements(html);
  const place: Place = {
    ours,
    base: (base !== null && URL.parse(base, url)?.href) || url,
    hasDefaults: false,
    isHeld: null,
  };
  for (const element of elements) {
    if (element.name === "script") yield* fromScript(element, place);
    else if (element.name === "iframe") yield* fromFrame(element, place);
    else yield* fromImage(element, place);
    place.hasDefaults ||= SETS_DEFAULTS.test(element.code);
    place.isHeld ??= toHeld(element.attributes.get("data-crm-held"));
  }
}

/**
 * The values in a page, which anybody may have written: patterns are made of the addresses, so each is one. Ours
 * have 2,000 characters.
 */
const MAX_HELD_LENGTH = 10_000;
const HeldAddresses = z.string().regex(/^[\w./ -]*$/);
const HeldValues = z
  .tuple(
    [z.unknown(), z.unknown(), z.array(z.tuple([z.string(), HeldAddresses], z.unknown()))],
    z.unknown(),
  )
  .transform(([, , groups]) => groups.map(([purposes, held]): HeldGroup => [purposes, held]));

/** What the page itself holds back, which is what counts: its values may be older than the settings. */
function toHeld(values: string | undefined): Place["isHeld"] {
  if (values === undefined || values.length > MAX_HELD_LENGTH) return null;
  try {
    const purposesOf = toHolder(HeldValues.parse(JSON.parse(values)));
    return (url) => Boolean(purposesOf(url));
  } catch {
    return null;
  }
}

const SETS_DEFAULTS = /["']consent["']\s{0,9},\s{0,9}["']default["']/;
/** The types that a browser runs. */
const RUNS = /^(|module|(text|application)\/(x-)?(java|ecma|j|live)script[\d.]*)$/i;
/** The id that the platform gives to the script with the store's web pixels. */
const WEB_PIXELS = "web-pixels-manager-setup";

function* fromScript(element: PageElement, place: Place): Generator<Found> {
  const { attributes, code } = element;
  const type = attributes.get("type")?.trim() ?? "";
  const mark = attributes.get("data-consent");
  if (type === "text/plain" && mark !== undefined)
    return yield* marked("script", element, mark, place);
  if (!RUNS.test(type)) return;
  if (attributes.has("src")) return yield* fromAddress("script", element, place);
  if (attributes.get("id") === WEB_PIXELS)
    yield { ...SHOPIFYS, kind: "inline", address: WEB_PIXELS };
  else if (code.includes("asyncLoad") && code.includes(APP_SCRIPTS))
    yield* fromAppScripts(code, place);
  else yield* fromCode(element, place);
}

const SHOPIFYS = {
  vendor: "Shopify",
  purposes: [],
  state: "shopify",
  advice: null,
  snippet: null,
} as const satisfies Partial<Found>;

function* fromFrame(element: PageElement, place: Place): Generator<Found> {
  const mark = element.attributes.get("data-consent");
  if (element.attributes.has("src")) yield* fromAddress("frame", element, place);
  else if (mark !== undefined && element.attributes.has("data-src"))
    yield* marked("frame", element, mark, place);
}

/** A picture of others is a pixel when nobody sees it. */
function* fromImage(element: PageElement, place: Place): Generator<Found> {
  const { attributes, isInNoscript } = element;
  const isTiny = ["width", "height"].every((side) => Number(attributes.get(side) ?? 9) <= 1);
  const isHidden = /(?:display:\s{0,9}none|visibility:\s{0,9}hidden)/i.test(
    attributes.get("style") ?? "",
  );
  if (isTiny || isHidden || isInNoscript) yield* fromAddress("image", element, place);
}

function* fromAddress(
  kind: "script" | "frame" | "image",
  element: PageElement,
  place: Place,
): Generator<Found> {
  const url = toUrl(element.attributes.get("src") ?? "", place);
  if (!url || place.ours.includes(url.origin)) return;
  const address = shownAddress(url);
  const app = isShopify(url) ? appOfFile(url) : null;
  if (app !== null)
    yield {
      kind,
      vendor: app,
      address,
      purposes: [],
      state: "unknown",
      advice: "ask_app",
      snippet: null,
    };
  else if (isShopify(url)) yield { ...SHOPIFYS, kind, address };
  else yield judged(kind, element, findVendor(url), address, place);
}

/** What the platform loads for apps that registered a script: a list of addresses in a script of its own. */
const APP_SCRIPTS = "var urls = [";

function* fromAppScripts(code: string, place: Place): Generator<Found> {
  for (const written of listIn(code)) {
    const url = toUrl(written, place);
    if (!url || place.ours.includes(url.origin)) continue;
    const vendor = findVendor(url);
    const state = place.isHeld?.(url) ? "blocked" : stateOf(vendor, place.hasDefaults);
    const needsApp = state === "before_consent" || state === "unknown";
    yield {
      kind: "script",
      vendor: vendor?.name ?? null,
      address: shownAddress(url),
      purposes: [...(vendor?.purposes ?? [])],
      state,
      advice: needsApp ? "ask_app" : null,
      snippet: null,
    };
  }
}

function listIn(code: string): string[] {
  const start = code.indexOf(APP_SCRIPTS) + APP_SCRIPTS.length - 1;
  try {
    const value: unknown = JSON.parse(code.slice(start, code.indexOf("]", start) + 1));
    return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
  } catch {
    return [];
  }
}

const ADDRESS_IN_CODE = /\/\/([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,6})(\/[\w./-]{0,200})?/gi;

/** A snippet is recognised by the vendor's address in it. */
function* fromCode(element: PageElement, place: Place): Generator<Found> {
  const vendors = vendorsIn(element.code);
  const purposes = [...new Set([...vendors.keys()].flatMap((vendor) => vendor.purposes))];
  for (const [vendor, address] of vendors)
    yield judged("inline", element, vendor, address, place, purposes);
}

function vendorsIn(code: string): Map<Vendor, string> {
  const vendors = new Map<Vendor, string>();
  const plain = code.replaceAll("\\/", "/").replaceAll(/\\u002f/gi, "/");
  for (const [, host = "", path = "/"] of plain.matchAll(ADDRESS_IN_CODE)) {
    const hostname = host.toLowerCase();
    const vendor = findVendor({ hostname, pathname: path });
    if (vendor && !vendor.isEmbedded && !vendors.has(vendor)) vendors.set(vendor, hostname + path);
  }
  return vendors;
}

function* marked(
  kind: "script" | "frame",
  element: PageElement,
  mark: string,
  place: Place,
): Generator<Found> {
  const { attributes, code } = element;
  const url = toUrl(attributes.get("data-src") ?? attributes.get("src") ?? "", place);
  const [first] = url ? [] : vendorsIn(code);
  const names = mark.trim().split(/\s+/);
  yield {
    kind: url ? kind : "inline",
    vendor: (url ? findVendor(url) : first?.[0])?.name ?? null,
    address: url ? shownAddress(url) : (first?.[1] ?? ""),
    purposes: MARK_NAMES.filter((name) => names.includes(name)),
    state: "waits",
    advice: names.every((name) => MARK_NAMES.some((known) => known === name))
      ? null
      : "fix_purpose",
    snippet: null,
  };
}

/** What `data-consent` may name: QUESTIONS of app/embeds/scripts/marked-scripts.ts. */
export const MARK_NAMES = ["analytics", "marketing", "preferences", "sale_of_data"] as const;
/** Of a script whose purpose nobody here knows, the most is asked. */
const STRICTEST = ["analytics", "marketing"] as const;

function judged(
  kind: Found["kind"],
  element: PageElement,
  vendor: Vendor | null,
  address: string,
  { hasDefaults, isHeld }: Place,
  markedFor: readonly string[] = vendor?.purposes ?? STRICTEST,
): Found {
  // Frames and pictures in the markup are asked for before a script could hold them back.
  const isScript = !element.isInNoscript && (kind === "script" || kind === "inline");
  const state =
    isScript && isHeld?.(new URL(`https://${address}`))
      ? "blocked"
      : stateOf(vendor, hasDefaults && isScript);
  return {
    kind,
    vendor: vendor?.name ?? null,
    address,
    purposes: [...(vendor?.purposes ?? [])],
    state,
    ...(state === "before_consent" || state === "unknown"
      ? adviceFor(element, markedFor)
      : { advice: null, snippet: null }),
  };
}

function stateOf(vendor: Vendor | null, readsConsent: boolean): ScriptState {
  if (!vendor) return "unknown";
  if (vendor.purposes.includes("necessary")) return "necessary";
  return vendor.followsConsentMode && readsConsent ? "google_consent_mode" : "before_consent";
}

function adviceFor(
  element: PageElement,
  purposes: readonly string[],
): Pick<Found, "advice" | "snippet"> {
  if (element.isInNoscript) return { advice: "remove", snippet: null };
  if (element.code.includes("document.write")) return { advice: "cannot_wait", snippet: null };
  const version = toMarkedVersion(
    element,
    MARK_NAMES.filter((name) => purposes.includes(name)),
  );
  return version
    ? {
        advice: version.part === "all" ? "mark" : "mark_tag",
        snippet: storableText(version.text),
      }
    : { advice: "mark", snippet: null };
}

/** The longest name that DNS has. */
const MAX_HOST_LENGTH = 253;

/** Null for an address that loads nothing from a host, as `javascript:` or `data:`. */
function toUrl(written: string, { base }: Place): URL | null {
  const url = written.trim() === "" ? null : URL.parse(written, base);
  if (!url || url.hostname.length > MAX_HOST_LENGTH) return null;
  return url.protocol === "https:" || url.protocol === "http:" ? url : null;
}

const shownAddress = ({ host, pathname }: URL): string =>
  `${host}${pathname}`.slice(0, MAX_ADDRESS_LENGTH);
