/** Ada, a customer of the store, and her browser: it signs in at the store and keeps the session. */
import { fieldsOf, textOf } from "../../exchange.ts";
import type { Sandbox } from "../../sandbox.ts";
import type { Customer } from "../../storefront/state.ts";
import { ScenarioProblem } from "./act.ts";
import type { Act } from "./act.ts";
import { callService } from "./service-client.ts";

const ADA_EMAIL = "ada.lovelace@shopper.example";
const SESSION_COOKIE = "__Host-crm_session";

/** Ada as the store has her; she becomes its customer when she is not. */
export function ensureAda({ storefront }: Sandbox, shop: string): Customer {
  const known = findByEmail(storefront.customers(shop), ADA_EMAIL);
  return (
    known ??
    storefront.putCustomer(shop, {
      firstName: "Ada",
      lastName: "Byron",
      email: ADA_EMAIL,
      countryCode: "GB",
      tags: ["vip"],
      emailMarketingState: "SUBSCRIBED",
    })
  );
}

export const findByEmail = (customers: Customer[], email: string): Customer | undefined =>
  customers.find((customer) => customer.email === email);

export type Shopper = {
  /** The headers of Ada's browser, signed in; it signs in where the session is over. */
  headers(act: Act): Promise<Record<string, string>>;
};

export function createShopper(): Shopper {
  const sessions = new Map<string, string>();
  return {
    async headers(act) {
      const known = sessions.get(act.shop);
      if (known && (await isAlive(act, known))) return browserHeaders(act, known);
      const session = await signIn(act);
      sessions.set(act.shop, session);
      return browserHeaders(act, session);
    },
  };
}

const browserHeaders = ({ sandbox }: Act, session: string): Record<string, string> => ({
  cookie: `${SESSION_COOKIE}=${session}`,
  origin: new URL(sandbox.appUrl()).origin,
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Ada's browser",
});

const ownAccount = ({ shop }: Act): string => `/auth/me?shop=${encodeURIComponent(shop)}`;

async function isAlive(act: Act, session: string): Promise<boolean> {
  const answer = await act.peek(ownAccount(act), { cookie: `${SESSION_COOKIE}=${session}` });
  return answer.status === 200;
}

/** The store's own sign-in, as a browser walks through it. */
async function signIn(act: Act): Promise<string> {
  const { sandbox, shop } = act;
  const { gid } = ensureAda(sandbox, shop);
  const begun = await act.call({
    from: "storefront",
    text: "Ada opens the sign-in",
    method: "GET",
    path: `/auth/storefront/login?shop=${encodeURIComponent(shop)}`,
    expected: [302],
  });
  const authorize = new URL(begun.headers.get("location") ?? "", sandbox.url);
  // The store's sign-in page is this sandbox's own; any other address means that it failed.
  if (authorize.origin !== sandbox.url)
    throw new ScenarioProblem("The store's sign-in did not open.");
  authorize.searchParams.set("as", sandbox.customerAccounts.subject(shop, gid));
  const approved = await callService(authorize, "GET");
  const callback = new URL(approved.headers.get("location") ?? "", sandbox.appUrl());
  const cookies = begun.headers.getSetCookie().map((cookie) => cookie.split(";", 1)[0]);
  const answer = await act.call({
    from: "storefront",
    text: "Ada is signed in",
    method: "GET",
    path: callback.pathname + callback.search,
    expected: [302],
    headers: { cookie: cookies.join("; ") },
  });
  const session = answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0] ?? "")
    .find((pair) => pair.startsWith(`${SESSION_COOKIE}=`))
    ?.slice(SESSION_COOKIE.length + 1);
  if (!session) throw new ScenarioProblem("The service did not sign Ada in.");
  return session;
}

/** What Ada decided, by the name of the consent. */
export async function readConsents(
  act: Act,
  headers: Record<string, string>,
): Promise<Record<string, unknown>> {
  return fieldsOf((await act.peek(ownAccount(act), headers)).fields["consents"]);
}

/** @returns the id of the consent's receipt. */
export async function decide(
  act: Act,
  text: string,
  headers: Record<string, string>,
  flags: Record<string, boolean>,
): Promise<string> {
  const answer = await act.call({
    from: "storefront",
    text,
    method: "POST",
    path: `/auth/consent-sync?shop=${encodeURIComponent(act.shop)}`,
    headers,
    json: { ...flags, method: "compliance-page" },
  });
  return textOf(answer.fields["consent_id"]);
}
