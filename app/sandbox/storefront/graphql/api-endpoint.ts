/** Requests below /admin/api/{version}: the version, the access token, then GraphQL or the one REST resource. */
import { json } from "../../exchange.ts";
import type { ApiResponse, Call } from "../../exchange.ts";
import type { CustomerPatch } from "../customers.ts";
import type { FileSettings } from "../files.ts";
import { createRestLimits } from "../rest-limits.ts";
import type { Customer, ShopState, StorefrontSettings } from "../state.ts";
import { findAccessToken } from "../tokens.ts";
import { restShop } from "../webhooks/payloads.ts";
import { answerGraphql } from "./admin-api.ts";
import type { CostBucket } from "./admin-api.ts";
import { servedVersion } from "./api-versions.ts";
import type { BulkDesk } from "./bulk-operations.ts";
import { storefrontResolvers } from "./resolvers.ts";

const UNKNOWN_TOKEN =
  "[API] Invalid API key or access token (unrecognized login or wrong password)";
const NON_EXPIRING_TOKEN =
  "[API] Non-expiring access tokens are no longer accepted for the Admin API. Start using expiring offline tokens: " +
  "https://shopify.dev/docs/apps/build/authentication-authorization/access-tokens/offline-access-tokens#expiring-vs-non-expiring-offline-tokens";

export type ApiEndpointParts = {
  settings: StorefrontSettings;
  bulk: BulkDesk;
  files: FileSettings;
  bucketOf(domain: string): CostBucket;
  saveCustomer(domain: string, patch: CustomerPatch): Customer;
  changed(): void;
};

export function createApiEndpoint({
  settings,
  bulk,
  files,
  bucketOf,
  saveCustomer,
  changed,
}: ApiEndpointParts) {
  const restLimits = createRestLimits();

  return async (shop: ShopState, path: string, call: Call): Promise<ApiResponse> => {
    const [, asked = "", resource = ""] = /^\/admin\/api\/([^/]+)\/(.+)$/.exec(path) ?? [];
    const version = servedVersion(asked, settings.apiVersions);
    if (version === null) return json(404, { errors: "Not Found" });
    const token = findAccessToken(
      shop,
      call.headers["x-shopify-access-token"] as string | undefined,
    );
    if (!token) return json(401, { errors: UNKNOWN_TOKEN });
    if (token.expiresAt === null && settings.nonExpiringTokens === "refused")
      return json(403, { errors: NON_EXPIRING_TOKEN });
    const headers = { "x-shopify-api-version": version };
    if (resource === "shop.json" && call.method === "GET") {
      const taken = restLimits.take(shop.domain);
      if ("refused" in taken) return taken.refused;
      return json(200, { shop: restShop(shop) }, { ...headers, ...taken.headers });
    }
    if (resource !== "graphql.json") return json(404, { errors: "Not Found" });
    if (call.method !== "POST") return json(405, { errors: "Method Not Allowed" });
    const context = {
      shop,
      scope: token.scope,
      apiVersion: version,
      webhookApiVersion: settings.webhookApiVersion,
      changed,
      bulk,
      files,
      maxObjects: settings.maxPagedObjects,
      baseUrl: `http://${call.headers.host ?? "localhost"}/storefront/${shop.domain}`,
      saveCustomer: (patch: CustomerPatch) => saveCustomer(shop.domain, patch),
    };
    const bucket = bucketOf(shop.domain);
    const answer = await answerGraphql(call.body, {
      context,
      resolvers: storefrontResolvers,
      bucket,
      settings,
    });
    return { ...answer, headers: { ...answer.headers, ...headers } };
  };
}
