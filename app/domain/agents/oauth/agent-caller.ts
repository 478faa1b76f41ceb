// The caller behind an agent's access token. Token, grant, person and `consent_a2a` are read at
// every call.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, OauthGrant } from "../../../db.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { hashSecret, isAgentToken, shopOfAgentToken } from "./agent-token.ts";

export type AgentCaller = { userId: number; clientId: string; grantId: string; scopes: string[] };
/** `no_consent`: valid except for the shopper's consent; `closed`: the store disables agents. */
export type AgentCheck =
  | { outcome: "valid"; caller: AgentCaller }
  | { outcome: "no_consent" }
  | { outcome: "closed" }
  | { outcome: "invalid" };

/**
 * SQL about grant `g`, person `u` and claims `c`. The epoch is the person's sessions_valid_after at
 * the time of the grant.
 */
const IS_SAME_PERSON =
  "u.status = 'active' AND g.sessions_epoch IS NOT DISTINCT FROM u.sessions_valid_after";
export const IS_ALIVE = `g.ended_at IS NULL AND ${IS_SAME_PERSON}`;
export const PERSON_OF_GRANT =
  "JOIN storefront_users u ON u.shop = g.shop AND u.id = g.user_id LEFT JOIN user_claims c ON c.shop = g.shop AND c.user_id = g.user_id";

type Row = Columns<OauthGrant, "user_id" | "client_id" | "scopes" | "end_reason"> & {
  grant_id: string;
  is_noted: boolean;
  is_alive: boolean;
  is_person: boolean;
  has_consent: boolean;
};

/** The accuracy of an agent's last use: a write at every call would cost more than the call. */
const IS_NOTED = "g.last_used_at > clock_timestamp() - interval '5 minutes'";

const READ = `
  SELECT g.id AS grant_id, coalesce(${IS_NOTED}, false) AS is_noted, g.user_id, g.client_id,
    t.scopes, ${IS_ALIVE} AS is_alive, ${IS_SAME_PERSON} AS is_person, coalesce(c.consent_a2a,
    false) AS has_consent, g.end_reason
  FROM oauth_tokens t JOIN oauth_grants g ON g.shop = t.shop AND g.id = t.grant_id ${PERSON_OF_GRANT}
  WHERE t.shop = $1 AND t.token_hash = $2 AND t.kind = 'access' AND t.used_at IS NULL
    AND t.expires_at > clock_timestamp()`;

/** `tenant` must be current, not cached. */
export async function checkAgentToken(
  ctx: Ctx,
  tenant: Tenant,
  token: string,
): Promise<AgentCheck> {
  if (!isAgentToken(token)) return { outcome: "invalid" };
  const [row] = await dataOf(ctx, tenant).sql<Row>(READ, [hashSecret(token)], "agent-token-read");
  if (!row || !row.is_person) return { outcome: "invalid" };
  if (!row.has_consent)
    return row.is_alive || row.end_reason === "consent_withdrawn"
      ? { outcome: "no_consent" }
      : { outcome: "invalid" };
  if (!row.is_alive) return { outcome: "invalid" };
  if (!tenant.config.agent_access_enabled) return { outcome: "closed" };
  if (!row.is_noted)
    await dataOf(ctx, tenant).sql(
      `UPDATE oauth_grants g SET last_used_at = clock_timestamp() WHERE shop = $1 AND id = $2
        AND NOT coalesce(${IS_NOTED}, false)`,
      [row.grant_id],
    );
  return {
    outcome: "valid",
    caller: {
      userId: row.user_id,
      clientId: row.client_id,
      grantId: row.grant_id,
      scopes: row.scopes,
    },
  };
}

/** The shopper and agent of a token that was issued and has not expired. `checkAgentToken` checks what it allows. */
export async function findIssuedAgent(
  ctx: Ctx,
  tenant: Tenant,
  token: string,
): Promise<Columns<OauthGrant, "user_id" | "client_id"> | null> {
  if (shopOfAgentToken(token) !== tenant.shop) return null;
  const [agent] = await dataOf(ctx, tenant).sql<Columns<OauthGrant, "user_id" | "client_id">>(
    `SELECT g.user_id, g.client_id FROM oauth_tokens t
      JOIN oauth_grants g ON g.shop = t.shop AND g.id = t.grant_id
      WHERE t.shop = $1 AND t.token_hash = $2 AND t.kind = 'access' AND t.expires_at > clock_timestamp()`,
    [hashSecret(token)],
    "agent-token-issued",
  );
  return agent ?? null;
}

/** The caller, or null for any reason. */
export async function findAgentCaller(
  ctx: Ctx,
  tenant: Tenant,
  token: string,
): Promise<AgentCaller | null> {
  const check = await checkAgentToken(ctx, tenant, token);
  return check.outcome === "valid" ? check.caller : null;
}
