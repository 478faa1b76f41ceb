import { request } from "node:http";
import { Script } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox } from "../../../app/sandbox/server.ts";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  post,
  send,
  SHOP,
  startTestApp,
} from "../../sandbox/sandbox-fixture.ts";
import type { TestApp } from "../../sandbox/sandbox-fixture.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  app.sandbox.storefront.install(SHOP);
});
afterAll(() => app.stop());

const FORM = { "content-type": "application/x-www-form-urlencoded" };

function statusWithHost(host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(app.sandbox.url);
    request({ hostname, port, path: "/", headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

describe("the control endpoints", () => {
  it.each([
    ["a foreign Origin", { origin: "https://elsewhere.example" }],
    ["an opaque Origin", { origin: "null" }],
    ["a cross-site fetch", { "sec-fetch-site": "cross-site" }],
    ["another port of this machine", { "sec-fetch-site": "same-site" }],
  ])("reject %s and change nothing", async (_case, headers) => {
    const before = app.sandbox.storefront.customers(SHOP).length;
    const reply = await post(
      `${app.sandbox.url}/_control/customers`,
      new URLSearchParams({ shop: SHOP, first_name: "Eve" }).toString(),
      { ...FORM, ...headers },
    );
    expect(reply.status).toBe(403);
    expect(app.sandbox.storefront.customers(SHOP)).toHaveLength(before);
  });

  it("reject a host name that is not loopback (DNS rebinding)", async () => {
    expect(await statusWithHost("rebound.example")).toBe(403);
    expect(await statusWithHost(new URL(app.sandbox.url).host)).toBe(200);
  });

  it("create and update a customer as JSON, and return the deliveries", async () => {
    const made = await post(`${app.sandbox.url}/_control/customers`, {
      shop: SHOP,
      first_name: "Ada",
      last_name: "Byron",
      email: "ada@shopper.example",
      tags: ["vip"],
    });
    expect(made).toMatchObject({
      status: 200,
      body: { gid: expect.stringMatching(/^gid:\/\/shopify\/Customer\/\d{16,}$/), deliveries: [] },
    });
    const changed = await post(`${app.sandbox.url}/_control/customers/change`, {
      shop: SHOP,
      gid: made.body.gid,
      patch: { first_name: "Augusta" },
      api_version: "2024-10",
    });
    expect(changed.status).toBe(200);
    expect(app.sandbox.storefront.customer(SHOP, made.body.gid)).toMatchObject({
      firstName: "Augusta",
      lastName: "Byron",
    });
  });

  it("pay for a cart, once there is one", async () => {
    expect(
      (
        await post(`${app.sandbox.url}/_control/pay`, {
          shop: SHOP,
          url: "https://nowhere.example/",
        })
      ).status,
    ).toBe(400);
    const variant = app.sandbox.storefront.putProduct(SHOP, {
      title: "Tea",
      variants: [{ price: "3.00" }],
    }).variants[0]?.gid;
    const query =
      "mutation CartCreate($input: CartInput!) { cartCreate(input: $input) { cart { checkoutUrl } userErrors { message } } }";
    const cart = await post(`${app.sandbox.url}/storefront/${SHOP}/api/2026-04/graphql.json`, {
      query,
      variables: { input: { lines: [{ merchandiseId: variant, quantity: 2 }] } },
    });
    const paid = await post(`${app.sandbox.url}/_control/pay`, {
      shop: SHOP,
      url: cart.body.data.cartCreate.cart.checkoutUrl,
    });
    expect(paid).toMatchObject({
      status: 200,
      body: { gid: expect.stringContaining("/Order/"), name: expect.stringMatching(/^#/) },
    });
  });

  it("accept the page's own forms and redirect back to it", async () => {
    const reply = await post(
      `${app.sandbox.url}/_control/customers`,
      new URLSearchParams({ shop: SHOP, first_name: "Form", tags: "a, b" }).toString(),
      { ...FORM, origin: app.sandbox.url, "sec-fetch-site": "same-origin" },
    );
    expect(reply.status).toBe(303);
    expect(app.sandbox.storefront.customers(SHOP).at(-1)).toMatchObject({
      firstName: "Form",
      tags: ["a", "b"],
    });
  });

  it("plan a failure and reject a malformed one", async () => {
    expect(
      (
        await post(`${app.sandbox.url}/_control/fail-next`, {
          system: "cms",
          fault: { nonsense: true },
        })
      ).status,
    ).toBe(400);
    expect(
      (
        await post(`${app.sandbox.url}/_control/fail-next`, {
          system: "cms",
          fault: { status: 503 },
        })
      ).status,
    ).toBe(200);
    expect(
      (await send("GET", `${app.sandbox.addresses.cmsApiUrl}/sites/x/collections`, undefined))
        .status,
    ).toBe(503);
    expect(
      (await send("GET", `${app.sandbox.addresses.cmsApiUrl}/sites/x/collections`, undefined))
        .status,
    ).toBe(401);
  });

  it("show a system's contents", async () => {
    expect(
      await send("GET", `${app.sandbox.url}/_control/state?system=email`, undefined),
    ).toMatchObject({
      status: 200,
      body: { system: "email", state: { inbox: expect.any(Array) } },
    });
  });
});

describe("the console pages", () => {
  it("escape users' texts", async () => {
    app.sandbox.storefront.putCustomer(SHOP, {
      firstName: "<script>alert(1)</script>",
      email: "x@shopper.example",
    });
    await post(
      `${app.sandbox.addresses.emailApiUrl}/emails`,
      {
        from: "a@store.example",
        to: "b@shopper.example",
        subject: "<b>Hi</b>",
        html: '"><script>1</script>',
      },
      { authorization: "Bearer k" },
    );
    const tab = async (name: string) =>
      (await send("GET", `${app.sandbox.url}/?tab=${name}`, undefined)).body as string;
    const overview = (await tab("customers")) + (await tab("mail"));
    const mail = (
      await send(
        "GET",
        `${app.sandbox.url}/inbox/${app.sandbox.email.inbox().at(-1)?.id}`,
        undefined,
      )
    ).body as string;
    expect(overview).toContain("&#60;script&#62;alert(1)");
    expect(overview + mail).not.toContain("<script>");
    expect(overview + mail).not.toContain("<b>Hi");
    expect(mail).toContain("sandbox=");
  });

  it("issue session tokens to the app's own pages and to no other site", async () => {
    const url = `${app.sandbox.url}/session-token?shop=${SHOP}`;
    const own = await send("GET", url, undefined, { origin: app.appUrl });
    expect(own.headers.get("access-control-allow-origin")).toBe(app.appUrl);
    expect(own.body.split(".")).toHaveLength(3);
    expect(
      (await send("GET", url, undefined, { origin: "https://elsewhere.example" })).status,
    ).toBe(403);
  });

  it("serve an App Bridge double that is a valid script", async () => {
    const { body } = await send("GET", app.sandbox.addresses.appBridgeUrl, undefined);
    expect(() => new Script(body)).not.toThrow();
  });

  it("open the app from the store's admin with a session token", async () => {
    const reply = await send("GET", `${app.storefront}/admin/apps/customer-identity`, undefined);
    const target = new URL(reply.headers.get("location") ?? "");
    expect(target.origin + target.pathname).toBe(`${app.appUrl}/app`);
    expect(Object.fromEntries(target.searchParams)).toMatchObject({
      embedded: "1",
      shop: SHOP,
      id_token: expect.any(String),
      host: expect.any(String),
    });
  });
});

describe("faults", () => {
  const collections = (): string =>
    `${app.sandbox.addresses.cmsApiUrl}/sites/650000000000000000000001/collections`;
  const read = () => send("GET", collections(), undefined, { authorization: "Bearer k" });

  it("reset the connection, then let the next request through", async () => {
    app.sandbox.failNext("cms", { reset: true });
    await expect(read()).rejects.toThrow();
    expect((await read()).status).toBe(200);
  });

  it("answer an error that repeats the request", async () => {
    app.sandbox.failNext("cms", { echoes: 422 });
    const reply = await read();
    expect(reply.status).toBe(422);
    expect(JSON.stringify(reply.body)).toContain("Bearer ");
  });

  it("answer half a JSON body", async () => {
    app.sandbox.failNext("cms", { garbage: true });
    const reply = await read();
    expect(reply.status).toBe(200);
    expect(typeof reply.body).toBe("string");
  });

  it("affect only matching requests, as often as planned", async () => {
    app.sandbox.failNext("cms", { status: 500, match: /items/ }, Infinity);
    expect((await read()).status).toBe(200);
    const items = () =>
      send(
        "GET",
        `${app.sandbox.addresses.cmsApiUrl}/collections/${app.sandbox.cms.customersCollectionId}/items`,
        undefined,
        { authorization: "Bearer k" },
      );
    expect([(await items()).status, (await items()).status]).toEqual([500, 500]);
    app.sandbox.clearFaults();
    expect((await items()).status).toBe(200);
  });

  it("a hanging request ends with the sandbox", async () => {
    const other = await startSandbox({
      app: { url: app.appUrl, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
    });
    other.failNext("erp", { hang: Infinity });
    const asked = new Promise<string>((resolve) => {
      const hanging = request(`${other.addresses.erpBaseUrl}/x`, () => resolve("answered"));
      hanging
        .on("error", () => resolve("closed"))
        .on("finish", () => undefined)
        .end();
      const stopOnceSeen = (): void =>
        void (other.requests("erp").length > 0 ? other.stop() : setImmediate(stopOnceSeen));
      stopOnceSeen();
    });
    expect(await asked).toBe("closed");
  });

  it("every request is recorded with its body", async () => {
    await post(
      `${app.sandbox.addresses.retailAnalyticsBUrl}/sales?day=1`,
      { sku: "A" },
      { authorization: "Bearer k" },
    );
    expect(app.sandbox.requests("retailAnalyticsB").at(-1)).toMatchObject({
      method: "POST",
      path: "/sales?day=1",
      body: { sku: "A" },
    });
  });
});
