// A merchant in a real browser: the service with its built screens, stores that have installed the app, and
// its screens as the store admin opens them.
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { findA11yViolations } from "./accessibility.ts";
import { openBrowser, waitForHydration, type Visit } from "./browser.ts";
import { adminUrl, connectStore, startTestApp, type StoreOptions } from "./screens-server.ts";
import type { Service, ServiceOptions } from "../service.ts";

export type ScreenOptions = { locale?: string; viewport?: { width: number; height: number } };

export type ScreenVisit = Visit & {
  /** Ends the visit and checks for errors and requests to other origins. */
  leave(): Promise<void>;
};

/** Filled in by hooks, so read it inside hooks and tests only. */
export type Merchant = Service & {
  browser: Awaited<ReturnType<typeof openBrowser>>;
  /** A store with the app installed. */
  connect(shop: string, options?: StoreOptions): Promise<void>;
  /** A store of its own for one test; returns its name. */
  newStore(options?: StoreOptions): Promise<string>;
  /** Opens a screen by its path, with an optional query. A visit that a test does not end is left after it. */
  open(path: string, options: ScreenOptions & { shop: string }): Promise<ScreenVisit>;
};

/** Starts the service and the browser for a file of tests, and stops them after it. */
export function useMerchant(options: Omit<ServiceOptions, "withScreens"> = {}): Merchant {
  let stores = 0;
  const openVisits = new Set<ScreenVisit>();
  const merchant = {
    connect: (shop, storeOptions) => connectStore(merchant, shop, storeOptions),
    async newStore(storeOptions) {
      const shop = `store-${(stores += 1)}.myshopify.com`;
      await merchant.connect(shop, storeOptions);
      return shop;
    },
    async open(path, { shop, locale, viewport }) {
      const opened = await merchant.browser.visitAgain(
        [merchant.url, merchant.sandbox.url],
        viewport && { viewport },
      );
      const visit: ScreenVisit = {
        ...opened,
        async close() {
          openVisits.delete(visit);
          await opened.close();
        },
        async leave() {
          await visit.close();
          expectNoProblem(visit);
        },
      };
      openVisits.add(visit);
      await visit.page.goto(await adminUrl(merchant, shop, path, { locale }));
      await waitForHydration(visit.page, visit.errors);
      return visit;
    },
  } as Merchant;
  beforeAll(async () => {
    const [service, browser] = await Promise.all([
      startTestApp({
        ...options,
        env: { RATE_LIMIT_SCALE: "0", ...options.env },
        withScreens: true,
      }),
      openBrowser(),
    ]);
    Object.assign(merchant, service, { browser });
  });
  afterEach(async () => {
    const visits = [...openVisits];
    await Promise.all(visits.map((visit) => visit.close()));
    for (const visit of visits) expectNoProblem(visit);
  });
  afterAll(async () => {
    await merchant.browser?.close();
    await merchant.stop?.();
  });
  return merchant;
}

function expectNoProblem({ errors, foreign }: Visit): void {
  expect(errors).toEqual([]);
  expect(foreign).toEqual([]);
}

/**
 * Checks for errors, other origins, accessibility findings, and a page that is wider than its
 * window.
 */
export async function expectHealthyPage(visit: Visit): Promise<void> {
  const { page } = visit;
  expect(await findA11yViolations(page)).toEqual([]);
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth),
  ).toBeLessThanOrEqual(0);
  expectNoProblem(visit);
}
