// Codes and refresh tokens are exchanged for access tokens, once each (RFC 6749 4.1.3 and 6, RFC
// 7009, RFC 9700 4.14). The token's and the grant's row are locked together, so that of two
// concurrent uses one succeeds; the other counts as reuse and ends the grant, because one of the
// two may be stolen.
import { hash } from "node:crypto";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, OauthGrant, OauthToken, TenantSql } from "../../../db.server.ts";
import { AppError } from "../../../runtime/errors.ts";
import { secretEquals } from "../../../runtime/secrets.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { hashSecret, mintSecret, TOKEN_SECONDS, type TokenKind } from "./agent-token.ts";
import { IS_ALIVE, PERSON_OF_GRANT } from "./agent-caller.ts";
import { isKnownClient } from "./clients.ts";
import { endGrant } from "./grants.ts";

export type TokenReply = {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token: string;
  scope: string;
};

type Held = Columns<
  OauthToken,
  | "token_hash"
  | "grant_id"
  | "kind"
  | "scopes"
  | "redirect_uri"
  | "redirect_named"
  | "code_challenge"
> &
  Columns<OauthGrant, "client_id"> & {
    kind: TokenKind;
    is_used: boolean;
    is_fresh: boolean;
    grant_scopes: string[];
    is_alive: boolean;
  };

async function lockToken(
  sql: TenantSql,
  secret: string,
  kinds: readonly TokenKind[],
): Promise<Held | null> {
  const [held] = await sql<Held>(
    `SELECT t.token_hash, t.grant_id, t.kind, t.scopes, t.redirect_uri, t.redirect_named, t.code_challenge,
      t.used_at IS NOT NULL AS is_used, t.expires_at > clock_timestamp() AS is_fresh, g.client_id,
      g.scopes AS grant_scopes,
       ${IS_ALIVE} AND coalesce(c.consent_a2a, false) AS is_alive
     FROM oauth_tokens t JOIN oauth_grants g ON g.shop = t.shop AND g.id = t.grant_id ${PERSON_OF_GRANT}
     WHERE t.shop = $1 AND t.token_hash = $2 AND t.kind = ANY($3::text[]) FOR UPDATE OF t, g`,
    [hashSecret(secret), kinds],
  );
  return held ?? null;
}

/** Uses up the presented token and issues a new pair. */
async function issue(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  held: Held,
  scopes: readonly string[],
): Promise<TokenReply> {
  const pair = {
    access: mintSecret(ctx.random, tenant.shop, "access"),
    refresh: mintSecret(ctx.random, tenant.shop, "refresh"),
  };
  await sql(
    "UPDATE oauth_tokens SET used_at = clock_timestamp() WHERE shop = $1 AND token_hash = $2",
    [held.token_hash],
  );
  for (const kind of ["access", "refresh"] as const)
    await sql(
      `INSERT INTO oauth_tokens (shop, token_hash, grant_id, kind, scopes, expires_at)
        VALUES ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6))`,
      [
        hashSecret(pair[kind]),
        held.grant_id,
        kind,
        kind === "access" ? scopes : held.scopes,
        TOKEN_SECONDS[kind],
      ],
    );
  return {
    access_token: pair.access,
    token_type: "Bearer",
    expires_in: TOKEN_SECONDS.access,
    refresh_token: pair.refresh,
    scope: scopes.join(" "),
  };
}

type Attempt = TokenReply | "refused" | "too_much" | "no_redirect";

// A client id is looked up only for an error: tokens name their client. Not by throwing inside the
// transaction: that would roll back the end of the grant.
async function attempt(
  ctx: Ctx,
  tenant: Tenant,
  clientId: string,
  work: (sql: TenantSql) => Promise<Attempt>,
): Promise<TokenReply> {
  if (!tenant.config.agent_access_enabled) throw new AppError("unauthorized_client");
  const result = await dataOf(ctx, tenant).transaction(work);
  if (result === "refused")
    throw new AppError(
      (await isKnownClient(ctx, tenant, clientId)) ? "invalid_grant" : "unknown_client",
    );
  if (result === "no_redirect")
    throw new AppError("malformed_request", { message: "redirect_uri is missing." });
  if (result === "too_much") throw new AppError("invalid_scope");
  return result;
}

export type CodeExchange = {
  code: string;
  clientId: string;
  redirectUri: string | undefined;
  verifier: string;
};

export function exchangeCode(
  ctx: Ctx,
  tenant: Tenant,
  { code, clientId, redirectUri, verifier }: CodeExchange,
): Promise<TokenReply> {
  return attempt(ctx, tenant, clientId, async (sql) => {
    const held = await lockToken(sql, code, ["code"]);
    if (!held || held.client_id !== clientId) return "refused";
    if (held.is_used) {
      await endGrant(sql, held.grant_id, "code_reused");
      return "refused";
    }
    const isProven =
      /^[\w.~-]{43,128}$/.test(verifier) &&
      secretEquals(hash("sha256", verifier, "base64url"), held.code_challenge ?? "");
    if (!held.is_fresh || !held.is_alive || !isProven) return "refused";
    if (redirectUri === undefined && held.redirect_named) return "no_redirect";
    if (redirectUri !== undefined && held.redirect_uri !== redirectUri) return "refused";
    return issue(ctx, tenant, sql, held, held.scopes);
  });
}

export type Refresh = { refreshToken: string; clientId: string; scope: string | undefined };

export function refreshAccess(
  ctx: Ctx,
  tenant: Tenant,
  { refreshToken, clientId, scope }: Refresh,
): Promise<TokenReply> {
  return attempt(ctx, tenant, clientId, async (sql) => {
    const held = await lockToken(sql, refreshToken, ["refresh"]);
    if (!held || held.client_id !== clientId) return "refused";
    if (held.is_used) {
      await endGrant(sql, held.grant_id, "refresh_reused");
      ctx.log.warn("agent.token_reused", { shop: tenant.shop, grant_id: held.grant_id });
      return "refused";
    }
    if (!held.is_fresh || !held.is_alive) return "refused";
    const asked = [...new Set((scope ?? "").split(" ").filter(Boolean))];
    // Fewer scopes than granted are allowed for this access token, more are not.
    if (!asked.every((name) => held.grant_scopes.includes(name))) return "too_much";
    return issue(ctx, tenant, sql, held, asked.length > 0 ? asked : held.grant_scopes);
  });
}

/**
 * A refresh token ends its whole grant, an access token only itself. The response is the same for
 * an unknown token.
 */
export async function revokeToken(
  ctx: Ctx,
  tenant: Tenant,
  token: string,
  clientId: string | undefined,
): Promise<void> {
  const isForeign = await dataOf(ctx, tenant).transaction(async (sql) => {
    const held = await lockToken(sql, token, ["access", "refresh"]);
    if (!held) return false;
    if (clientId !== undefined && held.client_id !== clientId) return true;
    if (held.kind === "refresh") await endGrant(sql, held.grant_id, "revoked");
    else
      await sql(
        `UPDATE oauth_tokens SET used_at = coalesce(used_at, clock_timestamp()) WHERE shop = $1
          AND token_hash = $2`,
        [held.token_hash],
      );
    return false;
  });
  if (isForeign) throw new AppError("invalid_grant");
}
