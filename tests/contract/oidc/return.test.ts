// The callback: the session cookie, the return path, and the session code where third-party cookies are
// blocked.
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  approve,
  begin,
  followCallback,
  errorOf,
  PROVIDERS,
  putPerson,
  sessionOf,
  signedInUser,
  signInAs,
} from "../../support/browser/sign-in-journey.ts";
import { rawRequest } from "../../support/raw-request.ts";
import {
  OTHER_SHOP,
  RETURN_ORIGIN,
  SHOP,
  startService,
  type Service,
} from "../../support/service.ts";

let service: Service;
const subs = {} as Record<"federated" | "storefront", string>;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP);
  await service.addTenant(OTHER_SHOP);
  for (const provider of PROVIDERS)
    subs[provider] = putPerson(service, provider, `grace-${provider}@example.com`);
});
afterAll(() => service.stop());

const HOSTILE = [
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "\\/evil.example",
  "https://evil.example",
  "https:evil.example",
  "//evil.example/%2f..",
  "javascript:alert(1)",
  "/.//evil.example",
  "/..//evil.example",
  "/account/..//evil.example",
  "/%2e//evil.example",
  "/%2e%2e//evil.example",
  "/./\\evil.example",
  "/\t/evil.example",
  "/\r\nSet-Cookie: a=b",
  "/\n//evil.example",
  " //evil.example",
  "@evil.example",
  ".evil.example",
  ":443/",
  "",
  `/${"x".repeat(2_000)}`,
];
const HARMLESS = [
  ["/account", "/account"],
  ["/account?tab=orders&page=2", "/account?tab=orders&page=2"],
  ["/account#part", "/account"],
  ["/caf%C3%A9", "/caf%C3%A9"],
  // Encoded slashes are path characters, not a new host.
  ["/%2F%2Fevil.example", "/%2F%2Fevil.example"],
  ["/%5Cevil.example", "/%5Cevil.example"],
  ["/%0d%0aSet-Cookie:%20a=b", "/%0d%0aSet-Cookie:%20a=b"],
  ["/a//b", "/a//b"],
] as const;

describe.each(PROVIDERS)("a %s sign-in", (provider) => {
  it("ends at the return origin with the contract's session cookie", async () => {
    const answer = await signInAs(service, provider, subs[provider]);
    expect(answer.status).toBe(302);
    expect(answer.headers.get("location")).toBe(`${RETURN_ORIGIN}/`);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("set-cookie")).toMatch(
      /^__Host-crm_session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; Secure; SameSite=None; Partitioned; Max-Age=604800$/,
    );
    expect(await signedInUser(service, answer)).toMatchObject({
      email: `grace-${provider}@example.com`,
      provider,
      status: "active",
      email_verified: true,
    });
    const claims = JSON.parse(
      Buffer.from(sessionOf(answer)?.split(".")[1] ?? "", "base64url").toString("utf8"),
    );
    expect(Object.keys(claims).sort()).toEqual(["email", "exp", "iat", "name", "provider", "sub"]);
    expect(claims).toMatchObject({
      sub: expect.any(String),
      provider,
      email: `grace-${provider}@example.com`,
    });
  });

  it("deletes state and verifier", async () => {
    const journey = await begin(service, provider);
    await followCallback(service, await approve(journey, subs[provider]), journey.cookie);
    expect(
      await service.database.query("SELECT key FROM kv WHERE key LIKE '%' || $1", [journey.state]),
    ).toEqual([]);
  });

  it.each(HARMLESS)("asked to return to %s ends at %s", async (wanted, path) => {
    const answer = await signInAs(service, provider, subs[provider], { return_to: wanted });
    expect(answer.headers.get("location")).toBe(RETURN_ORIGIN + path);
  });

  it.each(HOSTILE)("asked to return to %j ends at the return origin's root", async (wanted) => {
    const journey = await begin(service, provider, { return_to: wanted });
    expect(
      (
        await followCallback(service, await approve(journey, subs[provider]), journey.cookie)
      ).headers.get("location"),
    ).toBe(`${RETURN_ORIGIN}/`);
    const cancelled = await begin(service, provider, { return_to: wanted });
    const failed = await followCallback(
      service,
      new URL(
        `${service.url}/auth/${provider}/callback?state=${cancelled.state}&error=access_denied`,
      ),
      cancelled.cookie,
    );
    expect(failed.headers.get("location")).toBe(`${RETURN_ORIGIN}/?error=access_denied`);
  });

  it("of a store without a return origin ends at the store itself", async () => {
    const shop = `plain-${provider}.myshopify.com`;
    await service.addTenant(shop, { auth_redirect_origin: null });
    const answer = await signInAs(
      service,
      provider,
      putPerson(service, provider, `grace-${provider}@example.com`, { shop }),
      { shop },
    );
    expect(answer.headers.get("location")).toBe(`https://${shop}/`);
  });

  it("belongs to the tenant that it started at, whatever shop the callback names", async () => {
    const journey = await begin(service, provider);
    const callback = await approve(journey, subs[provider]);
    callback.searchParams.set("shop", OTHER_SHOP);
    const answer = await followCallback(service, callback, journey.cookie, {
      "X-Storefront-Shop-Domain": OTHER_SHOP,
    });
    await signedInUser(service, answer, SHOP);
    expect(
      (await service.call("GET", `/auth/me?shop=${OTHER_SHOP}`, { key: sessionOf(answer) })).status,
    ).toBe(401);
  });

  it("in two tabs of one browser works in both", async () => {
    const first = await begin(service, provider);
    const second = await begin(service, provider, {}, first.cookie);
    for (const journey of [second, first])
      expect(
        errorOf(
          await followCallback(service, await approve(journey, subs[provider]), journey.cookie),
        ),
      ).toBeNull();
  });
});

const VERIFIER = "what-only-the-tab-that-began-knows-0123456789";
const CHALLENGE = createHash("sha256").update(VERIFIER).digest("base64url");

describe.each(PROVIDERS)("a %s sign-in with a session code", (provider) => {
  const handOver = async () => {
    const answer = await signInAs(service, provider, subs[provider], {
      handoff: "fragment",
      handoff_challenge: CHALLENGE,
      return_to: "/account?tab=1",
    });
    const [address, code] = (answer.headers.get("location") as string).split("#session_code=");
    expect(address).toBe(`${RETURN_ORIGIN}/account?tab=1`);
    return code as string;
  };
  const swap = (code: unknown, shop = SHOP) =>
    service.call("POST", `/auth/session?shop=${shop}`, {
      body: { code, handoff_verifier: VERIFIER },
      key: null,
      headers: { Origin: RETURN_ORIGIN },
    });

  it("has a code in the fragment that is exchanged for token and user, once", async () => {
    const code = await handOver();
    const swapped = await swap(code);
    expect(swapped.status).toBe(200);
    expect(swapped.json.user).toMatchObject({ email: `grace-${provider}@example.com` });
    expect(swapped.headers.get("access-control-allow-origin")).toBe(RETURN_ORIGIN);
    expect(
      (await service.call("GET", `/auth/me?shop=${SHOP}`, { key: swapped.json.token })).status,
    ).toBe(200);
    expect(await swap(code)).toMatchObject({ status: 400, json: { code: "invalid_code" } });
  });

  it("has a code of which two concurrent exchanges yield one session", async () => {
    const code = await handOver();
    const answers = await Promise.all([swap(code), swap(code), swap(code)]);
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(["200", "400", "400"]);
  });

  it("has a code that is invalid at another store and after 60 seconds", async () => {
    const code = await handOver();
    expect(await swap(code, OTHER_SHOP)).toMatchObject({
      status: 400,
      json: { code: "invalid_code" },
    });
    const [row] = await service.database.query(
      `SELECT extract(epoch FROM expires_at - clock_timestamp())::float8 AS seconds FROM kv
        WHERE key LIKE 'session_code:%' ORDER BY expires_at DESC LIMIT 1`,
    );
    expect(row.seconds).toBeLessThanOrEqual(60);
    await service.database.query(
      "UPDATE kv SET expires_at = clock_timestamp() - interval '1 second' WHERE key LIKE 'session_code:%'",
    );
    expect(await swap(code)).toMatchObject({ status: 400, json: { code: "invalid_code" } });
  });

  it("has a code that ends with the sessions of the person", async () => {
    const code = await handOver();
    await service.database.query(
      `UPDATE storefront_users SET sessions_valid_after = date_trunc('second',
        clock_timestamp()) + interval '1 second' WHERE email = $1`,
      [`grace-${provider}@example.com`],
    );
    expect(await swap(code)).toMatchObject({ status: 400, json: { code: "invalid_code" } });
  });

  it("has no code when it fails", async () => {
    const journey = await begin(service, provider, {
      handoff: "fragment",
      handoff_challenge: CHALLENGE,
    });
    const answer = await followCallback(
      service,
      new URL(
        `${service.url}/auth/${provider}/callback?state=${journey.state}&error=access_denied`,
      ),
      journey.cookie,
    );
    expect(answer.headers.get("location")).toBe(`${RETURN_ORIGIN}/?error=access_denied`);
  });

  const locationOf = async (
    query: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<string> => {
    const wanted = { handoff: "fragment", handoff_challenge: CHALLENGE, ...query };
    const journey = await begin(service, provider, wanted, undefined, headers);
    const answer = await followCallback(
      service,
      await approve(journey, subs[provider]),
      journey.cookie,
    );
    return answer.headers.get("location") as string;
  };

  it.each([
    ["a page elsewhere", { "Sec-Fetch-Site": "cross-site", Referer: "https://evil.example/" }],
    ["a neighbour's page", { "Sec-Fetch-Site": "same-site", Referer: "https://evil.shop.example" }],
  ])("has no code when a link of %s started it", async (_, headers) => {
    expect(await locationOf({ return_to: "/account" }, headers)).toBe(`${RETURN_ORIGIN}/account`);
  });

  it.each([
    ["a page of the store", { "Sec-Fetch-Site": "cross-site", Referer: `${RETURN_ORIGIN}/cart` }],
    ["a page of the service", { "Sec-Fetch-Site": "same-origin" }],
  ])("has a code when %s started it", async (_, headers) => {
    expect(await locationOf({ return_to: "/account" }, headers)).toMatch(
      `${RETURN_ORIGIN}/account#session_code=`,
    );
  });

  it("clears the fragment of a browser on its way to the provider", async () => {
    const path = `/auth/${provider}/login?shop=${SHOP}`;
    const navigation = await rawRequest(service.url, path, {
      headers: [["Sec-Fetch-Mode", "navigate"]],
    });
    expect(navigation.headers.location).toMatch(/#$/);
    expect(navigation.headers["cache-control"]).toBe("no-store");
    expect((await rawRequest(service.url, path)).headers.location).not.toContain("#");
  });

  it("has a code only when the start asked for one", async () => {
    const answer = await signInAs(service, provider, subs[provider], { handoff: "query" });
    expect(answer.headers.get("location")).toBe(`${RETURN_ORIGIN}/`);
  });
});

it("a sign-in behind TLS has no code when a page that hides its address started it", async () => {
  const { ctx, url, database } = service;
  ctx.baseUrl = "https://service.example";
  try {
    const challengeOf = async (headers: Record<string, string>) => {
      const query = { handoff: "fragment", handoff_challenge: CHALLENGE };
      const { state } = await begin(service, "federated", query, undefined, headers);
      const [row] = await database.query(
        "SELECT value->>'handoff_challenge' AS challenge FROM kv WHERE key = $1",
        [`oauth_state:${state}`],
      );
      return row?.challenge;
    };
    const site = { "Sec-Fetch-Site": "cross-site" };
    expect(await challengeOf(site)).toBeNull();
    expect(await challengeOf({ ...site, Referer: `https://${SHOP}/cart` })).toBe(CHALLENGE);
  } finally {
    ctx.baseUrl = url;
  }
});

describe.each(PROVIDERS)("a %s sign-in that returns to the service itself", (provider) => {
  const shop = `own-${provider}.myshopify.com`;
  let sub: string;
  beforeAll(async () => {
    await service.addTenant(shop, { auth_redirect_origin: service.url });
    sub = putPerson(service, provider, `own-${provider}@example.com`, { shop });
  });
  const locationOf = async (returnTo: string) =>
    (
      await signInAs(service, provider, sub, {
        shop,
        handoff: "fragment",
        handoff_challenge: CHALLENGE,
        return_to: returnTo,
      })
    ).headers.get("location") as string;

  it.each(["/", "/welcome?tab=1", `/embed/account?shop=${shop}`, `/embed/dashboard?shop=${shop}`])(
    "has a code at %s",
    async (path) => {
      expect((await locationOf(path)).startsWith(`${service.url}${path}#session_code=`)).toBe(true);
    },
  );

  it.each([
    `/auth/federated/login?shop=${OTHER_SHOP}`,
    `/auth/storefront/login?shop=${OTHER_SHOP}`,
    `/auth/install?shop=${OTHER_SHOP}`,
    `/admin/storefront-install?shop=${OTHER_SHOP}`,
    `/AUTH/install/?shop=${OTHER_SHOP}`,
    `/%61uth/install?shop=${OTHER_SHOP}`,
    `/auth/shopify/login?shop=${OTHER_SHOP}`,
    `/oauth/authorize?shop=${OTHER_SHOP}&client_id=a`,
    `/?shop=${OTHER_SHOP}`,
    `/app?shop=${OTHER_SHOP}`,
    "/setup",
    "/settings",
    "/onboarding",
    "/docs",
  ])("has no code at %s, which may redirect", async (path) => {
    expect(await locationOf(path)).toBe(`${service.url}${path}`);
  });
});

it.each([undefined, "", 5, null, "x".repeat(201), { a: 1 }])(
  "a start with handoff=%j answers 400",
  async (code) => {
    expect(
      await service.call("POST", `/auth/session?shop=${SHOP}`, { body: { code }, key: null }),
    ).toMatchObject({ status: 400, json: { code: "invalid_request" } });
  },
);
