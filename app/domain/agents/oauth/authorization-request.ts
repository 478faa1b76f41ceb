// An agent's authorization request (RFC 6749 4.1.1, OAuth 2.1, RFC 7636, RFC 8707). Anyone can
// register a client with their own redirect URI, so an error redirects only when client and
// redirect URI match and the shopper has signed in (RFC 9700 4.11.2); otherwise it is shown on a page.
import type { Ctx } from "../../../context.server.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { findClient, type AgentClient } from "./clients.ts";
import { isOwnResource, issuerOf } from "./metadata.ts";
import type { PublicAddress } from "../public-address.ts";
import { isRegisteredRedirect } from "./redirect-uris.ts";
import { parseScopes, type AgentScope } from "./scopes.ts";

/** The redirect URI of the response, and the state it repeats. */
export type AnswerPlace = { redirectUri: string; state: string | null; issuer: string };
export type AuthorizationRequest = AnswerPlace & {
  client: AgentClient;
  scopes: AgentScope[];
  codeChallenge: string;
  /** False: it is the client's only one. */ isRedirectNamed: boolean;
};

/** The parameters that are read, of an authorization request and of its address. */
export const AUTHORIZATION_PARAMETERS: ReadonlySet<string> = new Set([
  "shop",
  "issuer",
  "client_id",
  "redirect_uri",
  "response_type",
  "response_mode",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
  "resource",
]);

export type ReadRequest =
  | { outcome: "ready"; request: AuthorizationRequest }
  | { outcome: "refused"; place: AnswerPlace; error: string; description: string }
  | { outcome: "unsafe"; problem: "unknown_client" | "wrong_redirect" | "closed" };

const ONCE = [
  "response_type",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
  "response_mode",
] as const;

export async function readAuthorizationRequest(
  ctx: Ctx,
  tenant: Tenant,
  address: PublicAddress,
  query: URLSearchParams,
  caller: string,
): Promise<ReadRequest> {
  if (!tenant.config.agent_access_enabled) return { outcome: "unsafe", problem: "closed" };
  const [id, otherId] = query.getAll("client_id");
  const client = id && otherId === undefined ? await findClient(ctx, tenant, id, caller) : null;
  if (!client) return { outcome: "unsafe", problem: "unknown_client" };
  const given = query.getAll("redirect_uri");
  const redirectUri = findRedirectUri(client.redirectUris, given);
  if (!redirectUri) return { outcome: "unsafe", problem: "wrong_redirect" };

  const place = {
    redirectUri,
    state: query.get("state"),
    issuer: issuerOf(address, query.get("issuer")),
  };
  const fault = findFault(ctx, address, query);
  if (fault) return { outcome: "refused", place, ...fault };
  const scopes = parseScopes(tenant, query.get("scope") ?? undefined);
  if (!scopes)
    return {
      outcome: "refused",
      place,
      error: "invalid_scope",
      description: "A requested scope is not offered.",
    };
  return {
    outcome: "ready",
    request: {
      ...place,
      client,
      scopes,
      codeChallenge: query.get("code_challenge") ?? "",
      isRedirectNamed: given.length > 0,
    },
  };
}

/** The one that is named once, or the only registered one. Null when it is not registered. */
function findRedirectUri(
  registered: readonly string[],
  [named, other]: readonly string[],
): string | null {
  if (other !== undefined) return null;
  if (named === undefined) return registered.length === 1 ? (registered[0] ?? null) : null;
  return isRegisteredRedirect(registered, named) ? named : null;
}

function findFault(
  ctx: Ctx,
  address: PublicAddress,
  query: URLSearchParams,
): { error: string; description: string } | null {
  const invalid = (description: string) => ({ error: "invalid_request", description });
  for (const name of ONCE)
    if (query.getAll(name).length > 1) return invalid(`${name} is given more than once.`);
  const type = query.get("response_type");
  if (!type) return invalid("response_type is missing.");
  if (type !== "code")
    return { error: "unsupported_response_type", description: "response_type must be code." };
  if ((query.get("response_mode") ?? "query") !== "query")
    return invalid("response_mode must be query.");
  if (query.get("code_challenge_method") !== "S256")
    return invalid("code_challenge_method must be S256.");
  if (!/^[\w-]{43}$/.test(query.get("code_challenge") ?? ""))
    return invalid("code_challenge must be a base64url SHA-256.");
  if (!query.getAll("resource").every((resource) => isOwnResource(ctx.baseUrl, address, resource)))
    return {
      error: "invalid_target",
      description: "The resource does not belong to this service.",
    };
  return null;
}

/** The agent's redirect URI with the response added to its query. */
export function toAnswerAddress(place: AnswerPlace, answer: Record<string, string>): string {
  const url = new URL(place.redirectUri);
  for (const [name, value] of Object.entries({
    ...answer,
    ...(place.state !== null && { state: place.state }),
    iss: place.issuer,
  }))
    url.searchParams.set(name, value);
  // An empty fragment: without one, browsers append the previous page's fragment to the redirect.
  return `${url.href}#`;
}
