// The authorization page: what it asks, which parameters it trusts, and where it redirects.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  answerTo,
  approve,
  authorizePath,
  csrfOf,
  newClient,
  openPage,
  pkce,
  REDIRECT,
  submitPage,
} from "../../support/agents/agent.ts";
import {
  OTHER_SHOP,
  SHOP,
  startService,
  type Answer,
  type Service,
} from "../../support/service.ts";
import { startDatabaseProxy, type DatabaseProxy } from "../../support/processes/database-proxy.ts";
import { PASSWORD, signUp, type Person } from "../identity/people.ts";

const CLOSED = "closed-store.myshopify.com";
const { challenge } = pkce();
let service: Service;
let database: DatabaseProxy;
let person: Person;
let client: string;
let path: string;
beforeAll(async () => {
  service = await startService({
    databaseThrough: async (url) => (database = await startDatabaseProxy(url)).url,
  });
  await service.addTenant(SHOP, { brand_name: "Ada & <b>Sons</b>" });
  await service.addTenant(OTHER_SHOP, { agent_payments_enabled: false });
  await service.addTenant(CLOSED, { agent_access_enabled: false });
  person = await signUp(service);
  client = await newClient(service);
  path = authorizePath(client, challenge);
});
afterAll(async () => {
  await service.stop();
  await database.stop();
});

const grants = () => service.database.query("SELECT * FROM oauth_grants ORDER BY created_at");
const a2aRows = () =>
  service.database.query(
    "SELECT user_id, action, method, consent_id FROM consent_records WHERE consent_type = 'a2a' ORDER BY seq",
  );
async function expectNothingWritten(act: () => Promise<unknown>): Promise<void> {
  const before = [await grants(), await a2aRows()];
  await act();
  expect([await grants(), await a2aRows()]).toEqual(before);
}

function expectPage(answer: Answer, status: number): void {
  expect(answer.status).toBe(status);
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("referrer-policy")).toBe("same-origin");
  const policy = answer.headers.get("content-security-policy") ?? "";
  for (const rule of [
    "default-src 'self'",
    "frame-ancestors 'none'",
    "form-action 'self'",
    "base-uri 'none'",
  ])
    expect(policy).toContain(rule);
  expect(answer.text).not.toMatch(/<script|<b>|src="|onerror/i);
  expect(answer.text).toMatch(/<html lang="(en|es|fr)">/);
  expect(answer.text.match(/<h1>/g)).toHaveLength(1);
}

it("the shopper stays signed in when the store's record changes while the session is checked", async () => {
  const session = database.hold("session-read");
  const page = openPage(service, path, person.token);
  await session.held;
  await service.database.query("UPDATE kv SET version = version + 1 WHERE key = $1", [
    `tenant:${SHOP}`,
  ]);
  session.release();
  expect(csrfOf(await page)).not.toBe("");
});

/** An empty fragment: without one, browsers append the previous page's, which may hold a session code. */
const clearsFragment = (answer: Answer) => answer.headers.get("location")?.endsWith("#");

function expectSentBack(answer: Answer, error: string): void {
  expect([answer.status, clearsFragment(answer)]).toEqual([302, true]);
  const { origin, pathname, searchParams } = answerTo(answer);
  expect([
    origin + pathname,
    searchParams.get("error"),
    searchParams.get("state"),
    searchParams.get("iss"),
    searchParams.get("code"),
  ]).toEqual([REDIRECT, error, "st-1", service.url, null]);
}

describe("a shopper without a session", () => {
  it("is asked to sign in, sees which agent asks, and returns to the authorization page", async () => {
    const page = await openPage(service, path);
    expectPage(page, 200);
    expect(page.text).toContain("Ada&#39;s agent");
    expect(page.text).toContain("<bdi>agent.example</bdi>");
    expect(page.text).toMatch(
      /<label for="email">[^<]+<\/label><input id="email" name="email" type="email" autocomplete="username" required/,
    );
    const signedIn = await submitPage(
      service,
      path,
      { action: "sign_in", email: person.email, password: PASSWORD },
      null,
    );
    expect([signedIn.status, signedIn.headers.get("location")]).toEqual([302, path]);
    const session = /__Host-crm_session=([^;]+);/.exec(
      signedIn.headers.get("set-cookie") ?? "",
    )?.[1] as string;
    expect(csrfOf(await openPage(service, path, session))).toMatch(/^[0-9a-f]{64}$/);
  });

  it("reads the pages in the browser's language, and in the store's where we do not speak that", async () => {
    const languageOf = async (accepted: string, at = path) => {
      const headers = { "Accept-Language": accepted };
      const page = await service.call("GET", at, { key: null, headers });
      return /<html lang="(\w+)"/.exec(page.text)?.[1];
    };
    expect(await languageOf("fr-CA,fr;q=0.9,en;q=0.8")).toBe("fr");
    expect(await languageOf("es", `/oauth/authorize?shop=${SHOP}`)).toBe("es");
    expect(await languageOf("xx")).toBe("en");
  });

  it("with a wrong password stays there, without a cookie", async () => {
    const page = await submitPage(
      service,
      path,
      { action: "sign_in", email: `${person.email}"><img>`, password: "wrong password" },
      null,
    );
    expectPage(page, 401);
    expect(page.headers.get("set-cookie")).toBeNull();
    expect(page.text).toContain('role="alert"');
    expect(
      (
        await submitPage(
          service,
          path,
          { action: "sign_in", email: person.email, password: "wrong password" },
          null,
        )
      ).status,
    ).toBe(401);
  });

  it("may sign in with an identity provider and returns to this page", async () => {
    const [, href = ""] =
      /href="(\/auth\/federated\/login[^"]+)"/.exec((await openPage(service, path)).text) ?? [];
    const link = new URL(href.replace(/&#38;/g, "&"), service.url);
    expect(link.searchParams.get("return_to")).toBe(path);
  });

  it("cannot approve anything", () =>
    expectNothingWritten(async () =>
      expectPage(await submitPage(service, path, { action: "approve", csrf: "" }, null), 200),
    ));

  it("with another store's session counts as signed out", async () => {
    const other = await signUp(service, {}, OTHER_SHOP);
    expect(csrfOf(await openPage(service, path, other.token))).toBe("");
  });
});

describe("the authorization page", () => {
  it("names the agent, the scopes, the account and the redirect host", async () => {
    const page = await openPage(service, path, person.token);
    expectPage(page, 200);
    for (const text of [
      "Ada&#39;s agent",
      "agent.example",
      person.email,
      "see your orders",
      "prepare, change and cancel checkouts",
    ])
      expect(page.text).toContain(text);
    const list = (name: string) => new RegExp(`<ul class="${name}">.*?</ul>`).exec(page.text)?.[0];
    expect(list("can")).not.toContain("payment mandates");
    expect(list("cannot")).toContain("set up payment mandates");
    expect(list("cannot")).not.toContain("orders");
    // Browsers apply form-action to the redirect after a form post too.
    expect(page.headers.get("content-security-policy")).toContain(
      "form-action 'self' https://agent.example;",
    );
  });

  it.each([
    ["es", "¿Permites"],
    ["fr", "Autoriser cet agent"],
  ])("is in the shopper's language (%s)", async (language, words) => {
    const other = await signUp(service, { language_pref: language });
    expect((await openPage(service, path, other.token)).text).toContain(words);
  });

  it("when approved, writes consent, grant and code in one transaction and redirects with code, state and issuer", async () => {
    const shopper = await signUp(service);
    const answer = await approve(service, path, shopper.token);
    expect([answer.status, clearsFragment(answer)]).toEqual([302, true]);
    const { origin, pathname, searchParams } = answerTo(answer);
    expect(origin + pathname).toBe(REDIRECT);
    expect([...searchParams.keys()].sort()).toEqual(["code", "iss", "state"]);
    expect([searchParams.get("iss"), searchParams.get("state")]).toEqual([service.url, "st-1"]);
    const [grant] = await service.database.query(
      "SELECT id, client_id FROM oauth_grants WHERE user_id = $1",
      [shopper.id],
    );
    expect(grant?.client_id).toBe(client);
    expect((await a2aRows()).filter((row) => row.user_id === shopper.id)).toEqual([
      { user_id: shopper.id, action: "granted", method: "oauth_consent", consent_id: grant?.id },
    ]);
    expect((await service.call("GET", `/admin/consent/verify?shop=${SHOP}`)).json.ok).toBe(true);
    // A second agent needs no second row of the same consent.
    await approve(service, path, shopper.token);
    expect((await a2aRows()).filter((row) => row.user_id === shopper.id)).toHaveLength(1);
  });

  it("when declined, writes nothing", async () => {
    const page = await openPage(service, path, person.token);
    await expectNothingWritten(async () =>
      expectSentBack(
        await submitPage(service, path, { action: "deny", csrf: csrfOf(page) }, person.token),
        "access_denied",
      ),
    );
  });

  it("lets the shopper switch accounts", async () => {
    const answer = await submitPage(
      service,
      path,
      { action: "switch", csrf: csrfOf(await openPage(service, path, person.token)) },
      person.token,
    );
    expect([answer.status, answer.headers.get("location")]).toEqual([302, path]);
    expect(answer.headers.get("set-cookie")).toContain("Max-Age=0");
  });

  it.each<[string, Record<string, string>]>([
    ["another site", { Origin: "https://evil.example" }],
    ["a sandboxed frame", { Origin: "null" }],
    ["the store's own pages", { Origin: `https://${SHOP}` }],
    ["nowhere", {}],
  ])("rejects an approval posted from %s", async (_, headers) => {
    const csrf = csrfOf(await openPage(service, path, person.token));
    await expectNothingWritten(async () =>
      expectPage(
        await submitPage(service, path, { action: "approve", csrf }, person.token, headers),
        403,
      ),
    );
  });

  it("rejects an approval with the CSRF token of another request, another session or none", async () => {
    const elsewhere = csrfOf(
      await openPage(service, authorizePath(client, challenge, { state: "other" }), person.token),
    );
    const foreign = csrfOf(await openPage(service, path, (await signUp(service)).token));
    for (const csrf of [elsewhere, foreign, "", "x"])
      await expectNothingWritten(async () =>
        expectPage(await submitPage(service, path, { action: "approve", csrf }, person.token), 403),
      );
  });
});

describe("an invalid authorization request", () => {
  const faults: [string, Record<string, string | undefined>, string][] = [
    ["no response type", { response_type: undefined }, "invalid_request"],
    ["a token in place of a code", { response_type: "token" }, "unsupported_response_type"],
    ["no code challenge", { code_challenge: undefined }, "invalid_request"],
    ["a challenge in the clear", { code_challenge_method: "plain" }, "invalid_request"],
    ["no challenge method", { code_challenge_method: undefined }, "invalid_request"],
    ["a challenge of another size", { code_challenge: "short" }, "invalid_request"],
    ["a scope that there is not", { scope: "identity:read admin" }, "invalid_scope"],
    ["a fragment as response mode", { response_mode: "fragment" }, "invalid_request"],
    ["somebody else's resource", { resource: "https://elsewhere.example/" }, "invalid_target"],
  ];
  it.each(faults)(
    "(%s) redirects a signed-in shopper back to the agent with error, state and issuer",
    async (_, changes, error) => {
      expectSentBack(
        await openPage(service, authorizePath(client, challenge, changes), person.token),
        error,
      );
    },
  );

  // Registration is open to anyone, so a link to us must not be an open redirect.
  it.each(faults)(
    "(%s) redirects no signed-out visitor, by page or form",
    async (_, changes, error) => {
      const faulty = authorizePath(client, challenge, changes);
      for (const answer of [
        await openPage(service, faulty),
        await submitPage(service, faulty, { action: "approve", csrf: "" }, null),
        await submitPage(
          service,
          faulty,
          { action: "sign_in", email: person.email, password: PASSWORD },
          null,
        ),
        await openPage(service, faulty, "not.a.session"),
      ]) {
        expectPage(answer, 400);
        expect([answer.headers.get("location"), answer.headers.get("set-cookie")]).toEqual([
          null,
          null,
        ]);
        expect(answer.text).toContain(error);
        expect(answer.text).not.toContain("agent.example");
      }
    },
  );

  it("(a repeated parameter) redirects back to the agent", async () => {
    expectSentBack(
      await openPage(service, `${path}&scope=identity:read&scope=identity:read`, person.token),
      "invalid_request",
    );
  });

  const unsafe: [string, Record<string, string | undefined>][] = [
    ["an unknown client", { client_id: "nobody" }],
    ["no client", { client_id: undefined }],
    ["another address", { redirect_uri: "https://evil.example/callback" }],
    ["a longer path", { redirect_uri: `${REDIRECT}/x` }],
    ["another query", { redirect_uri: `${REDIRECT}?x=1` }],
    ["another case", { redirect_uri: "https://agent.example/Callback" }],
    ["script", { redirect_uri: "javascript:alert(1)" }],
    ["a fragment", { redirect_uri: `${REDIRECT}#x` }],
  ];
  it.each(unsafe)("(%s) never redirects", async (_, changes) => {
    const page = await openPage(service, authorizePath(client, challenge, changes), person.token);
    expectPage(page, 400);
    expect(page.headers.get("location")).toBeNull();
    await expectNothingWritten(async () =>
      expectPage(
        await submitPage(
          service,
          authorizePath(client, challenge, changes),
          { action: "approve", csrf: "x" },
          person.token,
        ),
        400,
      ),
    );
  });

  it("(another store's client) never redirects", async () => {
    expectPage(await openPage(service, authorizePath(client, challenge, {}, OTHER_SHOP)), 400);
  });

  it("(a store that disables agents) shows the shopper an error page", async () => {
    expectPage(await openPage(service, authorizePath(client, challenge, {}, CLOSED)), 403);
  });
});

describe("scopes and redirect URIs", () => {
  it("payment scopes must be requested by name, and only where the store allows payments", async () => {
    const scope = "identity:read commerce.mandates:create";
    expect(
      (await openPage(service, authorizePath(client, challenge, { scope }), person.token)).text,
    ).toContain("payment mandates");
    const other = await newClient(service, {}, OTHER_SHOP);
    const shopper = await signUp(service, {}, OTHER_SHOP);
    expectSentBack(
      await openPage(
        service,
        authorizePath(other, challenge, { scope }, OTHER_SHOP),
        shopper.token,
      ),
      "invalid_scope",
    );
  });

  it("a loopback redirect URI matches with any port, but not with another path", async () => {
    const local = await newClient(service, { redirect_uris: ["http://127.0.0.1/cb"] });
    for (const redirect_uri of ["http://127.0.0.1/cb", "http://127.0.0.1:49152/cb"])
      expectPage(
        await openPage(service, authorizePath(local, challenge, { redirect_uri }), person.token),
        200,
      );
    for (const redirect_uri of [
      "http://127.0.0.1:49152/cb2",
      "http://localhost:49152/cb",
      "https://127.0.0.1/cb",
      "http://127.0.0.1.evil.example/cb",
    ])
      expectPage(
        await openPage(service, authorizePath(local, challenge, { redirect_uri }), person.token),
        400,
      );
  });

  it("an answer that goes to an app is shown as going there, whatever host its address names", async () => {
    for (const app of ["cursor:", "com.example.agent:"]) {
      const redirect_uri = `${app}//www.bank.example/cb`;
      const client = await newClient(service, { redirect_uris: [redirect_uri] });
      const path = authorizePath(client, challenge, { redirect_uri });
      const page = await openPage(service, path, person.token);
      expect(page.text).toContain(`<bdi>${app}</bdi>`);
      expect(page.text).not.toContain("<bdi>www.bank.example</bdi>");
      expect(page.headers.get("content-security-policy")).toContain(`form-action 'self' ${app};`);
    }
  });

  it("the only registered redirect URI may be omitted, and its query is kept", async () => {
    const single = await newClient(service, { redirect_uris: ["com.example.agent:/cb?keep=1"] });
    const page = await openPage(
      service,
      authorizePath(single, challenge, { redirect_uri: undefined }),
      person.token,
    );
    expect(page.headers.get("content-security-policy")).toContain(
      "form-action 'self' com.example.agent:;",
    );
    const location = (
      await approve(
        service,
        authorizePath(single, challenge, { redirect_uri: undefined }),
        person.token,
      )
    ).headers.get("location");
    expect(location).toMatch(/^com\.example\.agent:\/cb\?keep=1&code=/);
  });
});
