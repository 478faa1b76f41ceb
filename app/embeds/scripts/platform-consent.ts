// The storefront's own record of what a visitor consented to, and its region rules (shopify.dev
// "Customer Privacy API"). Our choice starts from that record, and both follow each other:
//
//   its record changed since we last saw it  -> it is the newer one: our choice follows
//   its record is as we last saw it          -> ours is the newer one: it is written again
//
// So a change that we write is not taken for one of theirs, or the two would write for ever. The API may be
// missing, slow or broken: then the visitor is asked, as everywhere before a region is known.
import type { RegionValues } from "../../domain/tenants/consent-regions.ts";
import type { LoaderValues } from "../../domain/tenants/storefront/loader-values.ts";
import { attempt, read, write } from "./browser-store.ts";
import { hasGpc, type Choice, type CustomerPrivacy, type Flags, win } from "./window-globals.ts";

/** localStorage: the platform's record as it was last seen here. */
const SEEN_KEY = "crm_platform";
/** localStorage: the region that did not ask, seen beside a choice before the platform held it. */
const FREE_KEY = "crm_unasked";
/** How long the banner waits for the region. */
const PATIENCE_MS = 1_000;
const [OPT_IN, OPT_OUT] = [0, 1];

let api: CustomerPrivacy | undefined;
/** Whether the API answered, or was waited for long enough. */
let isSettled = false;
/** A choice was made before the API was there: what it holds is older. */
let isOursNewer = false;

const ask = <N extends keyof CustomerPrivacy>(name: N) =>
  attempt(() => (api as unknown as Record<N, () => ReturnType<CustomerPrivacy[N]>>)[name]());

function readPlatform(): { seen: string; flags: Flags } {
  const { analytics, marketing, sale_of_data: sale } = ask("currentVisitorConsent") ?? {};
  const flags: Flags = {};
  if (analytics) flags.cookie = analytics === "yes";
  // Our marketing includes the sale of data: one refusal is enough, and a grant is a grant of marketing.
  if (marketing || sale === "no") flags.marketing = marketing === "yes" && sale !== "no";
  return { seen: [analytics, marketing, sale].join(), flags };
}

const differs = (from: Flags, to: Flags | null) =>
  (["cookie", "marketing"] as const).some(
    (type) => from[type] !== undefined && from[type] !== to?.[type],
  );

/** The answers of any age: what a choice leaves open, the one that ended before it answers. */
export function readNewest(
  choice: Choice | null | undefined = win._crmConsent?.read(true),
): Flags | null {
  return choice ? { ...(choice.ended && readNewest(choice.ended)), ...choice } : null;
}

/** Our choice as it counts: the browser's own signal refuses what the choice grants. */
function readMine(): Flags | null {
  const choice = win._crmConsent?.read();
  return choice ? { ...choice, ...(hasGpc && choice.marketing && { marketing: false }) } : null;
}

export function reconcile(isChoice = false): void {
  const consent = win._crmConsent;
  if (!consent || consent.isPreview) return;
  const mine = readMine();
  if (!api) {
    isOursNewer ||= isChoice && mine !== null;
    return;
  }
  const { seen, flags } = readPlatform();
  // Before a visitor chooses, every answer is empty, which is no consent.
  const hasRecord = differs(flags, null);
  // Only before the platform holds a choice its answer is the region's rule. Ours may be of an earlier
  // page, which was left before the API was there.
  if (!hasRecord && mine && ask("shouldShowBanner") === false) write(FREE_KEY, ask("getRegion"));
  if (hasRecord && seen !== read(SEEN_KEY)) {
    write(SEEN_KEY, seen);
    if (isOursNewer) return reconcile();
    const record = hasGpc && flags.marketing ? { ...flags, marketing: false } : flags;
    // `choose` comes back here, with the record as seen.
    if (differs(record, mine)) return void consent.choose(record, "storefront");
  }
  if (!mine || !differs(mine, flags)) return;
  const { cookie, marketing } = mine;
  // What the visitor did not decide is left out.
  attempt(() =>
    api?.setTrackingConsent(
      {
        ...(cookie !== undefined && { analytics: cookie, preferences: cookie }),
        ...(marketing !== undefined && { marketing, sale_of_data: marketing }),
      },
      () => {},
    ),
  );
}

/**
 * The merchant's own rules: the theme's page has them, else the banner brings them. Null where there are
 * none, undefined while the banner is awaited.
 */
function readRules(): RegionValues | null | undefined {
  const find = (name: string) => document.querySelector<HTMLElement>(name)?.dataset;
  const [config, banner] = [find("[data-crm-config]"), find(".crm-banner")];
  if (config)
    return attempt(() => (JSON.parse(config.crmConfig as string) as LoaderValues)[5]) ?? null;
  return banner && (attempt(() => JSON.parse(banner.regions as string) as RegionValues) ?? null);
}

/** The rule of the visitor's region; undefined without rules, or without a region. */
function findRule(rules: RegionValues | null): number | undefined {
  const region = ask("getRegion");
  if (!rules || !region) return undefined;
  const [rest, ...lists] = rules;
  const country = region.slice(0, 2);
  const find = (code: string) => lists.findIndex((list) => list.includes(code));
  const [exact, whole] = [find(country + "-" + region.slice(2)), find(country)];
  return exact >= 0 ? exact : whole >= 0 ? whole : rest;
}

export type Place = { isAsked: boolean; hasSaleLink: boolean };

/**
 * Whether the visitor is asked: where the platform's rules say so, and where the merchant's own rule
 * does. With a choice, also one that is too old, the platform may hold it too: the region's rule decides. Null while the region or
 * the rules are awaited.
 */
export function readPlace(choice?: Flags | null): Place | null {
  if (win._crmConsent?.isPreview) return { isAsked: true, hasSaleLink: false };
  const rules = readRules();
  if (!isSettled || rules === undefined) return null;
  const rule = findRule(rules);
  const isShown = ask("shouldShowBanner") !== false;
  const isAskedAgain = () =>
    rule === undefined
      ? isShown || (choice?.cookie !== undefined && read(FREE_KEY) !== ask("getRegion"))
      : rule === OPT_IN;
  return {
    isAsked: choice ? isAskedAgain() : isShown || rule === OPT_IN,
    hasSaleLink: ask("saleOfDataRegion") === true || rule === OPT_OUT,
  };
}

/**
 * What holds in a region that does not ask: the platform knows it, the browser's signal wins. A refusal
 * of any age still counts: where nobody is asked, its end would be a grant that nobody gave.
 */
export function readAllowed(): Flags {
  const { cookie, marketing } = readNewest() ?? {};
  return {
    cookie: cookie !== false && ask("analyticsProcessingAllowed") === true,
    marketing: marketing !== false && !hasGpc && ask("marketingAllowed") === true,
  };
}

/** Calls `changed` when the region is known, or was waited for long enough, and at each later news. */
export function startPlatform(changed: () => void): void {
  const settle = () => {
    isSettled = true;
    reconcile();
    changed();
  };
  const done = (error?: unknown) => {
    api = error ? undefined : win.Shopify?.customerPrivacy;
    settle();
  };
  document.addEventListener("visitorConsentCollected", () => {
    api ||= win.Shopify?.customerPrivacy;
    reconcile();
  });
  const isAsked = attempt(() => {
    win.Shopify?.loadFeatures?.([{ name: "consent-tracking-api", version: "0.1" }], done);
    return win.Shopify?.loadFeatures;
  });
  if (isAsked) setTimeout(() => isSettled || settle(), PATIENCE_MS);
  else settle();
}
