// A shopper authorizes an agent: consent, grant and code commit together, so that every grant has
// its row in the consent log.
//   grant: open -> ended (consent_withdrawn | sessions_ended | revoked | revoked_by_store | code_reused | refresh_reused)
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type { Columns, OauthGrant, StorefrontUser, TenantSql } from "../../../db.server.ts";
import { retryOnConflict } from "../../../runtime/database/retry-on-conflict.ts";
import { AppError } from "../../../runtime/errors.ts";
import { readSubmission } from "../../consent/submit/submission.ts";
import type { Visit } from "../../consent/visit.ts";
import { writeConsentsWithin } from "../../consent/write/write-consents.ts";
import { epochOf } from "../../identity/links.ts";
import type { Session } from "../../identity/session/sessions.ts";
import { DONE } from "../../agent-activity/agent-call.ts";
import { recordAgentCall } from "../../agent-activity/record-agent-call.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { IS_ALIVE, PERSON_OF_GRANT } from "./agent-caller.ts";
import { hashSecret, mintSecret, TOKEN_SECONDS } from "./agent-token.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

export type EndReason = "revoked" | "revoked_by_store" | "code_reused" | "refresh_reused";

type GrantedRequest = Pick<
  AuthorizationRequest,
  "client" | "scopes" | "redirectUri" | "isRedirectNamed" | "codeChallenge"
>;

/**
 * Returns the code, valid once and for 60 seconds. Throws `unauthorized` when the session ended
 * meanwhile.
 */
export async function grantAccess(
  ctx: Ctx,
  tenant: Tenant,
  { account }: Pick<Session, "account">,
  request: GrantedRequest,
  visit: Visit,
): Promise<string> {
  const grantId = ctx.random.uuid();
  const code = mintSecret(ctx.random, tenant.shop, "code");
  const submission = await readSubmission(
    ctx,
    tenant,
    { consent_a2a: true, method: "oauth_consent", consent_id: grantId },
    visit,
  );
  await retryOnConflict(() =>
    dataOf(ctx, tenant).transaction(async (sql, prisma) => {
      const epoch = await lockSessionsEpoch(sql, account);
      await writeConsentsWithin(ctx, tenant, sql, {
        subject: { userId: account.id },
        submission,
        at: visit.at,
      });
      await prisma.oauthGrant.create({
        data: {
          shop: tenant.shop,
          id: grantId,
          user_id: account.id,
          client_id: request.client.id,
          client_name: request.client.name,
          scopes: request.scopes,
          sessions_epoch: epoch,
        },
      });
      await insertCode(sql, code, grantId, request);
      await sql(
        "UPDATE oauth_clients SET granted_at = now() WHERE shop = $1 AND client_id = $2 AND granted_at IS NULL",
        [request.client.id],
      );
    }),
  );
  recordAgentCall(ctx, tenant, {
    ...DONE,
    operation: "link_agent",
    caller: { clientId: request.client.id, userId: account.id },
  });
  ctx.log.info("agent.granted", {
    shop: tenant.shop,
    user_id: account.id,
    grant_id: grantId,
    scopes: request.scopes,
  });
  return code;
}

/**
 * Locks the account until the commit: a concurrent reset finds the grant and ends it. Not FOR UPDATE, which
 * would block transactions that only reference the row. Throws `unauthorized` when the session has ended.
 */
async function lockSessionsEpoch(
  sql: TenantSql,
  account: Session["account"],
): Promise<Date | null> {
  const [person] = await sql<Columns<StorefrontUser, "status" | "sessions_valid_after">>(
    "SELECT status, sessions_valid_after FROM storefront_users WHERE shop = $1 AND id = $2 FOR NO KEY UPDATE",
    [account.id],
  );
  if (person?.status !== "active" || epochOf(person) !== epochOf(account))
    throw new AppError("unauthorized");
  return person.sessions_valid_after;
}

async function insertCode(
  sql: TenantSql,
  code: string,
  grantId: string,
  { scopes, redirectUri, codeChallenge, isRedirectNamed }: GrantedRequest,
): Promise<void> {
  await sql(
    `INSERT INTO oauth_tokens (shop, token_hash, grant_id, kind, scopes, redirect_uri,
      code_challenge, redirect_named, expires_at) VALUES ($1, $2, $3, 'code', $4, $5, $6, $7,
      clock_timestamp() + make_interval(secs => $8))`,
    [
      hashSecret(code),
      grantId,
      scopes,
      redirectUri,
      codeChallenge,
      isRedirectNamed,
      TOKEN_SECONDS.code,
    ],
  );
}

/**
 * Every token of the grant is invalid from the commit on. Safe to repeat: the first reason stays.
 */
export async function endGrant(sql: TenantSql, grantId: string, reason: EndReason): Promise<void> {
  await sql(
    `UPDATE oauth_grants SET ended_at = clock_timestamp(), end_reason = $3 WHERE shop = $1
      AND id = $2 AND ended_at IS NULL`,
    [grantId, reason],
  );
}

export type LinkedAgent = {
  id: string;
  client_id: string;
  client_name: string;
  host: string | null;
  scopes: string[];
  created_at: string;
  last_used_at: string | null;
};
type LinkedRow = Columns<
  OauthGrant,
  "id" | "client_id" | "client_name" | "scopes" | "created_at" | "last_used_at"
>;

/** Whether the agent still has a valid code or token. */
const HOLDS_SOMETHING = `EXISTS (SELECT 1 FROM oauth_tokens t WHERE t.shop = g.shop AND t.grant_id = g.id
    AND t.used_at IS NULL AND t.expires_at > clock_timestamp())`;

/**
 * The agents that can currently act for this person, newest first; `next` is the cursor of the next
 * page.
 */
export async function listLinkedAgents(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  { limit, after }: { limit: number; after: string | null },
): Promise<{ grants: LinkedAgent[]; next: string | null }> {
  const [at = null, id = null] = after?.split("|") ?? [];
  const rows = await dataOf(ctx, tenant).sql<LinkedRow>(
    `SELECT g.id, g.client_id, g.client_name, g.scopes, g.created_at, g.last_used_at
      FROM oauth_grants g ${PERSON_OF_GRANT}
     WHERE g.shop = $1 AND g.user_id = $2 AND ${IS_ALIVE} AND coalesce(c.consent_a2a, false)
       AND ${HOLDS_SOMETHING} AND ($3::timestamptz IS NULL OR (g.created_at, g.id) < ($3::timestamptz, $4::uuid))
     ORDER BY g.created_at DESC, g.id DESC LIMIT $5`,
    [userId, at, id, limit + 1],
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    grants: page.map(toLinkedAgent),
    next: rows.length > limit && last ? `${last.created_at.toISOString()}|${last.id}` : null,
  };
}

/** A client with a metadata document is identified by that document's host. */
const toLinkedAgent = (row: LinkedRow): LinkedAgent => ({
  ...row,
  host: row.client_id.startsWith("https:") ? new URL(row.client_id).host : null,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});

const GrantId = z.uuid();

/**
 * Revokes an agent's access by its shopper: every grant of that agent, of which the shopper names
 * one. Safe to repeat; another person's grant is `not_found`.
 */
export async function revokeGrant(
  ctx: Ctx,
  tenant: Tenant,
  userId: number,
  id: string,
): Promise<void> {
  const { sql, prisma } = dataOf(ctx, tenant);
  const grant = GrantId.safeParse(id).success
    ? await prisma.oauthGrant.findFirst({
        select: { client_id: true },
        where: { id, user_id: userId },
      })
    : null;
  if (!grant) throw new AppError("not_found");
  const ended = await sql(
    `UPDATE oauth_grants SET ended_at = clock_timestamp(), end_reason = $4 WHERE shop = $1
      AND user_id = $2 AND client_id = $3 AND ended_at IS NULL RETURNING id`,
    [userId, grant.client_id, "revoked" satisfies EndReason],
  );
  if (ended.length > 0)
    recordAgentCall(ctx, tenant, {
      ...DONE,
      operation: "unlink_agent",
      caller: { clientId: grant.client_id, userId },
    });
  ctx.log.info("agent.revoked", { shop: tenant.shop, user_id: userId, grant_id: id });
}
