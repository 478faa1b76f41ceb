// The storefront platform (Shopify): token endpoint, Admin GraphQL, shop.json. shopify.dev "About
// offline access tokens", "GraphQL Admin API". Decisions about tokens and retries are in domain/tenants.
import { OutboundError } from "../runtime/errors.ts";
import { hideSent } from "../runtime/outbound/hide-credentials.ts";
import { parseAnswer } from "../runtime/outbound/answers.ts";
import type { Outbound, OutboundAnswer, OutboundCall } from "../runtime/outbound/outbound.ts";
import { createStorePages, type StorePages } from "./storefront/store-pages.ts";

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

export type TokenGrant = {
  accessToken: string;
  refreshToken: string | null;
  /** Lifetime of the access token in seconds; null for a token that never expires. */
  expiresIn: number | null;
  /** Lifetime of the refresh token in seconds; null when the platform does not state it. */
  refreshExpiresIn?: number | null;
  scopes: string[];
};

type GraphqlError = {
  message: string;
  path?: (string | number)[];
  extensions?: { code?: string };
};

export type GraphqlAnswer<T> = {
  data: T | null;
  errors: GraphqlError[];
  /**
   * The rate-limit bucket after this call, in cost points; null when the response has no
   * `extensions.cost`.
   */
  throttle: { requested: number; available: number; restorePerSecond: number } | null;
};

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
   * although the platform supplied `url`. Throws `timeout` after 60 s without data; ends when
   * `signal` is aborted.
   */
  bulkLines(shop: string, url: string, signal: AbortSignal): AsyncGenerator<string>;
  /**
   * POSTs a file as a form to a target of `stagedUploadsCreate`. Private addresses are refused although
   * the platform supplied the address; a redirect counts as a failure. Time limit: 30 s.
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
    const body = parseAnswer<{
      access_token?: unknown;
      refresh_token?: unknown;
      expires_in?: unknown;
      refresh_token_expires_in?: unknown;
      scope?: unknown;
    }>(SYSTEM, answer);
    const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = body;
    // Saving a refresh token without a lifetime, or the reverse, would end refreshing for good:
    // keep the stored pair instead.
    if (
      typeof accessToken !== "string" ||
      (typeof refreshToken === "string") !== isLifetime(expiresIn)
    )
      throw new OutboundError(SYSTEM, "malformed", {
        message: "the storefront's token response is incomplete",
      });
    return {
      accessToken,
      refreshToken: typeof refreshToken === "string" ? refreshToken : null,
      expiresIn: isLifetime(expiresIn) ? expiresIn : null,
      refreshExpiresIn: isLifetime(body.refresh_token_expires_in)
        ? body.refresh_token_expires_in
        : null,
      scopes: typeof body.scope === "string" ? body.scope.split(",").filter(Boolean) : [],
    };
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
        about: { shop, call: /\b(?:query|mutation)\s+(\w+)/.exec(document)?.[1] },
      };
      const answer = await outbound.call(call);
      type Body = {
        data?: T;
        errors?: unknown;
        extensions?: {
          cost?: {
            requestedQueryCost: number;
            throttleStatus: { currentlyAvailable: number; restoreRate: number };
          };
        };
      };
      const { data, errors, extensions } = parseAnswer<Body>(SYSTEM, answer);
      const cost = extensions?.cost;
      return {
        data: usable(data),
        errors: errorsOf(errors, call),
        throttle: cost
          ? {
              requested: cost.requestedQueryCost,
              available: cost.throttleStatus.currentlyAvailable,
              restorePerSecond: cost.throttleStatus.restoreRate,
            }
          : null,
      };
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
        about: { shop, call: /\b(?:query|mutation)\s+(\w+)/.exec(document)?.[1] },
      };
      const answer = await outbound.call(call);
      const { data: given, errors: found } = parseAnswer<{ data?: T; errors?: unknown }>(
        SYSTEM,
        answer,
      );
      const errors = errorsOf(found, call);
      const data = usable(given);
      if (data === null || errors.length > 0) throw toGraphqlError("the Storefront API", errors);
      return data;
    },
    bulkLines: (shop, url, signal) =>
      outbound.lines({
        system: SYSTEM,
        url,
        timeoutMs: BULK_SILENCE_MS,
        signal,
        isTenantAddress: true,
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
        isTenantAddress: true,
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

/** Every field that a document asks for is in its answer, even when it is null. */
const usable = <T>(data: T | null | undefined): T | null =>
  typeof data === "object" && data !== null && Object.keys(data).length > 0 ? data : null;

/** Seconds; a date beyond ten years may be none. */
const MAX_LIFETIME = 10 * 366 * 86_400;
const isLifetime = (value: unknown): value is number =>
  typeof value === "number" && value >= 0 && value <= MAX_LIFETIME;

/** The platform's own failures. It answers them with HTTP 200. */
const SERVER_FAULTS: readonly (string | undefined)[] = ["INTERNAL_SERVER_ERROR", "TIMEOUT"];

/**
 * The error of an answer without usable data. Status 502 where the platform itself failed, which
 * includes an answer without an error; 429 for a throttled call; else 422, which no retry can fix.
 */
export function toGraphqlError(name: string, errors: readonly GraphqlError[]): OutboundError {
  if (errors.length === 0)
    return new OutboundError(SYSTEM, "graphql", {
      status: 502,
      message: `${name} answered without data`,
    });
  const codes = errors.map(({ extensions }) => extensions?.code);
  const hasFailed = codes.some((code) => SERVER_FAULTS.includes(code));
  const messages = errors.map(({ message }) => message).join("; ");
  return new OutboundError(SYSTEM, "graphql", {
    status: codes.includes("THROTTLED") ? 429 : hasFailed ? 502 : 422,
    message: `${name} ${hasFailed ? "failed at" : "refused"} the call: ${messages.slice(0, 500)}`,
  });
}

/** Their messages are kept and shown: they are without what the call authenticated with. */
function errorsOf(errors: unknown, call: OutboundCall): GraphqlError[] {
  if (!Array.isArray(errors)) return [];
  return errors.map((error: unknown) => {
    const fields = (typeof error === "object" ? error : { message: error }) as GraphqlError | null;
    return { ...fields, message: hideSent(String(fields?.message), call) };
  });
}
