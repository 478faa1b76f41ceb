// The shopper's pages as tests open them: on the service itself, and on the store's own address through its app proxy.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Page } from "playwright-core";
import { proxyTarget } from "../../app/sandbox/app-proxy.ts";
import { APP_SECRET, SHOP, type Service } from "./service.ts";

export const pageUrl = (service: Service, page: "account" | "dashboard", query = ""): string =>
  `${service.url}/embed/${page}?shop=${SHOP}${query}`;
export const STORE_ORIGIN = `https://${SHOP}`;

const AXE = readFileSync(
  resolve(import.meta.dirname, "../../node_modules/axe-core/axe.min.js"),
  "utf8",
);

/** What axe finds against WCAG 2.2 AA, as one line each; the page's own policy does not stop it. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const axe = (window as any).axe;
    const { violations } = await axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return violations.map(
      (found: any) => `${found.id}: ${found.nodes.map((node: any) => node.html).join(" | ")}`,
    );
  });
}

/** Whether anything is wider than a phone. */
export async function overflowAt320(page: Page): Promise<number> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  if (before) await page.setViewportSize(before);
  return Math.max(0, width - 320);
}

/** Where the store's app proxy passes a request for `path` below it on to. `customer` is empty when nobody is signed in. */
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

/** The store's address, as its app proxy answers it: signed for this customer, and without any cookie. */
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
    });
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

/** Redirects pass by what answers for the store, so they are walked by hand, with the browser's own cookies. */
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
