// The addresses that the platform makes of the manifest: application_url and the relative uri,
// joined as the CLI does.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { APP_SECRET, sign, SHOP, startService, type Service } from "../../support/service.ts";

const manifest = readFileSync(join(import.meta.dirname, "../../../shopify.app.toml"), "utf8");
const application = /^application_url = "([^"]+)"$/m.exec(manifest)?.[1] as string;
/** The CLI removes a trailing slash of application_url and appends the uri. */
const addresses = [...manifest.matchAll(/^\s+uri = "([^"]+)"$/gm)].map(
  ([, uri]) => application.replace(/\/$/, "") + uri,
);

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

const body = JSON.stringify({ shop_domain: SHOP, shop_id: 1, customer: { id: 1 } });
const post = (address: string, headers: Record<string, string>) =>
  service.call("POST", new URL(address).pathname, {
    key: null,
    body,
    headers: { "X-Shopify-Shop-Domain": SHOP, "X-Shopify-Webhook-Id": address, ...headers },
  });

describe.each(addresses)("%s", (address) => {
  it("answers 401 without a signature, with a wrong one, and with one of another secret", async () => {
    expect((await post(address, {})).status).toBe(401);
    expect((await post(address, { "X-Shopify-Hmac-Sha256": "AAAA" })).status).toBe(401);
    const foreign = sign(body, "another-secret-0123456789");
    expect((await post(address, { "X-Shopify-Hmac-Sha256": foreign })).status).toBe(401);
  });

  it("answers 200 with the app's signature", async () => {
    const signature = sign(body, APP_SECRET);
    expect((await post(address, { "X-Shopify-Hmac-Sha256": signature })).status).toBe(200);
  });
});

it("the tests above cover all five addresses of the manifest", () => {
  expect(addresses).toHaveLength(5);
});
