// An agent that knows only the store's address obtains a shopper's consent, works, and is revoked.
// It follows the protocols' own steps (RFC 9728, 8414, 7591, 7636, 9207, 7009) over plain HTTP.
import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { csrfOf, openPage, REDIRECT, submitPage } from "../support/agents/agent.ts";
import {
  begin,
  approve as approveAtProvider,
  followCallback,
  putPerson,
  sessionOf,
} from "../support/browser/sign-in-journey.ts";
import { SHOP, startService, type Service } from "../support/service.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
  await service.addTenant(SHOP, { brand_name: "Kestrel Outdoor" });
});
afterAll(() => service.stop());

// oxlint-disable-next-line typescript/no-explicit-any -- a test names the fields it reads
const read = (response: Response): Promise<any> => response.json();
const getJson = async (url: string) => read(await fetch(url, { redirect: "error" }));
const post = (url: string, form: Record<string, string>) =>
  fetch(url, { method: "POST", redirect: "error", body: new URLSearchParams(form) });
const asPath = (url: string) => url.slice(service.url.length);

it("an unknown agent is authorized by a shopper who signs in with an identity provider, works, refreshes its token, and is revoked", async () => {
  const manifest = await getJson(`${service.url}/.well-known/ucp?shop=${SHOP}`);
  expect(manifest.a2a_agent_access).toBe(true);
  const resource = await getJson(manifest.endpoints.protected_resource);
  const server = await getJson(manifest.endpoints.authorization_server);
  expect(resource.authorization_servers).toContain(server.issuer);

  const registered = await fetch(server.registration_endpoint, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: "Journey agent", redirect_uris: [REDIRECT] }),
  });
  const { client_id } = await read(registered);
  const [verifier, state] = [
    randomBytes(32).toString("base64url"),
    randomBytes(16).toString("base64url"),
  ];
  const authorize = new URL(server.authorization_endpoint);
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  for (const [name, value] of Object.entries({
    response_type: "code",
    client_id,
    redirect_uri: REDIRECT,
    scope: "identity:read",
    state,
    code_challenge: challenge,
    code_challenge_method: "S256",
    resource: resource.resource,
  }))
    authorize.searchParams.set(name, value);

  // The browser has no session yet; the shopper goes to the identity provider and returns to this
  // authorization page.
  const path = asPath(authorize.href);
  const page = await openPage(service, path);
  const link = new URL(
    (/href="(\/auth\/federated\/login[^"]+)"/.exec(page.text)?.[1] ?? "").replace(/&#38;/g, "&"),
    service.url,
  );
  const sub = putPerson(service, "federated", "grace@example.com");
  const journey = await begin(service, "federated", {
    return_to: link.searchParams.get("return_to") as string,
  });
  const back = await followCallback(service, await approveAtProvider(journey, sub), journey.cookie);
  expect(back.headers.get("location")).toBe(authorize.href);
  const session = sessionOf(back) as string;
  const question = await openPage(service, path, session);
  expect(question.text).toContain("grace@example.com");
  const answer = new URL(
    (
      await submitPage(service, path, { action: "approve", csrf: csrfOf(question) }, session)
    ).headers.get("location") as string,
  );
  expect(answer.searchParams.get("state")).toBe(state);
  expect(answer.searchParams.get("iss")).toBe(server.issuer);

  const swapped = await post(server.token_endpoint, {
    grant_type: "authorization_code",
    client_id,
    redirect_uri: REDIRECT,
    code: answer.searchParams.get("code") as string,
    code_verifier: verifier,
    resource: resource.resource,
  });
  expect(swapped.headers.get("cache-control")).toBe("no-store");
  const first = await read(swapped);
  expect(first).toMatchObject({ token_type: "Bearer", scope: "identity:read" });
  const whoAmI = (token: string) => service.call("GET", "/auth/profile", { key: token });
  expect((await whoAmI(first.access_token)).json).toMatchObject({
    user: { email: "grace@example.com" },
    linked_providers: ["federated"],
    consents: { a2a: true },
  });

  const second = await read(
    await post(server.token_endpoint, {
      grant_type: "refresh_token",
      client_id,
      refresh_token: first.refresh_token,
    }),
  );
  expect((await whoAmI(second.access_token)).status).toBe(200);

  // The shopper looks up the consent and revokes it.
  const history = await service.call("GET", "/ucp/consent-history", { key: session });
  expect(history.json.records[0]).toMatchObject({
    consent_type: "a2a",
    action: "granted",
    method: "oauth_consent",
  });
  await service.call("POST", "/auth/consent-sync", {
    key: session,
    body: { consent_a2a: false, method: "compliance-page" },
  });
  expect([
    (await whoAmI(second.access_token)).status,
    (await whoAmI(second.access_token)).json.code,
  ]).toEqual([403, "agent_consent_required"]);
  expect(
    (
      await post(server.token_endpoint, {
        grant_type: "refresh_token",
        client_id,
        refresh_token: second.refresh_token,
      })
    ).status,
  ).toBe(400);
  expect(
    (await post(server.revocation_endpoint, { client_id, token: second.refresh_token })).status,
  ).toBe(200);
  expect((await service.call("GET", "/auth/me", { key: session })).json.consents.a2a).toBe(false);
});

it("a failed sign-in with the provider returns to the authorization page, not to the store", async () => {
  const path = `/oauth/authorize?shop=${SHOP}&client_id=x`;
  const journey = await begin(service, "federated", { return_to: path });
  const back = await followCallback(
    service,
    new URL(`${service.url}/auth/federated/callback?error=access_denied&state=${journey.state}`),
    journey.cookie,
  );
  expect(back.headers.get("location")).toBe(`${service.url}${path}&error=access_denied`);
});
