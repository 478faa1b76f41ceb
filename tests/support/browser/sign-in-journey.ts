// A browser during a sign-in with an identity provider: it keeps its cookie and stops at every redirect.
import { expect } from "vitest";
import { SHOP, type Answer, type Service } from "../service.ts";

export const PROVIDERS = ["federated", "storefront"] as const;
export type ProviderName = (typeof PROVIDERS)[number];

export type Journey = { authorize: URL; state: string; cookie: string };

/** The provider's controls in the sandbox. */
export function providerSandbox({ sandbox }: Service, provider: ProviderName) {
  return provider === "federated" ? sandbox.federated : sandbox.customerAccounts;
}

/** Creates a user at the provider and returns their `sub`. */
export function putPerson(
  { sandbox }: Service,
  provider: ProviderName,
  email: string,
  options: { shop?: string; name?: string; isVerified?: boolean } = {},
): string {
  const { shop = SHOP, name = "Grace Hopper", isVerified = true } = options;
  if (provider === "federated")
    return sandbox.federated.putPerson({ email, name, emailVerified: isVerified }).sub;
  const [firstName = null, lastName = null] = name.split(" ");
  const known = sandbox.storefront.shops().includes(shop)
    ? sandbox.storefront.customers(shop).find((customer) => customer.email === email)
    : undefined;
  const { gid } = sandbox.storefront.putCustomer(shop, {
    ...(known && { gid: known.gid }),
    email,
    firstName,
    lastName,
    verifiedEmail: isVerified,
  });
  return sandbox.customerAccounts.subject(shop, gid);
}

/** The Admin API's id of a customer whose `sub` this is. */
export function gidOf({ sandbox }: Service, sub: string, shop = SHOP): string {
  const customer = sandbox.storefront
    .customers(shop)
    .find(({ gid }) => sandbox.customerAccounts.subject(shop, gid) === sub);
  if (!customer) throw new Error(`${shop} has no customer with the subject ${sub}`);
  return customer.gid;
}

export async function begin(
  service: Service,
  provider: ProviderName,
  query: Record<string, string> = {},
  cookie?: string,
  headers: Record<string, string> = {},
): Promise<Journey> {
  const out = await service.call(
    "GET",
    `/auth/${provider}/login?${new URLSearchParams({ shop: SHOP, ...query })}`,
    { key: null, headers: { ...headers, ...(cookie && { cookie }) } },
  );
  expect(out.status).toBe(302);
  const authorize = new URL(out.headers.get("location") as string);
  return {
    authorize,
    state: authorize.searchParams.get("state") ?? "",
    cookie: out.headers.get("set-cookie")?.split(";")[0] ?? "",
  };
}

/** The provider's response: the callback address. */
export async function answerOf(journey: Journey, choice: Record<string, string>): Promise<URL> {
  const response = await fetch(`${journey.authorize.href}&${new URLSearchParams(choice)}`, {
    redirect: "manual",
  });
  const location = response.headers.get("location");
  if (!location)
    throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
  return new URL(location);
}

export const approve = (journey: Journey, sub: string) => answerOf(journey, { as: sub });

export function followCallback(
  service: Service,
  callback: URL,
  cookie: string | null,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return service.call("GET", callback.pathname + callback.search, {
    key: null,
    headers: { ...headers, ...(cookie && { cookie }) },
  });
}

/** The whole sign-in as `sub`. */
export async function signInAs(
  service: Service,
  provider: ProviderName,
  sub: string,
  query: Record<string, string> = {},
): Promise<Answer> {
  const journey = await begin(service, provider, query);
  return followCallback(service, await approve(journey, sub), journey.cookie);
}

/** The token in the session cookie; null when none was set. */
export function sessionOf(answer: Answer): string | null {
  return /__Host-crm_session=([^;]+);/.exec(answer.headers.get("set-cookie") ?? "")?.[1] ?? null;
}

export function errorOf(answer: Answer): string | null {
  return URL.parse(answer.headers.get("location") ?? "")?.searchParams.get("error") ?? null;
}

export async function signedInUser(service: Service, answer: Answer, shop = SHOP): Promise<any> {
  expect(errorOf(answer)).toBeNull();
  const me = await service.call("GET", `/auth/me?shop=${shop}`, { key: sessionOf(answer) });
  expect(me.status).toBe(200);
  return me.json.user;
}

const TABLES = [
  "storefront_users",
  "user_claims",
  "user_extras",
  "identity_links",
  "consent_records",
  "consent_chain_heads",
  "integration_queue",
  "event_ledger",
];

/**
 * Every row that a sign-in could have written or changed, except its state and verifier, which are
 * deleted.
 */
export async function everythingStored({ database }: Service): Promise<Record<string, unknown>> {
  const stored: Record<string, unknown> = {};
  for (const table of TABLES)
    stored[table] = await database.query(
      `SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY to_jsonb(t)::text`,
    );
  stored.kv = await database.query(
    "SELECT shop, key, value FROM kv WHERE key !~ '^(oauth_state|pkce):' ORDER BY shop, key",
  );
  return stored;
}

/**
 * Checks a rejected sign-in: redirected to the store with an error code, no session, and nothing
 * written.
 */
export async function expectRefused(
  service: Service,
  error: string,
  attempt: () => Promise<Answer>,
  origin = "https://shop.example",
): Promise<void> {
  const before = await everythingStored(service);
  const answer = await attempt();
  expect(answer.status).toBe(302);
  expect(answer.headers.get("location")).toBe(`${origin}/?error=${error}`);
  expect(answer.headers.get("set-cookie")).toBeNull();
  expect(await everythingStored(service)).toEqual(before);
}
