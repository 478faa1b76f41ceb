// The platform's customer accounts (shopify.dev "Customer Account API: authenticate customers"): where a
// store's shoppers sign in, and which customer an access token belongs to. A store's domain names the issuer
// only. Its DNS is the merchant's: an endpoint that it named could receive the access token, and the code of
// another store's shopper with its verifier.
import { z } from "zod";
import { OutboundError } from "../runtime/errors.ts";
import { parseAnswer } from "../runtime/outbound/answers.ts";
import type { Outbound } from "../runtime/outbound/outbound.ts";
import type { StorefrontClient } from "./storefront/storefront-client.ts";

const SYSTEM = "storefront";
const TIMEOUT_MS = 6_000;
const API_VERSION = "2026-07";
const PLATFORM = "https://shopify.com";
const PLATFORM_ISSUER = /^https:\/\/shopify\.com\/authentication\/(\d{1,20})$/;
const DOCUMENT = "query SignedInCustomer { customer { id emailAddress { emailAddress } } }";

const ENDPOINTS_PATH = "/.well-known/customer-account-api";
const Endpoints = z.looseObject({ graphql_api: z.url({ protocol: /^https?$/ }) });
const Answer = z.looseObject({
  data: z.looseObject({
    customer: z.looseObject({
      id: z.string().regex(/^gid:\/\/shopify\/Customer\/\d{1,20}$/),
      emailAddress: z.looseObject({ emailAddress: z.string().nullish() }).nullish(),
    }),
  }),
});

type AccountCustomer = {
  /** The customer of the Admin API. */
  gid: string;
  /** As the store knows it; the API has no field that says whether it is verified. */
  email: string | null;
};

type AccountStore = {
  /** A domain of the store. */
  domain: string;
  /** The store's number at the platform; absent while it is not known. */
  number?: string | undefined;
};

export type CustomerAccountClient = {
  /**
   * The endpoints of a store's issuer, all on the platform's own host. Null for an issuer that is not the
   * platform's, or is another store's. Empty where one host of the operator answers for all stores: its
   * metadata counts. Makes no call.
   */
  endpointsOf(
    store: AccountStore,
    issuer: string,
  ): { authorization_endpoint?: string; token_endpoint?: string; jwks_uri?: string } | null;
  /**
   * The platform's issuer of a store. Null while its number is not known, and where one host of the operator
   * answers for all stores. Makes no call.
   */
  issuerOf(store: AccountStore): string | null;
  /**
   * The customer who signed in; `origin` is sent as the Origin header. Throws an OutboundError: `status`,
   * `timeout` after 6 s, `network`, or `malformed` for a foreign issuer and for an answer that names no
   * customer.
   */
  customer(
    store: AccountStore,
    issuer: string,
    accessToken: string,
    origin: string,
  ): Promise<AccountCustomer>;
};

export function createCustomerAccountClient({
  outbound,
  storefront,
}: {
  outbound: Outbound;
  storefront: Pick<StorefrontClient, "domainUrl" | "isDomainHost">;
}): CustomerAccountClient {
  /** The platform's API behind an issuer; null for a foreign one. */
  function platformApi({ number }: AccountStore, issuer: string): string | null {
    const named = PLATFORM_ISSUER.exec(issuer)?.[1];
    if (named === undefined || (number !== undefined && named !== number)) return null;
    return `${PLATFORM}/${named}/account/customer/api/${API_VERSION}/graphql`;
  }

  /** One host of the operator answers for all stores, so what it names is the operator's. */
  async function namedApi({ domain }: AccountStore): Promise<string> {
    const answer = await outbound.call({
      system: SYSTEM,
      url: storefront.domainUrl(domain, ENDPOINTS_PATH),
      headers: { Accept: "application/json" },
      timeoutMs: TIMEOUT_MS,
      about: { call: "customer_account_endpoint" },
    });
    const parsed = Endpoints.safeParse(parseAnswer(SYSTEM, answer));
    if (!parsed.success) throw malformed("the store names no endpoint of the Customer Account API");
    return parsed.data.graphql_api;
  }

  return {
    endpointsOf(store, issuer) {
      if (!storefront.isDomainHost) return {};
      return platformApi(store, issuer) === null
        ? null
        : {
            authorization_endpoint: `${issuer}/oauth/authorize`,
            token_endpoint: `${issuer}/oauth/token`,
            jwks_uri: `${issuer}/.well-known/jwks.json`,
          };
    },
    issuerOf: ({ number }) =>
      storefront.isDomainHost && number !== undefined
        ? `${PLATFORM}/authentication/${number}`
        : null,
    async customer(store, issuer, accessToken, origin) {
      const url = storefront.isDomainHost ? platformApi(store, issuer) : await namedApi(store);
      if (url === null) throw malformed("the issuer is not the platform's for this store");
      const answer = await outbound.call({
        system: SYSTEM,
        url,
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
