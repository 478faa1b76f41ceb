// The Customer Account API (shopify.dev "Customer Account API: authenticate customers"): which customer
// of the store an access token belongs to.
import { z } from "zod";
import { OutboundError } from "../runtime/errors.ts";
import { parseAnswer, type Outbound } from "../runtime/outbound.ts";
import { callWithin } from "./store-redirects.ts";

const SYSTEM = "storefront";
const TIMEOUT_MS = 6_000;
const ENDPOINT_MS = 10 * 60_000;
const REMEMBERED = 500;
const DOCUMENT = "query SignedInCustomer { customer { id emailAddress { emailAddress } } }";

const Endpoints = z.looseObject({ graphql_api: z.url({ protocol: /^https?$/ }) });
const Answer = z.looseObject({
  data: z.looseObject({
    customer: z.looseObject({
      id: z.string().regex(/^gid:\/\/shopify\/Customer\/\d{1,20}$/),
      emailAddress: z.looseObject({ emailAddress: z.string().max(320).nullish() }).nullish(),
    }),
  }),
});

type AccountCustomer = {
  /** The customer of the Admin API. */
  gid: string;
  /** As the store knows it; the API has no field that says whether it is verified. */
  email: string | null;
};

type CustomerAccountPlace = {
  /** /.well-known/customer-account-api on a domain of the store. */
  url: string;
  /** The base addresses of the store's domains. */
  within: readonly string[];
  isTenantAddress: boolean;
};

export type CustomerAccountClient = {
  /**
   * The customer who signed in. The endpoint is cached for 10 minutes; `origin` is sent as the Origin
   * header. Throws an OutboundError: `status`, `timeout` after 6 s a call, `network`, `refused_address`,
   * `foreign_redirect`, or `malformed` when the answer names no customer.
   */
  customer(
    place: CustomerAccountPlace,
    accessToken: string,
    origin: string,
  ): Promise<AccountCustomer>;
};

export function createCustomerAccountClient({
  outbound,
}: {
  outbound: Outbound;
}): CustomerAccountClient {
  const endpoints = new Map<string, { url: string; until: number }>();

  async function endpointOf(place: CustomerAccountPlace): Promise<string> {
    const name = `${place.isTenantAddress}/${place.url}`;
    const known = endpoints.get(name);
    if (known && known.until > performance.now()) return known.url;
    const answer = await callWithin(
      outbound,
      {
        system: SYSTEM,
        url: place.url,
        headers: { Accept: "application/json" },
        timeoutMs: TIMEOUT_MS,
        isTenantAddress: place.isTenantAddress,
        about: { call: "customer_account_endpoint" },
      },
      place.within,
    );
    const parsed = Endpoints.safeParse(parseAnswer(SYSTEM, answer));
    const url = parsed.success ? parsed.data.graphql_api : "";
    if (url === "" || (place.url.startsWith("https:") && !url.startsWith("https:")))
      throw malformed("the store names no https endpoint of the Customer Account API");
    if (endpoints.size >= REMEMBERED) endpoints.clear();
    endpoints.set(name, { url, until: performance.now() + ENDPOINT_MS });
    return url;
  }

  return {
    async customer(place, accessToken, origin) {
      const answer = await outbound.call({
        system: SYSTEM,
        url: await endpointOf(place),
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json",
          "User-Agent": "customer-identity-service",
          Origin: origin,
          // The token alone: the API refuses `Bearer`.
          Authorization: accessToken,
        },
        body: JSON.stringify({ query: DOCUMENT }),
        timeoutMs: TIMEOUT_MS,
        isTenantAddress: place.isTenantAddress,
        about: { call: "signed_in_customer" },
      });
      const parsed = Answer.safeParse(parseAnswer(SYSTEM, answer));
      if (!parsed.success) throw malformed("the Customer Account API names no customer");
      const { id, emailAddress } = parsed.data.data.customer;
      return { gid: id, email: emailAddress?.emailAddress ?? null };
    },
  };
}

function malformed(message: string): OutboundError {
  return new OutboundError(SYSTEM, "malformed", { message: `${SYSTEM}: ${message}` });
}
