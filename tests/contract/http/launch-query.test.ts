// The store admin opens the app with credentials in the address: `hmac`, made with the secret that
// also signs proxied requests and webhooks, and `id_token`, the session token. No response repeats
// either.
import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allPaths } from "../../support/all-paths.ts";
import { APP_SECRET, SHOP, startService, type Service } from "../../support/service.ts";

const AGENT = "Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0.0.0 Safari/537.36";
let service: Service;
beforeAll(async () => {
  service = await startService({ withScreens: true });
  await service.addTenant(SHOP);
});
afterAll(() => service.stop());

/** The query with which the admin opens the app, with what a visitor may add to the address. */
async function launchQuery(
  idToken: string | null,
  extra: Record<string, string> = {},
): Promise<{ query: string; hmac: string }> {
  const pairs: [string, string][] = Object.entries({
    embedded: "1",
    host: Buffer.from("admin.shopify.com/store/test-store").toString("base64url"),
    locale: "en",
    session: "5".repeat(64),
    shop: SHOP,
    timestamp: String(Math.floor(Date.now() / 1_000)),
    ...(idToken !== null && { id_token: idToken }),
    ...extra,
  });
  const message = pairs
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("&");
  const hmac = createHmac("sha256", APP_SECRET).update(message).digest("hex");
  return { query: String(new URLSearchParams([...pairs, ["hmac", hmac]])), hmac };
}

async function open(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(service.url + path, {
    redirect: "manual",
    headers: { "User-Agent": AGENT, ...headers },
  });
  return {
    status: answer.status,
    whole: `${JSON.stringify([...answer.headers])}${await answer.text()}`,
  };
}

const NEVER = /hmac(=|%3d|%253d)|id_token(=|%3d|%253d)/i;

describe("the credentials of a launch", () => {
  it.each(["a good session token", "a bad session token", "no session token"])(
    "are in no response of any path: %s",
    async (kind) => {
      const idToken =
        kind === "no session token"
          ? null
          : kind === "a good session token"
            ? await service.sandbox.storefront.sessionToken(SHOP)
            : "eyJhbGciOiJIUzI1NiJ9.eyJkZXN0IjoiaHR0cHM6Ly94In0.c2lnbmF0dXJl";
      const { query, hmac } = await launchQuery(idToken);
      const hosts: string[] = [];
      for (const path of await allPaths())
        for (const address of [`${path}?${query}`, `${path}?embedded=0&${query}`]) {
          const { whole, status } = await open(address);
          const isTold = whole.includes(hmac) || (idToken !== null && whole.includes(idToken));
          if (isTold || NEVER.test(whole) || status === 500) hosts.push(`${status} ${path}`);
        }
      expect(hosts).toEqual([]);
    },
  );

  it("are in no page of the app library, whatever its return address", async () => {
    const { query, hmac } = await launchQuery(null);
    const back = encodeURIComponent(`${service.url}/app?${query}`);
    for (const path of [
      `/auth/shopify/session-token?shop=${SHOP}&shopify-reload=${back}`,
      `/auth/shopify/exit-iframe?shop=${SHOP}&exitIframe=${back}`,
      `/auth/shopify/exit-iframe?shop=${SHOP}&exitIframe=${encodeURIComponent(`/app?${query}`)}`,
      `/auth/shopify/login?${query}`,
    ]) {
      const { whole } = await open(path);
      expect([path, whole.includes(hmac), NEVER.test(whole)]).toEqual([path, false, false]);
    }
  });

  it("are in no page of an agent's authorization", async () => {
    const { query, hmac } = await launchQuery(null);
    const { json: client } = await service.call("POST", `/oauth/register?shop=${SHOP}`, {
      key: null,
      body: { client_name: "Agent", redirect_uris: ["https://agent.example/back"] },
    });
    const authorize = new URLSearchParams({
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: "https://agent.example/back",
      code_challenge: "A".repeat(43),
      code_challenge_method: "S256",
      state: "kept",
    });
    const { status, whole } = await open(`/oauth/authorize?${authorize}&${query}`);
    expect([status, whole.includes("kept"), whole.includes(hmac), NEVER.test(whole)]).toEqual([
      200,
      true,
      false,
      false,
    ]);
  });
});

describe("an address that anybody can make up", () => {
  const failures = () => service.logged.filter(({ event }) => event === "screen.failed");

  it.each(["x", "%F0%9F%92%A3", "a%20b%3D%3D%3D", "YWRtaW4="])(
    "with a damaged host leads to the app in the admin, and is no failure of ours: %s",
    async (host) => {
      for (const more of ["", "&id_token=a.b.c"]) {
        const { status } = await open(`/app?embedded=1&shop=${SHOP}&host=${host}${more}`);
        expect(status).toBe(302);
      }
      expect(failures()).toEqual([]);
    },
  );

  it("with the parameter of an old data request shows the page, and is no failure of ours", async () => {
    const { status, whole } = await open("/docs?_data=routes%2Fapp.customers._index");
    expect([status, whole.includes("<!DOCTYPE html>")]).toEqual([200, true]);
    expect(failures()).toEqual([]);
  });
});
