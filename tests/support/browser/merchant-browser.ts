// A merchant in a real browser: the whole service with its built screens, a connected store, and
// pages of the app.
import { expect } from "vitest";
import { findA11yViolations } from "./accessibility.ts";
import { openBrowser, waitForHydration, type Visit } from "./browser.ts";
import { adminHostOf, installApp } from "./screens-server.ts";
import { OTHER_SHOP, SHOP, startService, type Service, type ServiceOptions } from "../service.ts";

type Browser = Awaited<ReturnType<typeof openBrowser>>;
type OpenOptions = { shop: string; locale?: string; viewport?: { width: number; height: number } };

export type Shop = {
  service: Service;
  /** Connects a store as an install does. */
  connect(shop: string, fields?: Record<string, unknown>): Promise<void>;
  open(path: string, options: OpenOptions): Promise<Visit>;
  stop(): Promise<void>;
};

export async function startShop(options: ServiceOptions = {}): Promise<Shop> {
  const [service, browser]: [Service, Browser] = await Promise.all([
    startService({ withScreens: true, ...options }),
    openBrowser(),
  ]);
  return {
    service,
    async connect(shop, fields) {
      await service.addTenant(shop, fields);
      await installApp(service, shop, { expiresIn: 86_400 });
    },
    async open(path, { shop, locale, viewport }) {
      const visit = await browser.visitAgain(
        [service.url, service.sandbox.url],
        viewport && { viewport },
      );
      await visit.page.goto(await adminUrl(service, shop, path, locale));
      await waitForHydration(visit.page, visit.errors);
      return visit;
    },
    async stop() {
      await browser.close();
      await service.stop();
    },
  };
}

/** Two stores with the service, each furnished with scripts of others on its storefront. */
export async function startFurnishedShops(): Promise<Shop> {
  const started = await startShop();
  for (const shop of [SHOP, OTHER_SHOP]) {
    await started.connect(shop);
    started.service.sandbox.storefront.furnish(shop);
  }
  return started;
}

/** The address at which the admin opens a page of the app. */
export async function adminUrl(
  service: Service,
  shop: string,
  path: string,
  locale = "en",
): Promise<string> {
  const [pathname, query = ""] = path.split("?");
  const asked = new URLSearchParams(query);
  for (const [name, value] of Object.entries({
    embedded: "1",
    shop,
    host: adminHostOf(shop),
    locale,
    id_token: await service.sandbox.storefront.sessionToken(shop),
  }))
    asked.set(name, value);
  return `${service.url}${pathname}?${asked}`;
}

/** Sends a page's loader or action request with a session token of that store. */
export async function askAs(
  service: Service,
  shop: string,
  path: string,
  action?: { intent: string; [field: string]: unknown },
): Promise<{ status: number; text: string }> {
  const response = await fetch(service.url + path, {
    method: action ? "POST" : "GET",
    redirect: "manual",
    headers: {
      "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36",
      Authorization: `Bearer ${await service.sandbox.storefront.sessionToken(shop)}`,
      ...(action && { "Content-Type": "application/json" }),
    },
    ...(action && { body: JSON.stringify(action) }),
  });
  return { status: response.status, text: await response.text() };
}

/**
 * Checks for errors, other origins, accessibility findings, and a page that is wider than its
 * window.
 */
export async function expectHealthyPage({ page, errors, foreign }: Visit): Promise<void> {
  expect(await findA11yViolations(page)).toEqual([]);
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
  ).toBeLessThanOrEqual(0);
  expect(errors).toEqual([]);
  expect(foreign).toEqual([]);
}
