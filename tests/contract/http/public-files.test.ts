// The files of `public/` over HTTP.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApp, type TestApp } from "../../support/browser/screens-server.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ withScreens: true });
});
afterAll(() => app.stop());

describe("the files of public/", () => {
  it.each([
    ["/favicon.ico", "image/x-icon"],
    ["/favicon.svg", "image/svg+xml"],
    ["/app-icon.png", "image/png"],
    ["/robots.txt", "text/plain"],
    ["/llms.txt", "text/plain"],
    ["/.well-known/security.txt", "text/plain"],
  ])("%s is served, also to HEAD", async (path, type) => {
    for (const method of ["GET", "HEAD"]) {
      const answer = await fetch(app.url + path, { method });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toContain(type);
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
    }
  });

  it("security.txt names a contact and its expiry (RFC 9116)", async () => {
    const text = await (await fetch(`${app.url}/.well-known/security.txt`)).text();
    expect(text).toMatch(/^Contact: (mailto:|https:)/m);
    expect(text).toMatch(/^Expires: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/m);
  });

  it("a missing file answers a JSON 404 below the API's segments", async () => {
    const answer = await fetch(`${app.url}/.well-known/nothing.txt`);
    expect([answer.status, (await answer.json()).code]).toEqual([404, "not_found"]);
  });
});
