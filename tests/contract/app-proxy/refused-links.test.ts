// A link to a proxied page with a parameter that the page does not take.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startConsentService, type ConsentService } from "../../support/consent.ts";
import { proxied } from "../../support/browser/shopper-pages.ts";

let service: ConsentService;
beforeAll(async () => {
  service = await startConsentService();
});
afterAll(() => service.stop());

const BROWSER = {
  Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "Accept-Language": "fr-CA,fr;q=0.9",
};
/** As the platform forwards it: it signs the visitor's own parameters too. */
const open = (path: string, headers: Record<string, string> = BROWSER) =>
  fetch(proxied(service, path, ""), { headers });

describe("a proxied page that is opened with a parameter of an advertising tool", () => {
  it.each(["/embed/compliance", "/embed/cookies", "/embed/account", "/embed/dashboard"])(
    "offers the address without it: %s",
    async (path) => {
      const answer = await open(`${path}?utm_source=mail`);
      const html = await answer.text();
      expect(answer.status).toBe(401);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(html).toContain('<html lang="fr">');
      expect(html).toContain('href="?"');
      expect(html).not.toMatch(/utm_source|signature|timestamp/);
    },
  );

  it("keeps the page's language in that address, and nothing else of the query", async () => {
    const spanish = await open("/embed/compliance?locale=es-MX&fbclid=1");
    expect(await spanish.text()).toContain('href="?locale=es-MX"');
    const hostile = await open(`/embed/compliance?locale=${encodeURIComponent('en"><script>')}`);
    expect(await hostile.text()).toContain('href="?"');
  });

  it("answers a program, and a call that is no page, with the error in JSON", async () => {
    const program = await open("/embed/compliance?utm_source=mail", {});
    expect([program.status, await program.json()]).toMatchObject([
      401,
      { code: "invalid_signature" },
    ]);
    const call = await fetch(proxied(service, "/auth/consent-sync?utm_source=mail", ""), {
      method: "POST",
      headers: { ...BROWSER, "Content-Type": "application/json" },
      body: JSON.stringify({ method: "banner", consent_cookie: true }),
    });
    expect([call.status, await call.json()]).toMatchObject([401, { code: "invalid_signature" }]);
  });

  it("opens at the address that is offered", async () => {
    const answer = await open("/embed/compliance");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
  });
});
