// The storefront platform (Shopify): token endpoint, Admin GraphQL, shop.json. shopify.dev "About
// offline access tokens", "GraphQL Admin API". Decisions about tokens and retries are in domain/tenants.
import type { Outbound, OutboundAnswer, OutboundCall } from "../../runtime/outbound/outbound.ts";
import { toGraphqlAnswer, toGraphqlError, type GraphqlAnswer } from "./graphql-answer.ts";
import { createStorePages, type StorePages } from "./store-pages.ts";
import { toTokenGrant, type TokenGrant } from "./token-grant.ts";

const SYSTEM = "storefront";
const TOKEN_TIMEOUT_MS = 8_000;
const GRAPHQL_TIMEOUT_MS = 15_000;
/** DECISIONS 11: a slower cart API counts as failed. */
const CART_TIMEOUT_MS = 5_000;
const UPLOAD_TIMEOUT_MS = 30_000;
const BULK_SILENCE_MS = 60_000;
const MAX_CART_BYTES = 1024 * 1024;
const MAX_GRAPHQL_BYTES = 8 * 1024 * 1024;

/** The version of Admin API calls; webhooks are delivered in the newer one (SPEC "Versioning"). */
const ADMIN_API_VERSION = "2026-04";
export const WEBHOOK_API_VERSION = "2026-07";

type AppCredentials = { clientId: string; clientSecret: string };

/** Where the platform takes a file: the parameters are the form's fields before the file. */
export type StagedTarget = {
  url: string;
  resourceUrl: string;
  parameters: { name: string; value: string }[];
};

/**
 * `shop` is the myshopify.com domain. Methods that call the platform throw an OutboundError of
 * system `storefront`: `status`, `timeout`, `network`, or `malformed` for a response that is not
 * the expected JSON. `shop` and `frontPage` do not throw for a status.
 */
export type StorefrontClient = StorePages & {
  /** The address of the grant screen, /admin/oauth/authorize, with `query`. Makes no call. */
  authorizeUrl(shop: string, query: Record<string, string>): string;
  /** An address on the store's admin domain. Makes no call. */
  adminUrl(shop: string, path: string): string;
  /** An address on one of the store's domains, myshopify or primary. Makes no call. */
  domainUrl(domain: string, path: string): string;
  /** Whether such an address leads to the domain itself, and not to one host for all stores. */
  isDomainHost: boolean;
  /**
   * POST /admin/oauth/access_token: exchanges an authorization code for an expiring offline token
   * pair. Time limit: 8 s.
   */
  exchangeCode(shop: string, app: AppCredentials, code: string): Promise<TokenGrant>;
  /**
   * POST /admin/oauth/access_token, grant type refresh_token: the refresh token is rotated. Time
   * limit: 8 s.
   */
  refresh(shop: string, app: AppCredentials, refreshToken: string): Promise<TokenGrant>;
  /**
   * POST /admin/oauth/access_token, token exchange: a session token for an expiring offline token
   * pair. Time limit: 8 s.
   */
  exchangeSessionToken(
    shop: string,
    app: AppCredentials,
    sessionToken: string,
  ): Promise<TokenGrant>;
  /**
   * POST /admin/api/{version}/graphql.json, by default 2026-04. GraphQL errors are returned in
   * `errors`, not thrown. Time limit: 15 s.
   */
  graphql<T>(
    shop: string,
    accessToken: string,
    call: { document: string; variables?: Record<string, unknown>; version?: string },
  ): Promise<GraphqlAnswer<T>>;
  /**
   * POST /api/2026-04/graphql.json (Storefront API). Returns `data`; GraphQL errors throw
   * `graphql` with the status of `toGraphqlError`. Time limit: 5 s.
   */
  storefrontApi<T>(
    shop: string,
    token: string | undefined,
    call: { document: string; variables: Record<string, unknown> },
  ): Promise<T>;
  /**
   * GETs the JSON Lines file of a bulk operation, line by line. Private addresses are refused
   * although the platform supplied `url`, unless `url` is at the store's own address. Throws `timeout` after
   * 60 s without data; ends when `signal` is aborted.
   */
  bulkLines(shop: string, url: string, signal: AbortSignal): AsyncGenerator<string>;
  /**
   * POSTs a file as a form to a target of `stagedUploadsCreate`. Private addresses are refused as for
   * `bulkLines`; a redirect counts as a failure. Time limit: 30 s.
   */
  uploadStaged(
    shop: string,
    target: StagedTarget,
    file: { bytes: Buffer; filename: string; mimeType: string },
  ): Promise<void>;
  /** GET /admin/api/2026-04/shop.json. Returns any status. Time limit: 15 s. */
  shop(shop: string, accessToken: string): Promise<OutboundAnswer>;
};

/**
 * `urlTemplate` contains `{shop}`: https://{shop}, or the sandbox's address with it in the path.
 */
export function createStorefrontClient({
  outbound,
  urlTemplate,
}: {
  outbound: Outbound;
  urlTemplate: string;
}): StorefrontClient {
  const urlOf = (shop: string, path: string) => urlTemplate.replace("{shop}", shop) + path;

  async function grant(
    shop: string,
    app: AppCredentials,
    fields: Record<string, string>,
  ): Promise<TokenGrant> {
    const answer = await outbound.call({
      system: SYSTEM,
      url: urlOf(shop, "/admin/oauth/access_token"),
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "application/json" },
      body: new URLSearchParams({
        client_id: app.clientId,
        client_secret: app.clientSecret,
        ...fields,
      }).toString(),
      timeoutMs: TOKEN_TIMEOUT_MS,
      exchangesCredentials: true,
      about: { shop, call: fields.grant_type ?? "authorization_code" },
    });
    return toTokenGrant(answer, { isRefresh: fields.grant_type === "refresh_token" });
  }

  return {
    authorizeUrl: (shop, query) =>
      `${urlOf(shop, "/admin/oauth/authorize")}?${new URLSearchParams(query)}`,
    adminUrl: urlOf,
    domainUrl: urlOf,
    isDomainHost:
      URL.parse(urlTemplate.replace("{shop}", "store.example"))?.hostname === "store.example",
    exchangeCode: (shop, app, code) => grant(shop, app, { code, expiring: "1" }),
    refresh: (shop, app, refreshToken) =>
      grant(shop, app, { grant_type: "refresh_token", refresh_token: refreshToken }),
    exchangeSessionToken: (shop, app, sessionToken) =>
      grant(shop, app, {
        grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token: sessionToken,
        subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
        requested_token_type: "urn:shopify:params:oauth:token-type:offline-access-token",
        expiring: "1",
      }),
    async graphql<T>(
      shop: string,
      accessToken: string,
      {
        document,
        variables = {},
        version = ADMIN_API_VERSION,
      }: { document: string; variables?: Record<string, unknown>; version?: string },
    ) {
      const call: OutboundCall = {
        system: SYSTEM,
        url: urlOf(shop, `/admin/api/${version}/graphql.json`),
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Shopify-Access-Token": accessToken },
        body: JSON.stringify({ query: document, variables }),
        timeoutMs: GRAPHQL_TIMEOUT_MS,
        maxAnswerBytes: MAX_GRAPHQL_BYTES,
        about: { shop, call: operationOf(document) },
      };
      return toGraphqlAnswer<T>(call, await outbound.call(call));
    },
    async storefrontApi<T>(
      shop: string,
      token: string | undefined,
      { document, variables }: { document: string; variables: Record<string, unknown> },
    ) {
      const call: OutboundCall = {
        system: SYSTEM,
        url: urlOf(shop, `/api/${ADMIN_API_VERSION}/graphql.json`),
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(token && {
            [token.startsWith("shpat_")
              ? "Shopify-Storefront-Private-Token"
              : "X-Shopify-Storefront-Access-Token"]: token,
          }),
        },
        body: JSON.stringify({ query: document, variables }),
        timeoutMs: CART_TIMEOUT_MS,
        maxAnswerBytes: MAX_CART_BYTES,
        about: { shop, call: operationOf(document) },
      };
      const { data, errors } = toGraphqlAnswer<T>(call, await outbound.call(call));
      if (data === null || errors.length > 0) throw toGraphqlError("the Storefront API", errors);
      return data;
    },
    bulkLines: (shop, url, signal) =>
      outbound.lines({
        system: SYSTEM,
        url,
        timeoutMs: BULK_SILENCE_MS,
        signal,
        // The operator's own address of the store is called anyway.
        isTenantAddress: originOf(url) !== originOf(urlOf(shop, "/")),
        about: { shop, call: "bulk file" },
      }),
    async uploadStaged(shop, target, { bytes, filename, mimeType }) {
      const form = new FormData();
      for (const { name, value } of target.parameters) form.append(name, value);
      form.append("file", new Blob([new Uint8Array(bytes)], { type: mimeType }), filename);
      const encoded = new Response(form);
      await outbound.call({
        system: SYSTEM,
        url: target.url,
        method: "POST",
        headers: { "Content-Type": encoded.headers.get("Content-Type") ?? "" },
        body: Buffer.from(await encoded.arrayBuffer()),
        timeoutMs: UPLOAD_TIMEOUT_MS,
        isTenantAddress: originOf(target.url) !== originOf(urlOf(shop, "/")),
        about: { shop, call: "staged upload" },
      });
    },
    shop: (shop, accessToken) =>
      outbound.send({
        system: SYSTEM,
        url: urlOf(shop, `/admin/api/${ADMIN_API_VERSION}/shop.json`),
        headers: { "X-Shopify-Access-Token": accessToken, Accept: "application/json" },
        about: { shop, call: "shop.json" },
      }),
    ...createStorePages(outbound, (shop) => urlOf(shop, "/")),
  };
}

/** Null for what is no address. */
const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null);

/** The name of a document's operation, for the log. */
const operationOf = (document: string): string | undefined =>
  /\b(?:query|mutation)\s+(\w+)/.exec(document)?.[1];
