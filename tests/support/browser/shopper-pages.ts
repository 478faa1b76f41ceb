// The shopper's pages as tests open them: on the service itself, and on the store's own address
// through its app proxy.
import type { Page } from "playwright-core";
import { proxyTarget } from "../../../app/sandbox/storefront/app-proxy.ts";
import { APP_SECRET, SHOP, type Service } from "../service.ts";

export const pageUrl = (service: Service, page: "account" | "dashboard", query = ""): string =>
  `${service.url}/embed/${page}?shop=${SHOP}${query}`;
export const STORE_ORIGIN = `https://${SHOP}`;

/** Whether anything is wider than a phone. */
export async function overflowAt320(page: Page): Promise<number> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  if (before) await page.setViewportSize(before);
  return Math.max(0, width - 320);
}

/**
 * The address to which the store's app proxy forwards a request for `path`. `customer` is empty
 * when signed out.
 */
export const proxied = (
  service: Service,
  path: string,
  customer: string,
  { secret = APP_SECRET, shop = SHOP }: { secret?: string; shop?: string } = {},
): URL => {
  const asked = new URL(`/apps/crm${path}`, STORE_ORIGIN);
  return proxyTarget(
    { path: asked.pathname, query: asked.searchParams },
    { appUrl: service.url, secret, shop, customerId: customer },
  );
};

/** The store's address behind its app proxy: signed for this customer, without cookies. */
export async function proxyThroughStore(
  service: Service,
  page: Page,
  customer: () => string,
  storePages: Record<string, [contentType: string, body: string]> = {},
): Promise<void> {
  await page
    .context()
    .grantPermissions(["local-network-access"], { origin: STORE_ORIGIN })
    .catch(() => undefined);
  await followRedirectsToStore(service, page);
  await page.context().route(`${STORE_ORIGIN}/**`, async (route) => {
    const url = new URL(route.request().url());
    const [contentType, body] = storePages[url.pathname] ?? [
      "text/html",
      "<!doctype html><title>The store</title><link rel=icon href=data:,><h1>The store</h1>",
    ];
    if (!url.pathname.startsWith("/apps/crm/"))
      return route.fulfill({ status: 200, contentType, body });
    const target = proxied(
      service,
      url.pathname.slice("/apps/crm".length) + url.search,
      customer(),
    );
    const response = await fetch(target, {
      method: route.request().method(),
      headers: { "Content-Type": "application/json" },
      ...(route.request().postData() !== null && { body: route.request().postData() as string }),
      redirect: "manual",
    }).catch(() => null);
    // The service ends with the last visit, also while a page's last call is on its way.
    if (!response) return route.abort().catch(() => {});
    const headers = Object.fromEntries(
      [...response.headers].filter(
        ([name]) =>
          !["set-cookie", "content-length", "connection", "transfer-encoding"].includes(name),
      ),
    );
    return route.fulfill({
      status: response.status,
      headers,
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
}

/**
 * Playwright's routes do not see redirects, so they are followed by hand with the browser's own
 * cookies.
 */
async function followRedirectsToStore(service: Service, page: Page): Promise<void> {
  const context = page.context();
  await context.route(`${service.sandbox.url}/**`, async (route) => {
    const answer = await route.fetch({ maxRedirects: 0 });
    let { location } = answer.headers();
    if (!location) return route.fulfill({ response: answer });
    while (!location.startsWith(STORE_ORIGIN)) {
      const next: string | undefined = (
        await context.request.get(location, { maxRedirects: 0 })
      ).headers().location;
      if (!next) throw new Error(`${location} leads nowhere`);
      location = next;
    }
    return route.fulfill({
      status: 200,
      contentType: "text/html",
      body: `<!doctype html><link rel=icon href=data:,><script>location.replace(${JSON.stringify(location)})</script>`,
    });
  });
}
