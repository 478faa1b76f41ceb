// What the service, the storefront platform and known vendors keep in a shopper's browser, by the makers' own pages (as
// of November 2026). Names with `*` end in an id. Where a maker names no duration, it is the one that its script sets.
import { TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import { SESSION_SECONDS } from "../identity/session/session-token.ts";
import { KNOWN_VENDORS, type Purpose } from "../vendors/known-vendors.ts";

type Unit = "minute" | "hour" | "day" | "week" | "month" | "year";
/** `session`: until the browser is closed. `kept`: until it is deleted. */
export type Lasts = readonly [count: number, unit: Unit] | "session" | "kept";

/** What it is for: a text of app/locales/<language>/consent/cookie-uses.json. */
export type CookieUse =
  | "choice"
  | "proof"
  | "waiting"
  | "sign_in"
  | "store"
  | "platform_choice"
  | "cart"
  | "currency"
  | "market"
  | "discount"
  | "platform_visits"
  | "landing"
  | "referrer"
  | "platform_ads"
  | "visitor"
  | "visit"
  | "ad_click"
  | "ads"
  | "members"
  | "allowed"
  | "player"
  | "mails"
  | "bots"
  | "fraud";

export type KnownCookie = {
  name: string;
  /** Empty for the store itself. */
  provider: string;
  purpose: Purpose;
  use: CookieUse;
  lasts: Lasts;
};

type Row = readonly [name: string, purpose: Purpose, use: CookieUse, lasts: Lasts];
const of = (provider: string, rows: readonly Row[]): KnownCookie[] =>
  rows.map(([name, purpose, use, lasts]) => ({ name, provider, purpose, use, lasts }));

/** `consentMonths`: how long a choice holds in this store. */
export const serviceCookies = (consentMonths: number): KnownCookie[] =>
  of("", [
    ["crm_consent", "necessary", "choice", [consentMonths, "month"]],
    ["crm_platform", "necessary", "choice", "kept"],
    ["crm_unasked", "necessary", "choice", "kept"],
    ["crm_free", "necessary", "choice", "session"],
    ["crm_visitor", "necessary", "proof", "kept"],
    ["crm_outbox", "necessary", "waiting", "kept"],
    ["crm_forms", "necessary", "waiting", "session"],
    ["crm_sign_in", "necessary", "sign_in", "session"],
    ["crm_session", "necessary", "sign_in", "session"],
    // On the service's own host: during a sign-in elsewhere, and where no page of the store has the session.
    ["__Host-crm_signin", "necessary", "sign_in", [TTL_SECONDS.oauthState / 60, "minute"]],
    ["__Host-crm_session", "necessary", "sign_in", [SESSION_SECONDS / 86_400, "day"]],
  ]);

/** shopify.com/legal/cookies: what a visit of a shopper sets, without what only staff and the admin get. */
export const PLATFORM_COOKIES: readonly KnownCookie[] = of("Shopify", [
  ["_shopify_essential", "necessary", "store", [1, "year"]],
  ["_tracking_consent", "necessary", "platform_choice", [1, "year"]],
  ["cart", "necessary", "cart", [2, "week"]],
  ["cart_currency", "necessary", "currency", [2, "week"]],
  ["localization", "necessary", "market", [2, "week"]],
  ["discount_code", "necessary", "discount", "session"],
  ["_shopify_analytics", "analytics", "platform_visits", [1, "year"]],
  ["_landing_page", "analytics", "landing", [2, "week"]],
  ["_orig_referrer", "analytics", "referrer", [2, "week"]],
  ["_shopify_marketing", "marketing", "platform_ads", [1, "year"]],
]);

// support.google.com/analytics/answer/11397207
const GOOGLE_ANALYTICS = of("Google", [
  ["_ga", "analytics", "visitor", [2, "year"]],
  ["_ga_*", "analytics", "visit", [2, "year"]],
]);
// business.safety.google/adscookies
const GOOGLE_CLICKS = of("Google", [
  ["_gcl_au", "marketing", "ad_click", [90, "day"]],
  ["_gcl_aw", "marketing", "ad_click", [90, "day"]],
]);
const MUID = of("Microsoft", [["MUID", "marketing", "ads", [13, "month"]]]);

/** Keyed by the name of a vendor in known-vendors.ts. */
const VENDOR_COOKIES: Readonly<Record<string, readonly KnownCookie[]>> = {
  // The tag manager sets no cookie. The merchant adds those of what it loads.
  "Google Tag Manager": [],
  "Google tag": [...GOOGLE_ANALYTICS, ...GOOGLE_CLICKS],
  "Google Analytics": GOOGLE_ANALYTICS,
  // policies.google.com/technologies/cookies: 13 months in Europe, 24 elsewhere.
  "Google Ads": [...GOOGLE_CLICKS, ...of("Google", [["IDE", "marketing", "ads", [24, "month"]]])],
  // policies.google.com/technologies/cookies
  YouTube: of("YouTube", [
    ["VISITOR_INFO1_LIVE", "marketing", "player", [6, "month"]],
    ["YSC", "marketing", "visit", "session"],
  ]),
  // developers.google.com/recaptcha/docs/faq
  "Google reCAPTCHA": of("Google", [["_GRECAPTCHA", "necessary", "bots", [6, "month"]]]),
  // facebook.com/privacy/policies/cookies, developers.facebook.com "ClickID and the fbp and fbc parameters"
  Meta: of("Meta", [
    ["_fbp", "marketing", "ads", [90, "day"]],
    ["_fbc", "marketing", "ad_click", [90, "day"]],
    ["fr", "marketing", "members", [90, "day"]],
  ]),
  // ads.tiktok.com/help "About using cookies with TikTok Pixel"
  TikTok: of("TikTok", [
    ["_ttp", "marketing", "ads", [13, "month"]],
    ["_tt_enable_cookie", "marketing", "allowed", [13, "month"]],
  ]),
  // help.pinterest.com "Pinterest tag parameters and cookies"
  Pinterest: of("Pinterest", [
    ["_pin_unauth", "marketing", "ads", [1, "year"]],
    ["_pinterest_ct_ua", "marketing", "ads", [1, "year"]],
    ["_epik", "marketing", "ad_click", [1, "year"]],
  ]),
  // snap.com/privacy/cookie-information
  Snapchat: of("Snap", [
    ["_scid", "marketing", "ads", [13, "month"]],
    ["sc_at", "marketing", "members", [1, "year"]],
  ]),
  // help.ads.microsoft.com "FAQ: Universal Event Tracking"
  "Microsoft Advertising": [
    ...of("Microsoft", [
      ["_uetsid", "marketing", "visit", [1, "day"]],
      ["_uetvid", "marketing", "ads", [13, "month"]],
    ]),
    ...MUID,
  ],
  // linkedin.com/legal/l/cookie-table
  LinkedIn: of("LinkedIn", [
    ["bcookie", "marketing", "ads", [1, "year"]],
    ["li_sugr", "marketing", "members", [90, "day"]],
    ["li_fat_id", "marketing", "ad_click", [30, "day"]],
    ["UserMatchHistory", "marketing", "members", [30, "day"]],
  ]),
  // learn.microsoft.com/clarity/setup-and-installation/cookie-list
  "Microsoft Clarity": [
    ...of("Microsoft", [
      ["_clck", "analytics", "visitor", [1, "year"]],
      ["_clsk", "analytics", "visit", [1, "day"]],
      ["CLID", "analytics", "visitor", [1, "year"]],
    ]),
    ...MUID,
  ],
  // help.hotjar.com "Cookies set by the Hotjar tracking code"
  Hotjar: of("Hotjar", [
    ["_hjSessionUser_*", "analytics", "visitor", [1, "year"]],
    ["_hjSession_*", "analytics", "visit", [30, "minute"]],
  ]),
  // help.klaviyo.com "Understanding cookies in Klaviyo"
  Klaviyo: of("Klaviyo", [["__kla_id", "marketing", "mails", [2, "year"]]]),
  // stripe.com/cookies-policy/legal
  Stripe: of("Stripe", [
    ["__stripe_mid", "necessary", "fraud", [1, "year"]],
    ["__stripe_sid", "necessary", "fraud", [30, "minute"]],
  ]),
};

/** What pages that load these vendors may set, each once. */
export const vendorCookies = (vendors: Iterable<string>): KnownCookie[] => [
  ...new Set([...vendors].flatMap((vendor) => VENDOR_COOKIES[vendor] ?? [])),
];

/** Vendors of the storefront check whose cookies are not listed here. */
export const withoutKnownCookies = (vendors: Iterable<string>): string[] =>
  [...vendors].filter(
    (vendor) =>
      KNOWN_VENDORS.some(({ name }) => name === vendor) && !Object.hasOwn(VENDOR_COOKIES, vendor),
  );

/** Identifies a row: a cookie's name within its provider. */
export const cookieKey = ({ provider, name }: Pick<KnownCookie, "provider" | "name">): string =>
  JSON.stringify([provider, name]);

const ALL = new Set(
  [...serviceCookies(1), ...PLATFORM_COOKIES, ...vendorCookies(Object.keys(VENDOR_COOKIES))].map(
    cookieKey,
  ),
);
export const isKnownCookie = (row: Pick<KnownCookie, "provider" | "name">): boolean =>
  ALL.has(cookieKey(row));
