// A shopper on the store's own origin: the theme's page with the real blocks, the app proxy in
// front of the service, and stand-ins for the tag and the storefront's privacy API that record
// their calls.
import type { Locator, Page, Route } from "playwright-core";
import { proxyTarget } from "../../../app/sandbox/storefront/app-proxy.ts";
import { consentPolicies } from "../../../app/sandbox/storefront/privacy-settings.ts";
import { newShop } from "../../../app/sandbox/storefront/state.ts";
import {
  customerPrivacyScript,
  type Trouble,
} from "../../../app/sandbox/storefront/theme/customer-privacy.ts";
import { readAsset, renderBlock } from "../../../app/sandbox/storefront/theme/theme-blocks.ts";
import type { openBrowser } from "./browser.ts";
import { logOfVisitor, type ConsentService } from "../consent.ts";
import { APP_SECRET, eventually, SHOP, type Service } from "../service.ts";

type Browser = Awaited<ReturnType<typeof openBrowser>>;
type Sent = {
  method: string;
  path: string;
  body: any;
  status: number;
  headers: Record<string, string>;
};

export type StoreVisit = {
  page: Page;
  /** Requests to other origins than the store. */
  foreign: string[];
  /**
   * Requests that reached the service, through the proxy or directly, in order of their responses.
   */
  sent: Sent[];
  /** What the banner reported to be counted. */
  counted: Sent[];
  errors: string[];
  open(path?: string, until?: "load" | "networkidle"): Promise<void>;
  /** The data layer: commands as `{command: [...]}`. */
  layer(): Promise<any[]>;
  /** The calls of the platform's `setTrackingConsent`. */
  privacyCalls(): Promise<any[]>;
  /** The consent updates that the tags received: `[analytics, ads]` of each. */
  updates(): Promise<string[][]>;
  /** What the page sent to change something. */
  posts(): Sent[];
  /** Resolves when the theme's script ran and the privacy API answered. */
  settled(): Promise<void>;
  banner(): Locator;
  button(name: string): Locator;
  close(): Promise<void>;
};

export type StoreOptions = {
  shop?: string;
  locale?: string;
  blocks?: ("consent" | "footer" | "account" | "compliance" | "cookies")[];
  /** Markup after the app's blocks in the head. */
  head?: string;
  body?: string;
  settings?: Record<string, unknown>;
  /** The metafields of the app's installation. */
  metafields?: Parameters<typeof renderBlock>[1]["metafields"];
  isDesignMode?: boolean;
  gpc?: boolean;
  /** Where the visitor is, as the platform names it; Berlin by default. */
  region?: string;
  /** What is wrong with the platform's privacy API. */
  trouble?: Trouble;
  customerId?: string;
  /** Written to localStorage before the page runs. */
  kept?: Record<string, unknown>;
  context?: Parameters<Browser["visit"]>[1] & Record<string, unknown>;
};

/** What a page's own call without cookies is recognized by here, where no page has any. */
const WITHOUT_COOKIES = "x-without-cookies";
const MARK_CALLS = `{ const send = window.fetch; window.fetch = (address, options) => send(address, options?.credentials === "omit" && String(address).includes("/apps/crm/") ? { ...options, headers: { ...options.headers, "${WITHOUT_COOKIES}": "1" } } : options); }`;
const NORMAL = `(layer) => Array.from(layer, (one) => (Object.prototype.toString.call(one) === "[object Arguments]" ? { command: Array.from(one) } : one))`;
/** The tag: records the data layer at the time it runs. */
const TAG = `window.seenByTag = (${NORMAL})(window.dataLayer);`;
/** As the platform sets them for a new store. */
const POLICIES = consentPolicies(newShop(SHOP, 1));

export async function openStore(
  browser: Browser,
  service: Service,
  options: StoreOptions = {},
): Promise<StoreVisit> {
  const shop = options.shop ?? SHOP;
  const origin = `https://${shop}`;
  const { page, errors, close } = await browser.visit([], options.context ?? {});
  const [foreign, sent, counted]: [string[], Sent[], Sent[]] = [[], [], []];
  const note = (one: Sent) => (one.path === "/embed/banner-events" ? counted : sent).push(one);

  const passOn = async (route: Route) => {
    const request = route.request();
    const asked = new URL(request.url());
    const target = proxyTarget(
      { path: asked.pathname, query: asked.searchParams },
      {
        appUrl: service.url,
        secret: APP_SECRET,
        shop,
        // The storefront knows its customer by a cookie.
        customerId: request.headers()[WITHOUT_COOKIES] ? "" : (options.customerId ?? ""),
      },
    );
    const { cookie: _, authorization: __, ...headers } = request.headers();
    const path = asked.pathname.replace("/apps/crm", "");
    const answer = await fetch(target, {
      method: request.method(),
      headers: { ...headers, ...(options.gpc && { "sec-gpc": "1" }) },
      ...(request.postData() && { body: request.postData() as string }),
    }).catch(() => null);
    // The service ends with the last visit, also while a page's last call is on its way.
    if (!answer) return route.abort().catch(() => {});
    note({
      method: request.method(),
      path,
      body: request.postDataJSON() as unknown,
      status: answer.status,
      headers,
    });
    await route
      .fulfill({
        status: answer.status,
        headers: Object.fromEntries(
          [...answer.headers].filter(
            ([name]) => !["content-length", "content-encoding", "transfer-encoding"].includes(name),
          ),
        ),
        body: await answer.text(),
      })
      .catch(() => {});
  };
  /** A call from the page to the service's own address. */
  const goStraight = async (route: Route) => {
    const request = route.request();
    const answer = await route.fetch().catch(() => null);
    if (!answer) return route.abort().catch(() => {});
    if (request.method() !== "OPTIONS")
      note({
        method: request.method(),
        path: new URL(request.url()).pathname,
        body: request.postDataJSON() as unknown,
        status: answer.status(),
        headers: request.headers(),
      });
    await route.fulfill({ response: answer }).catch(() => {});
  };
  await page.context().grantPermissions(["local-network-access"], { origin });
  await page.route("**/*", async (route) => {
    const url = new URL(route.request().url());
    if (url.origin === new URL(service.url).origin) return goStraight(route);
    if (url.origin === origin && url.pathname.startsWith("/apps/crm/")) return passOn(route);
    if (url.origin === origin && url.pathname.startsWith("/assets/"))
      return route.fulfill({
        contentType: "text/javascript",
        body: readAsset(url.pathname.slice(8)) ?? "",
      });
    if (url.origin === origin)
      return route.fulfill({
        contentType: "text/html; charset=utf-8",
        body: await storePage(shop, options),
      });
    foreign.push(url.href);
    if (url.host === "www.googletagmanager.com")
      return route.fulfill({ contentType: "text/javascript", body: TAG });
    return route.abort();
  });
  const { region = "DEBE", trouble } = options;
  await page.addInitScript(
    customerPrivacyScript({ region, policies: POLICIES, trouble: trouble ?? null }),
  );
  await page.addInitScript(MARK_CALLS);
  if (options.gpc)
    await page.addInitScript(
      "Object.defineProperty(Navigator.prototype, 'globalPrivacyControl', { get: () => true })",
    );
  if (options.kept)
    await page.addInitScript(
      (kept) =>
        Object.entries(kept).forEach(
          ([key, value]) =>
            localStorage.getItem(key) === null && localStorage.setItem(key, JSON.stringify(value)),
        ),
      options.kept,
    );
  const layer = () => page.evaluate(`(${NORMAL})(window.dataLayer)`) as Promise<any[]>;
  return {
    page,
    foreign,
    sent,
    counted,
    errors,
    close,
    // With everything that the page loads; our scripts load nothing later by themselves.
    open: async (path = "/", until = "networkidle") =>
      void (await page.goto(origin + path, { waitUntil: until })),
    layer,
    privacyCalls: () => page.evaluate("window.sandboxPrivacyCalls") as Promise<any[]>,
    updates: async () =>
      (await layer())
        .filter(({ command }) => command?.[1] === "update")
        .map(({ command: [, , { analytics_storage: cookie, ad_storage: ads }] }) => [cookie, ads]),
    posts: () => sent.filter(({ method }) => method !== "GET"),
    settled: () => page.getByRole("link", { name: "Privacy choices" }).last().waitFor(),
    banner: () => page.getByRole("region", { name: "Your privacy" }),
    button: (name) => page.getByRole("button", { name, exact: true }),
  };
}

async function storePage(
  shop: string,
  {
    locale = "en",
    blocks = ["consent", "footer"],
    head = "",
    body = "",
    settings = {},
    metafields = [],
    isDesignMode = false,
    customerId = "",
  }: StoreOptions,
): Promise<string> {
  const render = (name: string) =>
    renderBlock(name, {
      shop,
      locale,
      assetUrl: (asset) => `/assets/${asset}`,
      settings,
      metafields,
      isDesignMode,
      customerId,
    });
  const [embed = "", ...parts] = await Promise.all(
    ["consent", ...blocks.filter((name) => name !== "consent")].map((name) => render(name)),
  );
  return `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>A store</title><link rel="icon" href="data:,">${blocks.includes("consent") ? embed : ""}${head}</head><body><main><h1>Things to buy</h1>${body}</main><footer>${parts.join("")}</footer></body></html>`;
}

/** The choice that this browser has stored. */
export const keptChoice = (page: Page) =>
  page.evaluate(
    () =>
      JSON.parse(localStorage.getItem("crm_consent") ?? "null") as Record<string, unknown> | null,
  );

/** What the log has of the visitor's choice, once the service has it: `[type, action, method]`. */
export async function recordedChoice(
  service: ConsentService,
  visit: StoreVisit,
): Promise<string[][]> {
  const { body } = await eventually("the choice", () =>
    visit.posts().find(({ path, status }) => path === "/auth/consent-sync" && status === 200),
  );
  const rows = await logOfVisitor(service, body.visitor_id);
  return rows.map(({ consent_type, action, method }) => [consent_type, action, method]);
}

/** What this browser still has to tell the service. */
export const outboxOf = ({ page }: StoreVisit): Promise<any[]> =>
  page.evaluate(() => JSON.parse(localStorage.getItem("crm_outbox") ?? "[]") as any[]);

export const outboxIsEmpty = (visit: StoreVisit) =>
  eventually("an empty outbox", async () => (await outboxOf(visit)).length === 0 || null);
