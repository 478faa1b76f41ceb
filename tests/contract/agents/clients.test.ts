// Client registration (RFC 7591) and client id metadata documents: self-declared, untrusted data.
import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  approve,
  authorizePath,
  csrfOf,
  newClient,
  openPage,
  pkce,
  REDIRECT,
  register,
  submitPage,
} from "../../support/agents/agent.ts";
import { OTHER_SHOP, SHOP, startService, type Service } from "../../support/service.ts";
import { signUp } from "../identity/people.ts";

/** One that is rejected would reject the whole registration. */
const CURSOR = [
  "cursor://anysphere.cursor-mcp/oauth/callback",
  "https://www.cursor.com/agents/mcp/oauth/callback",
  "http://localhost:8787/callback",
];
const { challenge } = pkce();
let service: Service;
beforeAll(async () => {
  service = await startService();
  for (const shop of [SHOP, OTHER_SHOP]) await service.addTenant(shop);
});
afterAll(() => service.stop());

describe("a client registration", () => {
  it("creates a public client, whatever else it requests", async () => {
    const answer = await register(service, {
      scope: "openid",
      logo_uri: "https://x.example/logo.png",
      jwks_uri: "http://169.254.169.254/",
    });
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({
      client_id: expect.any(String),
      client_id_issued_at: expect.any(Number),
      client_name: "Ada's agent",
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
    });
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it.each([
    ["the three that Cursor sends", CURSOR],
    ["a reversed domain name", ["com.example.agent:/cb"]],
  ])("may have addresses of an app beside those of the web: %s", async (_, uris) => {
    const answer = await register(service, { redirect_uris: uris });
    expect([answer.status, answer.json]).toMatchObject([201, { redirect_uris: uris }]);
  });

  it("that names more grant and response types gets those that are served", async () => {
    const answer = await register(service, {
      grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
      response_types: ["code", "code id_token"],
    });
    expect([answer.status, answer.json]).toMatchObject([
      201,
      { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] },
    ]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["no address", { redirect_uris: [] }, "invalid_redirect_uri"],
    ["no list", { redirect_uris: REDIRECT }, "invalid_redirect_uri"],
    ["nothing for an address", { redirect_uris: undefined }, "invalid_redirect_uri"],
    ["plain http", { redirect_uris: ["http://agent.example/cb"] }, "invalid_redirect_uri"],
    ["script", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    [
      "script with a host",
      { redirect_uris: ["javascript://x/%0aalert(1)"] },
      "invalid_redirect_uri",
    ],
    ["data", { redirect_uris: ["data:text/html,x"] }, "invalid_redirect_uri"],
    ["a file", { redirect_uris: ["file://agent.example/cb"] }, "invalid_redirect_uri"],
    ["another server", { redirect_uris: ["smb://agent.example/cb"] }, "invalid_redirect_uri"],
    ["an unknown app", { redirect_uris: ["agent://callback"] }, "invalid_redirect_uri"],
    ["a fragment", { redirect_uris: [`${REDIRECT}#x`] }, "invalid_redirect_uri"],
    [
      "somebody's e-mail address",
      { redirect_uris: ["https://agent.example/cb?for=ada%40example.com"] },
      "invalid_redirect_uri",
    ],
    ["a user", { redirect_uris: ["https://a:b@agent.example/"] }, "invalid_redirect_uri"],
    [
      "a policy's end in its host",
      { redirect_uris: ["https://agent.example;sandbox/cb"] },
      "invalid_redirect_uri",
    ],
    ["a host for all", { redirect_uris: ["https://*.example/cb"] }, "invalid_redirect_uri"],
    [
      "a policy's end",
      { redirect_uris: ["https://agent.example/; script-src *"] },
      "invalid_redirect_uri",
    ],
    [
      "an endless address",
      { redirect_uris: [`https://agent.example/${"x".repeat(600)}`] },
      "invalid_redirect_uri",
    ],
    [
      "eleven addresses",
      { redirect_uris: Array.from({ length: 11 }, (_, at) => `${REDIRECT}${at}`) },
      "invalid_redirect_uri",
    ],
    [
      "a secret method",
      { token_endpoint_auth_method: "client_secret_basic" },
      "invalid_client_metadata",
    ],
    ["another grant", { grant_types: ["client_credentials"] }, "invalid_client_metadata"],
    ["no grant", { grant_types: [] }, "invalid_client_metadata"],
    ["another response", { response_types: ["token"] }, "invalid_client_metadata"],
    [
      "twenty-one grants",
      { grant_types: ["authorization_code", ...Array.from({ length: 20 }, () => "x")] },
      "invalid_client_metadata",
    ],
    [
      "a grant of endless name",
      { grant_types: ["authorization_code", "x".repeat(101)] },
      "invalid_client_metadata",
    ],
    ["a name that is none", { client_name: { toString: 1 } }, "invalid_client_metadata"],
  ])("with %s is rejected", async (_, fields, error) => {
    const answer = await register(service, fields);
    expect([answer.status, answer.json.error]).toEqual([400, error]);
    expect(answer.json.error_description).toEqual(expect.any(String));
  });

  it.each(["ada@example.com", "Agent of <ada@example.com>", "ada＠example.com"])(
    "with an e-mail address in its name (%s) does not keep the name",
    async (name) => {
      const answer = await register(service, { client_name: name });
      expect([answer.status, answer.json.client_name]).toEqual([201, "Agent"]);
    },
  );

  it("above 16 KiB is not read", async () => {
    const answer = await register(service, { client_name: "x".repeat(20_000) });
    expect([answer.status, answer.json.error]).toEqual([413, "invalid_request"]);
  });

  it("is shown as one line of text, without markup and without changing the text direction", async () => {
    const name =
      `<script>alert(1)</script>\u202e\u0000\n"'><img src=x onerror=alert(1)>${"long ".repeat(40)}`.replace(
        "\u0000",
        "\u0007",
      );
    const client = await newClient(service, { client_name: name });
    const { text } = await openPage(service, authorizePath(client, challenge));
    expect(text).toContain("&#60;script&#62;alert(1)&#60;/script&#62; &#34;&#39;&#62;&#60;img");
    expect(text).not.toMatch(/<script|<img|\u202e|\u0007/);
    const [row] = await service.database.query(
      "SELECT client_name FROM oauth_clients WHERE client_id = $1",
      [client],
    );
    expect(Array.from(String(row?.client_name)).length).toBeLessThanOrEqual(80);
  });

  it.each([
    ["of nothing that is seen", "\u3164\u2800\u115f\u1160\u034f\u{E0100}\ufe0f", "Agent"],
    ["with hidden characters", "Pay\u115f\u{E0041}Bot\u2800\u3164 \u200b 2", "PayBot 2"],
    ["under a pile of marks", `G${"\u0300".repeat(60)}!`, "G\u0300\u0300\u0300!"],
  ])("is shown without what hides in a name %s", async (_, given, shown) => {
    const answer = await register(service, { client_name: given });
    expect([answer.status, answer.json.client_name]).toEqual([201, shown]);
  });

  it("is rate limited by client address", async () => {
    const strict = await startService({ env: { RATE_LIMIT_SCALE: "1" } });
    try {
      await strict.addTenant(SHOP);
      for (let times = 0; times < 60; times += 1) expect((await register(strict)).status).toBe(201);
      const answer = await register(strict);
      expect([answer.status, answer.json.error]).toEqual([429, "invalid_request"]);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    } finally {
      await strict.stop();
    }
  });

  it("above the limit deletes the oldest client without a grant, and no other", async () => {
    const kept = await newClient(service);
    await approve(service, authorizePath(kept, challenge), (await signUp(service)).token);
    const first = await newClient(service);
    await service.database.query(
      `INSERT INTO oauth_clients (shop, client_id, client_name, redirect_uris, created_at)
        SELECT $1, 'crowd-' || n, 'x', '{}', now() + interval '1 second' FROM generate_series(1, 2000) n`,
      [SHOP],
    );
    await newClient(service);
    const left = (
      await service.database.query("SELECT client_id FROM oauth_clients WHERE shop = $1", [SHOP])
    ).map((row) => row.client_id);
    expect(left).toContain(kept);
    expect(left).not.toContain(first);
    expect(left.length).toBeLessThanOrEqual(2_001);
    await service.database.query("DELETE FROM oauth_clients WHERE client_id LIKE 'crowd-%'");
  });
});

describe("a client id metadata document", () => {
  let host: Server;
  let base: string;
  let asked: string[];
  let reply: {
    status?: number;
    headers?: Record<string, string>;
    body: string | ((id: string) => unknown);
  };
  let count = 0;
  let id: string;
  beforeAll(async () => {
    host = createServer((request, response) => {
      asked.push(request.url ?? "");
      const { status = 200, headers = { "Content-Type": "application/json" }, body } = reply;
      response
        .writeHead(status, headers)
        .end(typeof body === "string" ? body : JSON.stringify(body(`${base}${request.url}`)));
    });
    await new Promise<void>((ready) => host.listen(0, "127.0.0.1", ready));
    base = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((closed) => host.close(closed)));
  beforeEach(() => {
    asked = [];
    id = `${base}/agents/${(count += 1)}.json`;
  });
  const good =
    (fields: object = {}) =>
    (client_id: string) => ({
      client_id,
      client_name: "Document agent",
      redirect_uris: [REDIRECT],
      ...fields,
    });
  const open = (client = id) => openPage(service, authorizePath(client, challenge));

  it("is cached, and its host is shown beside its name", async () => {
    reply = { body: good() };
    for (let times = 0; times < 3; times += 1) {
      const page = await open();
      expect(page.status).toBe(200);
      expect(page.text).toContain("Document agent");
      expect(page.text).toContain(`<bdi>${new URL(base).host}</bdi>`);
    }
    expect(asked).toHaveLength(1);
  });

  it("works for authorization like any other client", async () => {
    reply = { body: good() };
    expect(
      (
        await approve(service, authorizePath(id, challenge), (await signUp(service)).token)
      ).headers.get("location"),
    ).toContain(`${REDIRECT}?code=`);
  });

  it("that changes while the page is open is not approved as it is now", async () => {
    const session = (await signUp(service)).token;
    const forget = () =>
      service.database.query("DELETE FROM kv WHERE shop = $1 AND key LIKE 'client_document:%'", [
        SHOP,
      ]);
    const path = authorizePath(id, challenge, { redirect_uri: undefined });
    for (const changed of [
      { redirect_uris: ["https://elsewhere.example/callback"] },
      { client_name: "Your bank" },
    ]) {
      reply = { body: good() };
      const csrf = csrfOf(await openPage(service, path, session));
      await forget();
      reply = { body: good(changed) };
      const answer = await submitPage(service, path, { action: "approve", csrf }, session);
      expect([changed, answer.status, answer.headers.get("location")]).toEqual([
        changed,
        403,
        null,
      ]);
      await forget();
    }
    reply = { body: good() };
    expect((await approve(service, path, session)).status).toBe(302);
  });

  it.each<[string, () => typeof reply]>([
    ["that names another client", () => ({ body: () => good()("https://other.example/a") })],
    [
      "with a bad address among the good ones",
      () => ({ body: good({ redirect_uris: [REDIRECT, "javascript:alert(1)"] }) }),
    ],
    ["with a secret", () => ({ body: good({ client_secret: "s" }) })],
    [
      "that wants to prove itself by a secret",
      () => ({ body: good({ token_endpoint_auth_method: "client_secret_post" }) }),
    ],
    ["that is no JSON", () => ({ body: "<html>" })],
    ["that is no object", () => ({ body: "[]" })],
    [
      "that is called something else",
      () => ({ body: good(), headers: { "Content-Type": "text/html" } }),
    ],
    ["that is not there", () => ({ body: good(), status: 404 })],
    [
      "that is huge",
      () => ({ body: good({ client_name: "x".repeat(500), filler: "y".repeat(5_000_000) }) }),
    ],
    [
      "that leads elsewhere",
      () => ({ body: "", status: 302, headers: { Location: `${base}/agents/1.json` } }),
    ],
  ])("%s is invalid, and is fetched again after a minute only", async (_, make) => {
    reply = make();
    expect((await open()).status).toBe(400);
    expect((await open()).status).toBe(400);
    expect(asked).toHaveLength(1);
    const [kept] = await service.database.query(
      "SELECT extract(epoch FROM expires_at - now())::float8 AS seconds FROM kv WHERE key = $1",
      [`client_document:${createHash("sha256").update(id).digest("hex")}`],
    );
    expect(kept?.seconds).toBeLessThanOrEqual(60);
  });

  it.each(["root", "fragment", "user", "dots"])(
    "is not fetched when the client id is not a valid URL for one (%s)",
    async (kind) => {
      reply = { body: good() };
      const odd = {
        root: `${base}/`,
        fragment: `${id}#x`,
        user: id.replace("//", "//a:b@"),
        dots: `${base}/a/../b`,
      }[kind] as string;
      expect((await open(odd)).status).toBe(400);
      expect(asked).toHaveLength(0);
    },
  );

  it("is never fetched from a private address, whatever its host name", async () => {
    const guarded = await startService({ env: { OUTBOUND_ALLOW: "" } });
    try {
      await guarded.call("POST", `/config?shop=${SHOP}`, { body: { brand_name: "Store" } });
      reply = { body: good() };
      const { port } = new URL(base);
      for (const address of [
        id,
        `https://127.0.0.1:${port}/a`,
        `https://localhost:${port}/a`,
        `https://[::1]:${port}/a`,
        "https://169.254.169.254/latest",
        "https://10.0.0.1/a",
        `https://[::ffff:127.0.0.1]:${port}/a`,
      ])
        expect([
          address,
          (await openPage(guarded, authorizePath(address, challenge))).status,
        ]).toEqual([address, 400]);
      expect(asked).toHaveLength(0);
    } finally {
      await guarded.stop();
    }
  });
});
