// The vendors whose scripts stores load most, by the addresses in the vendors' own installation guides.
// What the check says of a script, what its marked version waits for, and what the store's pages hold back derive
// from this list.

/**
 * The purposes of marked scripts (docs/theme-editors.md) and of cookies. `necessary` is for payment and
 * security; `preferences` follows the banner's question about analytics.
 */
export const PURPOSES = ["necessary", "preferences", "analytics", "marketing"] as const;
export type Purpose = (typeof PURPOSES)[number];

export type Vendor = {
  name: string;
  purposes: readonly Purpose[];
  /** Host suffixes, each with a path's beginning where the host serves other things too. */
  at: readonly string[];
  /** Its script reads Google's consent mode by itself. */
  followsConsentMode?: true;
  /** A theme's own code names its pages as links, so only scripts and frames count. */
  isEmbedded?: true;
  /** Its snippet loads code and sends data by itself, so that holding back its script is not enough. */
  sendsFromPage?: true;
  /** The app embed can tell its tag the shopper's choice (embeds/scripts/microsoft-consent.ts). */
  takesChoice?: true;
};

const ANALYTICS = ["analytics"] as const;
const MARKETING = ["marketing"] as const;
const PREFERENCES = ["preferences"] as const;
const NECESSARY = ["necessary"] as const;

export const KNOWN_VENDORS: readonly Vendor[] = [
  // Google
  {
    name: "Google Tag Manager",
    purposes: ["analytics", "marketing"],
    at: ["googletagmanager.com/gtm.js", "googletagmanager.com/ns.html"],
    followsConsentMode: true,
  },
  {
    name: "Google tag",
    purposes: ["analytics", "marketing"],
    at: ["googletagmanager.com"],
    followsConsentMode: true,
  },
  {
    name: "Google Analytics",
    purposes: ANALYTICS,
    at: ["google-analytics.com", "analytics.google.com"],
    followsConsentMode: true,
  },
  {
    name: "Google Ads",
    purposes: MARKETING,
    at: ["googleadservices.com", "doubleclick.net", "google.com/pagead"],
    followsConsentMode: true,
  },
  { name: "Google AdSense", purposes: MARKETING, at: ["googlesyndication.com"] },
  {
    name: "YouTube",
    purposes: MARKETING,
    at: ["youtube.com", "youtube-nocookie.com"],
    isEmbedded: true,
  },
  {
    name: "Google Maps",
    purposes: PREFERENCES,
    at: ["google.com/maps", "maps.google.com", "maps.googleapis.com"],
    isEmbedded: true,
  },
  {
    name: "Google reCAPTCHA",
    purposes: NECESSARY,
    at: ["google.com/recaptcha", "gstatic.com/recaptcha", "recaptcha.net"],
    isEmbedded: true,
  },
  // Advertising
  {
    name: "Meta",
    purposes: MARKETING,
    at: ["connect.facebook.net", "facebook.com/tr", "facebook.com/plugins"],
  },
  { name: "TikTok", purposes: MARKETING, at: ["analytics.tiktok.com"] },
  {
    name: "Pinterest",
    purposes: MARKETING,
    at: ["s.pinimg.com", "ct.pinterest.com", "assets.pinterest.com"],
  },
  { name: "Snapchat", purposes: MARKETING, at: ["sc-static.net", "tr.snapchat.com"] },
  {
    name: "Microsoft Advertising",
    purposes: MARKETING,
    at: ["bat.bing.com", "bat.bing.net"],
    takesChoice: true,
  },
  {
    name: "X",
    purposes: MARKETING,
    at: ["static.ads-twitter.com", "platform.twitter.com", "analytics.twitter.com"],
  },
  { name: "LinkedIn", purposes: MARKETING, at: ["snap.licdn.com", "px.ads.linkedin.com"] },
  { name: "Reddit", purposes: MARKETING, at: ["redditstatic.com", "alb.reddit.com"] },
  { name: "Amazon Ads", purposes: MARKETING, at: ["amazon-adsystem.com"] },
  { name: "Criteo", purposes: MARKETING, at: ["criteo.com", "criteo.net"] },
  { name: "Taboola", purposes: MARKETING, at: ["cdn.taboola.com", "trc.taboola.com"] },
  { name: "Outbrain", purposes: MARKETING, at: ["amplify.outbrain.com", "tr.outbrain.com"] },
  { name: "AdRoll", purposes: MARKETING, at: ["adroll.com"] },
  { name: "Awin", purposes: MARKETING, at: ["dwin1.com", "dwin2.com"] },
  { name: "impact.com", purposes: MARKETING, at: ["impactcdn.com", "impactradius-event.com"] },
  {
    name: "Triple Whale",
    purposes: MARKETING,
    at: ["triplewhale.com", "triplewhale-pixel.web.app", "config-security.com"],
    sendsFromPage: true,
  },
  // Measurement
  { name: "Microsoft Clarity", purposes: ANALYTICS, at: ["clarity.ms"], takesChoice: true },
  { name: "Hotjar", purposes: ANALYTICS, at: ["hotjar.com"] },
  { name: "Lucky Orange", purposes: ANALYTICS, at: ["luckyorange.com", "luckyorange.net"] },
  { name: "FullStory", purposes: ANALYTICS, at: ["fullstory.com"] },
  { name: "Mouseflow", purposes: ANALYTICS, at: ["mouseflow.com"] },
  { name: "Segment", purposes: ANALYTICS, at: ["cdn.segment.com"] },
  { name: "Mixpanel", purposes: ANALYTICS, at: ["cdn.mxpnl.com"] },
  { name: "Amplitude", purposes: ANALYTICS, at: ["cdn.amplitude.com"] },
  { name: "Heap", purposes: ANALYTICS, at: ["heapanalytics.com"] },
  {
    name: "VWO",
    purposes: ANALYTICS,
    at: ["visualwebsiteoptimizer.com"],
    sendsFromPage: true,
  },
  { name: "Optimizely", purposes: ANALYTICS, at: ["cdn.optimizely.com"] },
  // Mail and messages
  { name: "Klaviyo", purposes: MARKETING, at: ["klaviyo.com"] },
  { name: "Mailchimp", purposes: MARKETING, at: ["chimpstatic.com", "list-manage.com"] },
  { name: "Omnisend", purposes: MARKETING, at: ["omnisnippet1.com", "omnisend.com"] },
  { name: "Privy", purposes: MARKETING, at: ["privy.com"] },
  { name: "Attentive", purposes: MARKETING, at: ["attn.tv", "attentivemobile.com"] },
  { name: "Postscript", purposes: MARKETING, at: ["postscript.io"] },
  {
    name: "HubSpot",
    purposes: MARKETING,
    at: ["hs-scripts.com", "hs-analytics.net", "hsforms.net"],
  },
  { name: "Brevo", purposes: MARKETING, at: ["sibautomation.com", "cdn.brevo.com"] },
  // Reviews and loyalty
  { name: "Yotpo", purposes: PREFERENCES, at: ["yotpo.com"] },
  { name: "Judge.me", purposes: PREFERENCES, at: ["judge.me", "judgeme.imgix.net"] },
  { name: "Loox", purposes: PREFERENCES, at: ["loox.io"] },
  { name: "Okendo", purposes: PREFERENCES, at: ["okendo.io"] },
  { name: "Stamped", purposes: PREFERENCES, at: ["stamped.io"] },
  {
    name: "Trustpilot",
    purposes: PREFERENCES,
    at: ["widget.trustpilot.com", "invitejs.trustpilot.com"],
  },
  { name: "Smile", purposes: PREFERENCES, at: ["smile.io"] },
  // Chat and help
  { name: "Gorgias", purposes: PREFERENCES, at: ["gorgias.chat", "gorgias.io"] },
  { name: "Tidio", purposes: PREFERENCES, at: ["tidio.co", "tidiochat.com"] },
  { name: "Zendesk", purposes: PREFERENCES, at: ["zdassets.com"] },
  { name: "Intercom", purposes: PREFERENCES, at: ["widget.intercom.io", "intercomcdn.com"] },
  { name: "Crisp", purposes: PREFERENCES, at: ["client.crisp.chat"] },
  { name: "Tawk.to", purposes: PREFERENCES, at: ["embed.tawk.to"] },
  // Video
  { name: "Vimeo", purposes: PREFERENCES, at: ["player.vimeo.com"], isEmbedded: true },
  // Payment and security
  {
    name: "PayPal",
    purposes: NECESSARY,
    at: ["paypal.com", "paypalobjects.com"],
    isEmbedded: true,
  },
  { name: "Stripe", purposes: NECESSARY, at: ["js.stripe.com"], isEmbedded: true },
  { name: "hCaptcha", purposes: NECESSARY, at: ["hcaptcha.com"], isEmbedded: true },
  {
    name: "Cloudflare Turnstile",
    purposes: NECESSARY,
    at: ["challenges.cloudflare.com"],
    isEmbedded: true,
  },
];

/** What the platform itself serves. Apps' own files on its CDN are below `/extensions/`. */
const SHOPIFY_HOSTS = [
  "shopify.com",
  "shopifycloud.com",
  "shopifycdn.com",
  "shopifycdn.net",
  "shopifysvc.com",
  "shop.app",
];
const APP_FILE = /^\/extensions\/[^/]+\/([^/]+)\//;

type Address = Pick<URL, "hostname" | "pathname">;

/** `www.x.example`, `x.example`, `example`. */
function* suffixesOf(hostname: string): Generator<string> {
  for (let rest = hostname; rest !== ""; rest = rest.slice(rest.indexOf(".") + 1)) {
    yield rest;
    if (!rest.includes(".")) return;
  }
}

/** By host suffix, as a page may name very many addresses. In the order of the list. */
const PLACES = new Map<string, { vendor: Vendor; rank: number; path: string }[]>();
for (const [rank, vendor] of KNOWN_VENDORS.entries())
  for (const address of vendor.at) {
    const [host = "", ...path] = address.split("/");
    const place = { vendor, rank, path: path.length === 0 ? "" : `/${path.join("/")}` };
    PLACES.set(host, [...(PLACES.get(host) ?? []), place]);
  }

/** The first vendor of the list with this address; `among`: of these only. */
export function findVendor(
  { hostname, pathname }: Address,
  among: readonly Vendor[] = KNOWN_VENDORS,
): Vendor | null {
  const places = [...suffixesOf(hostname)].flatMap((suffix) => PLACES.get(suffix) ?? []);
  const [first] = places
    .filter(({ path, vendor }) => pathname.startsWith(path) && among.includes(vendor))
    .toSorted((a, b) => a.rank - b.rank);
  return first?.vendor ?? null;
}

export const isShopify = ({ hostname }: Address): boolean =>
  [...suffixesOf(hostname)].some((suffix) => SHOPIFY_HOSTS.includes(suffix));

/** The app whose theme extension a file on the platform's CDN belongs to; null: the platform's own file. */
export function appOfFile({ pathname }: Address): string | null {
  const [, handle] = APP_FILE.exec(pathname) ?? [];
  return handle?.replace(/-\d+$/, "") ?? null;
}
