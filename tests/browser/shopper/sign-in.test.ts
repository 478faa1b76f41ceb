// A shopper signs in at the identity provider in a real browser and returns to the store signed in.
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBrowser } from "../../support/browser/browser.ts";
import { SHOP, startService, type Service } from "../../support/service.ts";

let service: Service;
let browser: Awaited<ReturnType<typeof openBrowser>>;
let store: Server;
let storeOrigin: string;

const VERIFIER = "what-only-the-tab-that-began-knows-0123456789";
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

// The return page: it shows what the store's own script would see, and exchanges the code as the
// loader does.
const PAGE = (
  serviceUrl: string,
) => `<!doctype html><title>The store</title><h1>Welcome back</h1><p id="who">waiting</p><script>
const code = new URLSearchParams(location.hash.slice(1)).get("session_code");
const show = (text) => { document.getElementById("who").textContent = text; };
const base = ${JSON.stringify(serviceUrl)};
const query = "?shop=${SHOP}";
if (code) {
  history.replaceState(null, "", location.pathname);
  fetch(base + "/auth/session" + query, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ code, handoff_verifier: ${JSON.stringify(VERIFIER)} }) })
    .then((answer) => answer.json())
    .then(({ token }) => fetch(base + "/auth/me" + query, { headers: { Authorization: "Bearer " + token } }))
    .then((answer) => answer.json()).then(({ user }) => show("token of " + user.email), (error) => show("failed " + error));
} else show(new URLSearchParams(location.search).get("error") ?? "no code");
</script>`;

beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), openBrowser()]);
  store = createServer((_request, response) =>
    response.writeHead(200, { "Content-Type": "text/html" }).end(PAGE(service.url)),
  );
  await new Promise<void>((ready) => store.listen(0, "127.0.0.1", ready));
  storeOrigin = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
  await service.addTenant(SHOP, { auth_redirect_origin: storeOrigin });
});
afterAll(async () => {
  await browser?.close();
  store?.closeAllConnections();
  await new Promise((closed) => store?.close(closed));
  await service?.stop();
});

const origins = () => [service.url, service.sandbox.url, storeOrigin];

test("a shopper picks an account at the provider and returns to the store with the session cookie", async () => {
  const { page, errors, foreign, close } = await browser.visit(origins());
  await page.goto(`${service.url}/auth/federated/login?shop=${SHOP}&return_to=/account`);
  await page.getByRole("heading", { name: "Sign in to the federated provider" }).waitFor();
  await page.getByRole("button", { name: "Sign in as Ada Byron" }).click();
  await page.getByRole("heading", { name: "Welcome back" }).waitFor();
  expect(page.url()).toBe(`${storeOrigin}/account`);
  const cookie = (await page.context().cookies(service.url)).find(
    ({ name }) => name === "__Host-crm_session",
  );
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: "None", path: "/" });
  const me = await service.call("GET", `/auth/me?shop=${SHOP}`, {
    key: null,
    headers: { cookie: `${cookie?.name}=${cookie?.value}` },
  });
  expect(me.json.user).toMatchObject({
    email: "ada@example.com",
    provider: "federated",
    full_name: "Ada Byron",
  });
  expect(await page.evaluate("document.cookie")).toBe("");
  expect({ errors, foreign }).toEqual({ errors: [], foreign: [] });
  await close();
});

test("with blocked cookies the store's page exchanges the code of the URL for a token and removes it from the URL", async () => {
  const { page, errors, foreign, close } = await browser.visit(origins());
  await page.goto(
    `${service.url}/auth/federated/login?shop=${SHOP}&handoff=fragment&handoff_challenge=${CHALLENGE}&return_to=/account`,
  );
  await page.getByLabel("Email", { exact: true }).fill("new-person@example.com");
  await page.getByLabel("Name").fill("New Person");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("token of new-person@example.com").waitFor();
  expect(page.url()).toBe(`${storeOrigin}/account`);
  expect({ errors, foreign }).toEqual({ errors: [], foreign: [] });
  await close();
});

test("a shopper who cancels returns to the store with a message and is not signed in", async () => {
  const { page, errors, close } = await browser.visit(origins());
  await page.goto(`${service.url}/auth/federated/login?shop=${SHOP}&return_to=/account`);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("access_denied").waitFor();
  expect(page.url()).toBe(`${storeOrigin}/account?error=access_denied`);
  expect((await page.context().cookies(service.url)).map(({ name }) => name)).not.toContain(
    "__Host-crm_session",
  );
  expect(errors).toEqual([]);
  await close();
});

test("the URL of a finished sign-in leads its own browser back to the store with a message, and another browser to an error page", async () => {
  const { page, close } = await browser.visit(origins());
  let callback = "";
  page.on("request", (request) => {
    if (request.url().includes("/auth/federated/callback")) callback = request.url();
  });
  await page.goto(`${service.url}/auth/federated/login?shop=${SHOP}`);
  await page.getByRole("button", { name: "Sign in as Ada Byron" }).click();
  await page.getByRole("heading", { name: "Welcome back" }).waitFor();
  const other = await browser.visit(origins());
  expect((await other.page.goto(callback))?.status()).toBe(400);
  expect(await other.page.getByRole("heading").count()).toBe(1);
  await page.goto(callback);
  await page.getByText("invalid_state").waitFor();
  expect(page.url()).toBe(`${storeOrigin}/?error=invalid_state`);
  expect(await other.page.context().cookies()).toEqual([]);
  await other.close();
  await close();
});
