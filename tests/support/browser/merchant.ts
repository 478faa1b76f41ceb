// A merchant in the app's screens: a connected store, and a browser that opens them as the store
// admin does.
import { expect } from "vitest";
import { changeTenantRecord, registerTenant } from "../../../app/domain/tenants/tenant-record.ts";
import { waitForHydration, type openBrowser, type Visit } from "./browser.ts";
import { embeddedUrl, installApp, type TestApp } from "./screens-server.ts";

type Browser = Awaited<ReturnType<typeof openBrowser>>;

export async function connectStore(
  app: TestApp,
  shop: string,
  fields: Record<string, unknown> = {},
  scope = "write_customers,read_products,read_orders,read_customer_merge",
): Promise<void> {
  await registerTenant(app.ctx, shop);
  await installApp(app, shop, { scope, expiresIn: 3_600 });
  if (Object.keys(fields).length > 0) await changeTenantRecord(app.ctx, shop, { set: fields });
}

export type MerchantVisit = Visit & {
  /** Ends the visit and checks for errors and requests to other origins. */
  leave(): Promise<void>;
};

/** Opens a screen by its path, with an optional query. */
export async function openScreen(
  app: TestApp,
  browser: Browser,
  shop: string,
  path: string,
  options?: Parameters<Browser["visitAgain"]>[1],
): Promise<MerchantVisit> {
  const visit = await browser.visitAgain([app.url, app.sandbox.url], options);
  const [pathname, query] = path.split("?");
  await visit.page.goto(
    `${await embeddedUrl(app, shop, { path: pathname as string })}${query ? `&${query}` : ""}`,
  );
  await waitForHydration(visit.page, visit.errors);
  return {
    ...visit,
    async leave() {
      expect(visit.errors).toEqual([]);
      expect(visit.foreign).toEqual([]);
      await visit.close();
    },
  };
}
