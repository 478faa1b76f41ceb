// The shopper's dashboard as tests open it in a real browser: a running store, and before each test
// a shopper of its own.
import { findA11yViolations } from "./accessibility.ts";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { PASSWORD } from "../../contract/identity/people.ts";
import { newClient, newTokens } from "../agents/agent.ts";
import { openBrowser, type Visit } from "./browser.ts";
import { newShopper, openStore, type Shopper } from "../agents/commerce.ts";
import { SHOP, startService, type Service } from "../service.ts";
import { overflowAt320, pageUrl, STORE_ORIGIN } from "./shopper-pages.ts";

type DashboardVisit = Visit & { token: string };

/** Filled in by hooks, so read it inside tests only. */
export type Dashboard = {
  service: Service;
  browser: Awaited<ReturnType<typeof openBrowser>>;
  shopper: Shopper;
  /**
   * Signed in by cookie on this host, as the account page does it; returns that session's token.
   * Null: signed out.
   */
  open(person?: Shopper | null): Promise<DashboardVisit>;
  /** A new agent that this test's shopper authorizes. */
  linkAgent(name: string): Promise<{
    client: Awaited<ReturnType<typeof newClient>>;
    tokens: Awaited<ReturnType<typeof newTokens>>;
  }>;
};

export function useDashboard(): Dashboard {
  const dashboard = {
    async open(person: Shopper | null = dashboard.shopper) {
      const visit = await dashboard.browser.visit([
        dashboard.service.url,
        dashboard.service.sandbox.url,
      ]);
      const token = person ? await signIn(dashboard.service, visit.page, person) : "";
      await visit.page.goto(pageUrl(dashboard.service, "dashboard"));
      if (person) await visit.page.getByText(person.email).waitFor();
      return { ...visit, token };
    },
    async linkAgent(client_name: string) {
      const client = await newClient(dashboard.service, { client_name });
      return {
        client,
        tokens: await newTokens(dashboard.service, client, dashboard.shopper.token),
      };
    },
  } as Dashboard;
  beforeAll(async () => {
    [dashboard.service, dashboard.browser] = await Promise.all([
      startService({ background: true }),
      openBrowser(),
    ]);
    await openStore(dashboard.service);
    await dashboard.service.call("POST", `/config?shop=${SHOP}`, {
      body: { auth_redirect_origin: STORE_ORIGIN },
    });
  });
  afterAll(async () => {
    await dashboard.browser?.close();
    await dashboard.service?.stop();
  });
  beforeEach(async () => {
    dashboard.shopper = await newShopper(dashboard.service);
  });
  return dashboard;
}

async function signIn(service: Service, page: Page, { email }: Shopper): Promise<string> {
  await page.goto(`${service.url}/embed/account.js`);
  return page.evaluate(
    async ({ shop, ...body }) =>
      (
        await (
          await fetch(`/auth/login?shop=${shop}`, {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify(body),
          })
        ).json()
      ).token,
    { shop: SHOP, email, password: PASSWORD },
  );
}

export const settled = (page: Page) =>
  page.waitForFunction(() => document.querySelectorAll("[aria-busy=true]").length === 0);

/**
 * Checks that no request is pending, there are no accessibility findings, and nothing is wider than
 * a phone.
 */
export async function expectHealthyPage(page: Page): Promise<void> {
  await settled(page);
  expect(await findA11yViolations(page, { strict: true })).toEqual([]);
  expect(await overflowAt320(page)).toBe(0);
}

/**
 * Checks that there are no console errors except expected rejections, and no requests to other
 * origins.
 */
export const noErrors = ({ errors, foreign }: Visit) =>
  expect([errors.filter((line) => !/status of (401|403)/.test(line)), foreign]).toEqual([[], []]);

/** The file that the browser saves when the button is pressed. */
export async function downloaded(
  page: Page,
  button: string,
): Promise<{ name: string; text: string }> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button }).first().click(),
  ]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}
