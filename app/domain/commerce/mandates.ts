// Mandates as their owner makes, sees and ends them. What else ends them (consent_ap2 withdrawn, password reset, deletion,
// suspension) does so by triggers, in the transaction that causes it.
import type { Ctx } from "../../context.server.ts";
import type { TenantSql } from "../../runtime/database.ts";
import { AppError } from "../../runtime/errors.ts";
import { epochOf } from "../identity/links.ts";
import type { Person } from "../identity/account.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { enqueueCommerceEvent, recordMandate } from "./commerce-events.ts";
import type { Keep } from "./idempotency.ts";
import {
  MANDATE_COLUMNS,
  toMandate,
  type Mandate,
  type MandateInput,
  type MandateRow,
} from "./mandate.ts";
import { proveMandate, signMandate } from "./mandate-proof.ts";
import { findMandateRow } from "./mandate-ledger.ts";
import { toAmount } from "./money.ts";

const HOUR_MS = 3_600_000;

/** `keep` stores the answer inside the transaction that makes the mandate: see idempotency.ts. */
export type Visit = { userAgent: string | null; keep?: Keep };

export function requirePayments(tenant: Tenant): void {
  if (!tenant.config.agent_payments_enabled) throw new AppError("agent_payments_disabled");
}

/** An agent makes mandates for itself alone; the shopper names the agents, or none for any. Throws `invalid_request`. */
function bindToAgent(named: string[] | null, clientId: string | undefined): string[] | null {
  if (clientId === undefined) return named && [...new Set(named)];
  if (named?.some((client) => client !== clientId))
    throw new AppError("invalid_request", {
      fields: { agent_clients: "an agent makes mandates for itself alone" },
    });
  return [clientId];
}

/** Throws `payment_consent_required`, whoever asks. */
export async function createMandate(
  ctx: Ctx,
  tenant: Tenant,
  { account, consents, clientId }: Person,
  input: MandateInput,
  visit: Visit,
): Promise<Mandate> {
  requirePayments(tenant);
  const agentClients = bindToAgent(input.agent_clients, clientId);
  if (!consents.ap2) throw new AppError("payment_consent_required");
  const createdAt = ctx.clock.now();
  const bare = {
    mandate_id: ctx.random.uuid(),
    customer_id: account.id,
    type: "purchase",
    max_amount: toAmount(input.max_amount.replace(/^0+(?=\d)/, "")),
    currency: input.currency,
    scope: input.scope,
    status: "active" as const,
    created_at: createdAt.toISOString(),
    expires_at: new Date(
      createdAt.getTime() + Math.max(1, Math.round(input.expires_in_hours * HOUR_MS)),
    ).toISOString(),
  };
  const signed = {
    ...bare,
    signature: signMandate(ctx, tenant, bare),
    spent_amount: "0.00",
    usage: input.usage,
    agent_clients: agentClients,
  };
  const mandate = { ...signed, proof: proveMandate(ctx, tenant, signed) };
  await dataOf(ctx, tenant).transaction(async (sql) => {
    const { hasPayments } = await lockStanding(sql, account);
    if (!hasPayments) throw new AppError("payment_consent_required");
    await sql(
      "INSERT INTO mandates (shop, mandate_id, customer_id, type, max_amount, currency, scope, usage, signature, proof, agent_clients, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
      [
        mandate.mandate_id,
        account.id,
        mandate.type,
        mandate.max_amount,
        mandate.currency,
        mandate.scope,
        mandate.usage,
        mandate.signature,
        mandate.proof,
        mandate.agent_clients,
        mandate.created_at,
        mandate.expires_at,
      ],
    );
    const { mandate_id, max_amount, currency, scope } = mandate;
    await enqueueCommerceEvent(ctx, tenant, sql, account.id, "ucp_mandate_created", {
      mandate_id,
      max_amount,
      currency,
      scope,
    });
    await visit.keep?.(sql, mandate);
    await recordMandate(ctx, sql, {
      action: "mandate_created",
      userId: account.id,
      mandateId: mandate_id,
      userAgent: visit.userAgent,
    });
  });
  ctx.log.done("mandate.created", {
    shop: tenant.shop,
    user_id: account.id,
    mandate_id: mandate.mandate_id,
  });
  return mandate;
}

/**
 * Person and consent as they are now, held until the commit: a withdrawal or a reset at this moment comes before or after
 * what is done here. The person first, then the claims, as a deletion goes; both before the consent log. Throws `unauthorized`.
 */
export async function lockStanding(
  sql: TenantSql,
  account: Person["account"],
): Promise<{ hasPayments: boolean }> {
  const [person] = await sql<{ status: string; sessions_valid_after: Date | null }>(
    "SELECT status, sessions_valid_after FROM storefront_users WHERE shop = $1 AND id = $2 FOR NO KEY UPDATE",
    [account.id],
  );
  if (person?.status !== "active" || epochOf(person) !== epochOf(account))
    throw new AppError("unauthorized");
  const [claims] = await sql<{ consent_ap2: boolean }>(
    "SELECT consent_ap2 FROM user_claims WHERE shop = $1 AND user_id = $2 FOR SHARE",
    [account.id],
  );
  return { hasPayments: claims?.consent_ap2 === true };
}

/** Newest first; `next` names the last one shown. */
export async function listMandates(
  ctx: Ctx,
  tenant: Tenant,
  person: Person,
  { limit, after }: { limit: number; after: string | null },
): Promise<{ mandates: Mandate[]; next: string | null }> {
  const [at = null, id = null] = after?.split("|") ?? [];
  const rows = await dataOf(ctx, tenant).sql<MandateRow>(
    `SELECT ${MANDATE_COLUMNS} FROM mandates WHERE shop = $1 AND customer_id = $2 AND ($3::timestamptz IS NULL OR (created_at, mandate_id) < ($3::timestamptz, $4::uuid)) ORDER BY created_at DESC, mandate_id DESC LIMIT $5`,
    [person.account.id, at, id, limit + 1],
  );
  const page = rows.slice(0, limit).map(toMandate);
  const last = page.at(-1);
  return {
    mandates: page,
    next: rows.length > limit && last ? `${last.created_at}|${last.mandate_id}` : null,
  };
}

/** `person` null: whoever holds the admin key. Somebody else's is `not_found`. */
export async function getMandate(
  ctx: Ctx,
  tenant: Tenant,
  person: Person | null,
  id: string,
): Promise<Mandate> {
  const row = await findMandateRow(dataOf(ctx, tenant).sql, id);
  if (!row || (person && row.customer_id !== person.account.id)) throw new AppError("not_found");
  return toMandate(row);
}

/** Ends it for new checkouts; what is used or over stays what it is. Safe to repeat. */
export async function revokeMandate(
  ctx: Ctx,
  tenant: Tenant,
  person: Person | null,
  id: string,
): Promise<Mandate> {
  const known = await getMandate(ctx, tenant, person, id);
  const rows = await dataOf(ctx, tenant).sql(
    "UPDATE mandates SET status = 'revoked' WHERE shop = $1 AND mandate_id = $2 AND status = 'active' AND expires_at > clock_timestamp() RETURNING mandate_id",
    [known.mandate_id],
  );
  if (rows.length > 0)
    ctx.log.done("mandate.revoked", {
      shop: tenant.shop,
      user_id: known.customer_id,
      mandate_id: known.mandate_id,
      by: person ? "owner" : "admin",
    });
  return getMandate(ctx, tenant, person, id);
}
