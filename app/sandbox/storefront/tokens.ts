/**
 * POST /admin/oauth/access_token: code grant, refresh and token exchange of offline tokens
 * (shopify.dev "Offline access tokens", changelog 2025-12-10 and 2026-08-28).
 * A refresh token: active -> used -> (repeatable in retry mode) -> retired.
 */
import { randomBytes } from "node:crypto";
import { jwtVerify } from "jose";
import { json, textOf } from "../exchange.ts";
import type { ApiResponse } from "../exchange.ts";
import type { RefreshCall, RefreshToken, ShopState, StorefrontSettings } from "./state.ts";

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";
const OFFLINE_TOKEN_TYPES = new Set([
  "urn:shopify:params:oauth:token-type:offline-access-token",
  "urn:ietf:params:oauth:token-type:offline-access-token",
]);
const RETRY_CAP_MS = 30 * 24 * 3600 * 1000;
const MIGRATION_RETRY_MS = 7 * 24 * 3600 * 1000;

export type TokenReply = {
  access_token: string;
  scope: string;
  expires_in?: number;
  refresh_token?: string;
  refresh_token_expires_in?: number;
};

export type AppCredentials = { clientId: string; clientSecret: string };

export async function answerTokenRequest(
  shop: ShopState,
  fields: Record<string, unknown>,
  app: AppCredentials,
  settings: StorefrontSettings,
): Promise<ApiResponse> {
  if (fields["client_id"] !== app.clientId || fields["client_secret"] !== app.clientSecret) {
    return refusal(401, "invalid_client", "The client id or client secret is wrong");
  }
  const isExpiring = textOf(fields["expiring"]) === "1";
  switch (fields["grant_type"]) {
    case "refresh_token":
      return refresh(shop, textOf(fields["refresh_token"]), settings);
    case TOKEN_EXCHANGE:
      if (OFFLINE_TOKEN_TYPES.has(textOf(fields["subject_token_type"])))
        return migrate(shop, textOf(fields["subject_token"]), isExpiring, settings);
      return exchangeSessionToken(shop, fields, { app, settings, isExpiring });
    case undefined:
    case "authorization_code":
      return exchangeCode(shop, textOf(fields["code"]), isExpiring, settings);
    default:
      return refusal(
        400,
        "unsupported_grant_type",
        `Unknown grant_type ${textOf(fields["grant_type"])}`,
      );
  }
}

/** `isExpiring`: a pair with a refresh token; otherwise one token without an end. */
type WantedToken = { scope: string; isExpiring: boolean };

/** Issues a token or pair; a grant other than a refresh retires the earlier refresh tokens. */
export function grantTokens(
  shop: ShopState,
  wanted: WantedToken,
  settings: StorefrontSettings,
): TokenReply {
  for (const old of shop.refreshTokens) old.status = "retired";
  shop.isInstalled = true;
  shop.grantedScope = wanted.scope;
  return issue(shop, wanted, settings);
}

export function findAccessToken(
  shop: ShopState | undefined,
  token: string | undefined,
): ShopState["accessTokens"][number] | undefined {
  const found = shop?.accessTokens.find((candidate) => candidate.token === token);
  return found && (found.expiresAt === null || found.expiresAt > Date.now()) ? found : undefined;
}

function issue(
  shop: ShopState,
  { scope, isExpiring }: WantedToken,
  settings: StorefrontSettings,
): TokenReply {
  const now = Date.now();
  shop.accessTokens = shop.accessTokens.filter(
    (token) => token.expiresAt === null || token.expiresAt > now,
  );
  shop.refreshTokens = shop.refreshTokens.filter((token) => token.expiresAt > now);
  const accessToken = `sandbox-access-${randomBytes(16).toString("hex")}`;
  if (!isExpiring) {
    shop.accessTokens.push({ token: accessToken, scope, expiresAt: null });
    return { access_token: accessToken, scope: withoutImplied(scope) };
  }
  shop.accessTokens.push({
    token: accessToken,
    scope,
    expiresAt: now + settings.tokenLifetimeSeconds * 1000,
  });
  const refreshToken: RefreshToken = {
    token: `sandbox-refresh-${randomBytes(16).toString("hex")}`,
    accessToken,
    scope,
    expiresAt: now + settings.refreshTokenLifetimeSeconds * 1000,
    status: "active",
  };
  shop.refreshTokens.push(refreshToken);
  return pairReply(shop, refreshToken);
}

function pairReply(shop: ShopState, refreshToken: RefreshToken): TokenReply {
  const now = Date.now();
  const access = shop.accessTokens.find((token) => token.token === refreshToken.accessToken);
  return {
    access_token: refreshToken.accessToken,
    scope: withoutImplied(refreshToken.scope),
    expires_in: Math.max(0, Math.round(((access?.expiresAt ?? now) - now) / 1000)),
    refresh_token: refreshToken.token,
    refresh_token_expires_in: Math.round((refreshToken.expiresAt - now) / 1000),
  };
}

/** The platform's answers leave out a read scope that a write scope implies. */
function withoutImplied(scope: string): string {
  const scopes = scope.split(",");
  const implied = scopes.flatMap((name) => {
    const [, prefix = "", rest] = /^(unauthenticated_)?write_(.*)$/.exec(name) ?? [];
    return rest ? [`${prefix}read_${rest}`] : [];
  });
  return scopes.filter((name) => !implied.includes(name)).join(",");
}

function refresh(shop: ShopState, presented: string, settings: StorefrontSettings): ApiResponse {
  const note = (outcome: RefreshCall["outcome"]): void => {
    shop.refreshCalls.push({ at: new Date().toISOString(), outcome });
    if (shop.refreshCalls.length > 1000) shop.refreshCalls.shift();
  };
  if (!shop.isInstalled) {
    note("refused");
    return refusal(401, "invalid_request", "This request requires an active refresh_token");
  }
  const now = Date.now();
  const current = shop.refreshTokens.find(
    (token) => token.token === presented && token.expiresAt > now,
  );
  const replacement = shop.refreshTokens.find((token) => token.token === current?.replacement);
  const isRepeatable =
    settings.refreshRetry === "until_replacement_used" &&
    current?.status === "used" &&
    replacement?.status === "active" &&
    now - (current.usedAt ?? 0) < RETRY_CAP_MS;
  if (isRepeatable) {
    note("repeated");
    return json(200, pairReply(shop, replacement));
  }
  if (current?.status !== "active") {
    note("refused");
    return refusal(
      400,
      "invalid_grant",
      "The refresh token is invalid, expired or was already used",
    );
  }
  // The old access token stays valid until its own expiry.
  const reply = issue(shop, { scope: current.scope, isExpiring: true }, settings);
  for (const earlier of shop.refreshTokens)
    if (earlier.replacement === current.token) earlier.status = "retired";
  current.status = "used";
  current.usedAt = now;
  if (reply.refresh_token) current.replacement = reply.refresh_token;
  note("rotated");
  return json(200, reply);
}

function exchangeCode(
  shop: ShopState,
  presented: string,
  isExpiring: boolean,
  settings: StorefrontSettings,
): ApiResponse {
  const found = shop.codes.find((candidate) => candidate.code === presented);
  if (!found || found.isUsed || found.expiresAt < Date.now()) {
    return refusal(
      400,
      "invalid_request",
      "The authorization code was not found or was already used",
    );
  }
  found.isUsed = true;
  return json(200, grantTokens(shop, { scope: found.scope, isExpiring }, settings));
}

async function exchangeSessionToken(
  shop: ShopState,
  fields: Record<string, unknown>,
  {
    app,
    settings,
    isExpiring,
  }: { app: AppCredentials; settings: StorefrontSettings; isExpiring: boolean },
): Promise<ApiResponse> {
  const requested = textOf(fields["requested_token_type"]);
  if (fields["subject_token_type"] !== ID_TOKEN || !OFFLINE_TOKEN_TYPES.has(requested)) {
    return refusal(
      400,
      "invalid_request",
      "Only an id_token for an offline access token is exchanged here",
    );
  }
  try {
    const { payload } = await jwtVerify(
      textOf(fields["subject_token"]),
      new TextEncoder().encode(app.clientSecret),
      {
        algorithms: ["HS256"],
        audience: app.clientId,
      },
    );
    if (payload["dest"] !== `https://${shop.domain}`)
      throw new Error("The session token belongs to another shop");
  } catch {
    return refusal(400, "invalid_subject_token", "The session token is invalid");
  }
  if (!shop.isInstalled)
    return refusal(400, "invalid_request", "The app is not installed on this shop");
  return json(200, grantTokens(shop, { scope: shop.grantedScope, isExpiring }, settings));
}

/**
 * One-way: exchanges a non-expiring token for a pair. Repeating it with the same token returns the
 * same pair.
 */
function migrate(
  shop: ShopState,
  presented: string,
  isExpiring: boolean,
  settings: StorefrontSettings,
): ApiResponse {
  const earlier = shop.migrations.find((migration) => migration.from === presented);
  const pair = shop.refreshTokens.find(
    (token) => token.token === earlier?.refreshToken && token.status === "active",
  );
  if (
    pair &&
    pair.expiresAt - settings.refreshTokenLifetimeSeconds * 1000 + MIGRATION_RETRY_MS > Date.now()
  )
    return json(200, pairReply(shop, pair));
  const old = findAccessToken(shop, presented);
  if (!isExpiring || old?.expiresAt !== null)
    return refusal(
      400,
      "invalid_subject_token",
      "Only a live non-expiring offline token can be migrated",
    );
  shop.accessTokens = shop.accessTokens.filter((token) => token !== old);
  const reply = grantTokens(shop, { scope: old.scope, isExpiring: true }, settings);
  if (reply.refresh_token)
    shop.migrations.push({ from: presented, refreshToken: reply.refresh_token });
  return json(200, reply);
}

function refusal(status: number, error: string, description: string): ApiResponse {
  return json(status, { error, error_description: description });
}
