// The agents authorized by a store's shoppers, as the merchant sees them, and revoking one.
import type { Ctx } from "../../context.server.ts";
import type { Columns, OauthGrant } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import { DONE } from "../agent-activity/agent-call.ts";
import { recordAgentCall } from "../agent-activity/record-agent-call.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import type { EndReason } from "./oauth/grants.ts";
import { receiverOf } from "./oauth/redirect-uris.ts";

export type StoreAgent = {
  client_id: string;
  name: string;
  /** The host of its metadata document. Null for a self-registered client. */
  host: string | null;
  /** Whose page or app its redirect URI leads to. Null for a client with a metadata document. */
  returns_to: string | null;
  shoppers: number;
  scopes: string[];
  first_linked_at: string;
  /**
   * Its last call for any of them, accurate to five minutes; the authorization's time if it never
   * called.
   */
  last_active_at: string;
};

const MAX_AGENTS = 100;
const SLICE = 1_000;

type Row = Columns<OauthGrant, "client_id"> & {
  client_name: string;
  redirect_uri: string | null;
  shoppers: number;
  scopes: string[];
  first_at: Date;
  last_at: Date;
};

// Reads only the active grants (oauth_grants_open_idx).
const LIST = `
  SELECT g.client_id, (array_agg(g.client_name
    ORDER BY g.created_at DESC))[1] AS client_name, (SELECT redirect_uris[1] FROM oauth_clients c
    WHERE c.shop = $1 AND c.client_id = g.client_id) AS redirect_uri,
    count(DISTINCT g.user_id)::int AS shoppers,
      array_agg(DISTINCT scope.name) FILTER (WHERE scope.name IS NOT NULL) AS scopes,
      min(g.created_at) AS first_at, max(coalesce(g.last_used_at, g.created_at)) AS last_at
  FROM oauth_grants g LEFT JOIN LATERAL unnest(g.scopes) AS scope(name) ON true
  WHERE g.shop = $1 AND g.ended_at IS NULL GROUP BY g.client_id ORDER BY shoppers DESC, g.client_id LIMIT $2`;

/** Those with most shoppers first; `isCut` when there are more than are listed. */
export async function listStoreAgents(
  ctx: Ctx,
  tenant: Tenant,
): Promise<{ agents: StoreAgent[]; isCut: boolean }> {
  const rows = await dataOf(ctx, tenant).sql<Row>(LIST, [MAX_AGENTS + 1]);
  const agents = rows.slice(0, MAX_AGENTS).map((row) => ({
    client_id: row.client_id,
    name: row.client_name,
    host: hostOf(row.client_id),
    returns_to: row.redirect_uri && receiverOf(row.redirect_uri),
    shoppers: row.shoppers,
    scopes: row.scopes ?? [],
    first_linked_at: row.first_at.toISOString(),
    last_active_at: row.last_at.toISOString(),
  }));
  return { agents, isCut: rows.length > MAX_AGENTS };
}

const hostOf = (address: string | null): string | null => URL.parse(address ?? "")?.host || null;

/**
 * Ends its grants with every shopper and so its tokens at once. A shopper may authorize it again. Throws
 * `not_found`.
 */
export async function endAgent(
  ctx: Ctx,
  tenant: Tenant,
  clientId: string,
): Promise<{ ended: number; name: string }> {
  const { sql } = dataOf(ctx, tenant);
  let [ended, name] = [0, ""];
  for (;;) {
    const rows = await sql<Columns<OauthGrant, "client_name">>(
      `UPDATE oauth_grants SET ended_at = clock_timestamp(), end_reason = $3 WHERE shop = $1
        AND id IN (SELECT id FROM oauth_grants WHERE shop = $1 AND client_id = $2
        AND ended_at IS NULL LIMIT ${SLICE} FOR UPDATE) RETURNING client_name`,
      [clientId, "revoked_by_store" satisfies EndReason],
    );
    ended += rows.length;
    name = rows[0]?.client_name ?? name;
    if (rows.length < SLICE) break;
  }
  if (ended === 0) throw new AppError("not_found");
  recordAgentCall(ctx, tenant, {
    ...DONE,
    operation: "unlink_agent",
    caller: { clientId, userId: null },
  });
  ctx.log.info("agent.revoked_by_store", { shop: tenant.shop, client_id: clientId, grants: ended });
  return { ended, name };
}
