// A shopper signs in and authorizes an agent in a real browser without script: the browser enforces
// the page's CSP on the form's redirect.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PASSWORD, signUp } from "../../contract/identity/people.ts";
import { authorizePath, newClient, pkce, swapCode } from "../../support/agents/agent.ts";
import { openBrowser } from "../../support/browser/browser.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let agent: Server;
let redirect: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
  await service.addTenant(SHOP, { brand_name: "Kestrel Outdoor" });
  agent = createServer((_request, response) =>
    response
      .writeHead(200, { "Content-Type": "text/html" })
      .end("<!doctype html><link rel=icon href=data:,><h1>Back at the agent</h1>"),
  );
  await new Promise<void>((ready) => agent.listen(0, "127.0.0.1", ready));
  redirect = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/callback`;
});
afterAll(async () => {
  await browser?.close();
  agent?.closeAllConnections();
  await new Promise((closed) => agent?.close(closed));
  await service?.stop();
});

it("the shopper signs in, reviews the request, allows it, and returns to the agent with a valid code", async () => {
  const { email } = await signUp(service);
  // Another port than the registered one, which loopback redirects allow.
  const client = await newClient(service, {
    client_name: "Trail Planner",
    redirect_uris: ["http://127.0.0.1/callback"],
  });
  const { verifier, challenge } = pkce();
  const { page, errors, foreign, close } = await browser.visit(
    [service.url, new URL(redirect).origin],
    { javaScriptEnabled: false },
  );
  await page.goto(service.url + authorizePath(client, challenge, { redirect_uri: redirect }));
  expect(await page.title()).toBe("Sign in to decide - Kestrel Outdoor");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill("not the password");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();
  expect(await page.getByLabel("Email address").inputValue()).toBe(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Let this agent act for you?" }).waitFor();
  const text = await page.locator("main").innerText();
  for (const phrase of [
    "Trail Planner",
    new URL(redirect).host,
    email,
    "see your orders",
    "It cannot",
    "set up payment mandates",
    "see your password",
    "after 30 days",
  ])
    expect(text).toContain(phrase);
  // Enter must not allow the request: the form's first button rejects.
  expect(await page.getByRole("button").first().innerText()).toBe("Cancel");
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await page.getByRole("heading", { name: "Back at the agent" }).waitFor();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get("state"), searchParams.get("iss")]).toEqual(["st-1", service.url]);
  expect(
    (
      await swapCode(
        service,
        client,
        { code: searchParams.get("code") as string, verifier },
        { redirect_uri: redirect },
      )
    ).status,
  ).toBe(200);
  expect(errors.filter((line) => !line.includes("401"))).toEqual([]);
  expect(foreign).toEqual([]);
  await close();
});
