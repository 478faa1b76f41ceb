// A logo that a merchant uploads to a store of the sandbox, whose files have no https, on the pages of its
// shoppers.
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { saveTenantConfig } from "../../../app/domain/tenants/settings/configuration.ts";
import { uploadLogo } from "../../../app/domain/tenants/storefront/logo-upload.ts";
import { getTenant } from "../../../app/domain/tenants/tenant.ts";
import { useMerchant } from "../../support/browser/merchant.ts";
import { SHOP } from "../../support/service.ts";

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const PAGES = ["/embed/account", "/embed/dashboard", "/embed/compliance", "/embed/cookies"];
const app = useMerchant();

beforeAll(async () => {
  await app.connect(SHOP, { scope: "write_customers,write_files" });
  const logo = new File([PIXEL], "logo.png", { type: "image/png" });
  const uploaded = await uploadLogo(app.ctx, await getTenant(app.ctx, SHOP), logo);
  await saveTenantConfig(
    app.ctx,
    SHOP,
    { logo_url: (uploaded as { url: string }).url },
    { by: "store" },
  );
});
beforeEach(() => void Object.assign(app.ctx.config, { isSandbox: true }));
afterEach(() => void Object.assign(app.ctx.config, { isSandbox: false }));

test.each([...PAGES, "/privacy", "/auth/password/reset"])("%s shows the logo", async (path) => {
  const { page, errors, close } = await app.browser.visit([app.url, app.sandbox.url]);
  await page.goto(`${app.url}${path}?shop=${SHOP}`);
  const width = (image: HTMLImageElement) => image.naturalWidth;
  expect(await page.locator("img.logo").evaluate(width)).toBe(1);
  expect(errors.filter((text) => text.includes("Content Security Policy"))).toEqual([]);
  await close();
});

test("only the sandbox's own address is allowed beside https, and none without the sandbox", async () => {
  const imagesOf = async (path: string) =>
    /img-src ([^;]*)/.exec(
      (await fetch(`${app.url}${path}?shop=${SHOP}`)).headers.get("content-security-policy") ?? "",
    )?.[1];
  for (const path of [...PAGES, "/privacy"])
    expect(await imagesOf(path)).toBe(`'self' https: data: ${app.sandbox.url}`);
  Object.assign(app.ctx.config, { isSandbox: false });
  for (const path of [...PAGES, "/privacy"])
    expect(await imagesOf(path)).toBe("'self' https: data:");
});
