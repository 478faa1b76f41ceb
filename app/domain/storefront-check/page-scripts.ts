// The scripts, frames, pixels and inline snippets of others in one page, and whether each waits for consent.
import { storableText } from "../../runtime/database/storable-json.ts";
import { appOfFile, findVendor, isShopify, type Vendor } from "../vendors/known-vendors.ts";
import { RUNNABLE_TYPE } from "../vendors/script-type.ts";
import { MARK_NAMES, type FoundScript, type ScriptState } from "./found-script.ts";
import { toHeld } from "./held-values.ts";
import { toMarkedVersion } from "./marked-version.ts";
import { readElements, type PageElement } from "./read-elements.ts";

export type CheckedPage = { name: string; url: string; html: string };

const MAX_ADDRESS_LENGTH = 300;

type Found = Omit<FoundScript, "pages">;
type Place = {
  ours: readonly string[];
  base: string;
  /** The page has set the defaults of Google's consent mode before this element. */
  hasDefaults: boolean;
  /** Whether an address waits; null before the page's own script that holds it back. */
  isHeld: ReturnType<typeof toHeld>;
};

/** `ours`: the origins of the store itself and of this service. */
export function* scriptsOf({ url, html }: CheckedPage, ours: readonly string[]): Generator<Found> {
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

const SETS_DEFAULTS = /["']consent["']\s{0,9},\s{0,9}["']default["']/;
/** The id that the platform gives to the script with the store's web pixels. */
const WEB_PIXELS = "web-pixels-manager-setup";

function* fromScript(element: PageElement, place: Place): Generator<Found> {
  const { attributes, code } = element;
  const type = attributes.get("type")?.trim() ?? "";
  const mark = attributes.get("data-consent");
  if (type === "text/plain" && mark !== undefined)
    return yield* marked("script", element, mark, place);
  if (!RUNNABLE_TYPE.test(type)) return;
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
  else yield judge(place, { kind, element, vendor: findVendor(url), address });
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
    yield judge(place, { kind: "inline", element, vendor, address, markedFor: purposes });
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

/** A script of an unknown vendor needs every consent, because its purpose is not known. */
const STRICTEST = ["analytics", "marketing"] as const;

type Loaded = {
  kind: Found["kind"];
  element: PageElement;
  vendor: Vendor | null;
  address: string;
  /** The purposes that a mark has to name; by default the vendor's. */
  markedFor?: readonly string[];
};

function judge(
  { hasDefaults, isHeld }: Place,
  { kind, element, vendor, address, markedFor = vendor?.purposes ?? STRICTEST }: Loaded,
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
