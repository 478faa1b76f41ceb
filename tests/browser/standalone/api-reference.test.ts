// /docs in a real browser: the reference of /openapi.json, from this service alone.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoKey } from "../../../app/http/screens/demo-key.ts";
import { findA11yViolations } from "../../support/browser/accessibility.ts";
import { openBrowser } from "../../support/browser/browser.ts";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";
import { ADMIN_KEY } from "../../support/service.ts";

let app: TestApp;
let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  [app, browser] = await Promise.all([startTestApp({ withScreens: true }), openBrowser()]);
  Object.assign(app.ctx.config, { isSandbox: true });
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

describe("the API reference", () => {
  it("shows every operation, asks no other site and has no error, on a phone too", async () => {
    for (const width of [1280, 390]) {
      const { page, errors, foreign, close } = await browser.visit([app.url], {
        viewport: { width, height: 800 },
      });
      await page.goto(`${app.url}/docs#?route=get-/admin/tenants`);
      await page.getByText("GET /admin/tenants").first().waitFor();
      expect([errors, foreign]).toEqual([[], []]);
      expect(await findA11yViolations(page)).toEqual([]);
      await close();
    }
  });

  it("calls the service with the demo key that it filled in", async () => {
    const { page, close } = await browser.visit([app.url]);
    await page.goto(`${app.url}/docs#?route=get-/admin/tenants`);
    const [request] = await Promise.all([
      page.waitForRequest((made) => made.url().includes("/admin/tenants")),
      page.getByRole("button", { name: "EXECUTE" }).first().click(),
    ]);
    expect(await request.headerValue("authorization")).toBe(`Bearer ${ADMIN_KEY}`);
    expect((await request.response())?.status()).toBe(200);
    await close();
  });
});

describe("the demo key", () => {
  const config = { isSandbox: true, HOST: "127.0.0.1", ADMIN_KEY };
  const HERE = "http://127.0.0.1:3000";

  it("is given to a browser on the sandbox's machine", () => {
    expect(demoKey(config, HERE, "127.0.0.1:3000")).toBe(ADMIN_KEY);
    expect(demoKey(config, HERE, "localhost:3000")).toBe(ADMIN_KEY);
  });

  it.each([
    ["outside the sandbox", { ...config, isSandbox: false }, HERE, "127.0.0.1:3000"],
    ["to other machines", { ...config, HOST: "0.0.0.0" }, HERE, "127.0.0.1:3000"],
    ["through a tunnel", config, "https://tunnel.example", "127.0.0.1:3000"],
    ["to a site that resolves to this machine", config, HERE, "attacker.example:3000"],
    ["without a host", config, HERE, null],
  ])("is not given %s", (_, given, baseUrl, host) => {
    expect(demoKey(given, baseUrl, host)).toBeNull();
  });
});
