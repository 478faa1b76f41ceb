// A shopper lets an agent in: consent, grant and code commit together, so that there is no grant without its row in the
// consent log.   grant: open -> ended (consent_withdrawn | sessions_ended | revoked | revoked_by_store | code_reused | refresh_reused)
import type { Ctx } from "../../context.server.ts";
import { AppError } from "../../runtime/errors.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { readSubmission, type Visit } from "../consent/sync-consent.ts";
import { writeConsentsWithin } from "../consent/write-consents.ts";
import { epochOf } from "../identity/links.ts";
import type { Session } from "../identity/sessions.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { hashSecret, mintSecret, TOKEN_SECONDS } from "./agent-token.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

export type EndReason = "revoked" | "revoked_by_store" | "code_reused" | "refresh_reused";

/** @returns the code, good once and for 60 seconds. Throws `unauthorized` when the session ended meanwhile. */
export async function grantAccess(ctx: Ctx, tenant: Tenant, { account }: Session, request: AuthorizationRequest, visit: Visit): Promise<string> {
  const grantId = ctx.random.uuid();
  const code = mintSecret(ctx.random, tenant.shop, "code");
  const submission = await readSubmission(ctx, tenant, { consent_a2a: true, method: "oauth_consent", consent_id: grantId }, visit);
  await dataOf(ctx, tenant).transaction(async (sql) => {
    // Held until the commit: a reset at this moment finds the grant and ends it. Not FOR UPDATE, which would make those wait
    // who only refer to the row.
    const [person] = await sql<{ status: string; sessions_valid_after: Date | null }>("SELECT status, sessions_valid_after FROM storefront_users WHERE shop = $1 AND id = $2 FOR NO KEY UPDATE", [account.id]);
    if (person?.status !== "active" || epochOf(person) !== epochOf(account)) throw new AppError("unauthorized");
    await writeConsentsWithin(ctx, tenant, sql, { userId: account.id }, submission);
    await sql("INSERT INTO oauth_grants (shop, id, user_id, client_id, client_name, scopes, sessions_epoch) VALUES ($1, $2, $3, $4, $5, $6, $7)", [
      grantId, account.id, request.client.id, request.client.name, request.scopes, person.sessions_valid_after,
    ]);
    await sql(
      "INSERT INTO oauth_tokens (shop, token_hash, grant_id, kind, scopes, redirect_uri, code_challenge, expires_at) VALUES ($1, $2, $3, 'code', $4, $5, $6, clock_timestamp() + make_interval(secs => $7))",
      [hashSecret(code), grantId, request.scopes, request.redirectUri, request.codeChallenge, TOKEN_SECONDS.code],
    );
    await sql("UPDATE oauth_clients SET granted_at = now() WHERE shop = $1 AND client_id = $2 AND granted_at IS NULL", [request.client.id]);
  });
  ctx.log.done("agent.granted", { shop: tenant.shop, user_id: account.id, grant_id: grantId, scopes: request.scopes });
  return code;
}

/** Every token of the grant is dead from the commit on. Safe to repeat: the first reason stays. */
export async function endGrant(sql: TenantSql, grantId: string, reason: EndReason): Promise<void> {
  await sql("UPDATE oauth_grants SET ended_at = clock_timestamp(), end_reason = $3 WHERE shop = $1 AND id = $2 AND ended_at IS NULL", [grantId, reason]);
}
