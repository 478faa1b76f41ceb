// The shoppers' pages with the colours of the reader's system, as of Windows.
import { afterAll, beforeAll, expect, test } from "vitest";
import { plainLook } from "../../../../app/embeds/account-pages.ts";
import {
  renderAgentConsent,
  renderAgentSignIn,
} from "../../../../app/embeds/agents/agent-pages.ts";
import { openBrowser } from "../../../support/browser/browser.ts";

let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

const look = plainLook("en", "Kestrel Outdoor");
const agent = { name: "Trail Planner", host: null, returnsTo: "agent.example" };
const PAGES: [string, string, string][] = [
  [
    "what an agent can and cannot do",
    ":is(.can, .cannot) > li",
    renderAgentConsent(look, {
      agent,
      action: "/oauth/authorize",
      csrf: "token",
      scopes: ["profile"],
      offered: ["profile", "orders"],
      idleDays: 30,
      account: "ada@example.com",
    }),
  ],
  [
    "the ways to sign in",
    ".mark",
    renderAgentSignIn(look, {
      agent,
      action: "/oauth/authorize",
      email: "",
      problem: null,
      elsewhere: [
        { provider: "federated", href: "/auth/federated/login" },
        { provider: "storefront", href: "/auth/storefront/login" },
      ],
      federatedBrand: null,
    }),
  ],
];

test.each(PAGES)("the marks of %s stand out from the ground", async (_, marked, html) => {
  const { page, close } = await browser.visit([], { forcedColors: "active", colorScheme: "dark" });
  await page.setContent(html);
  const colors = await page
    .locator(marked)
    .evaluateAll((all) =>
      all.map((one) => [
        getComputedStyle(one, "::before").backgroundColor,
        getComputedStyle(document.body).backgroundColor,
      ]),
    );
  expect(colors.length).toBeGreaterThan(1);
  for (const [mark, ground] of colors) expect(mark).not.toBe(ground);
  await close();
});
