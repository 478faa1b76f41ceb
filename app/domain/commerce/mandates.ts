// Mandates created, listed and revoked by their owner. Other events (consent_ap2 revoked, password
// reset, deletion, suspension) end them by triggers, in the transaction that causes it.
import type { Ctx } from "../../context.server.ts";
import type { Transaction } from "../../db.server.ts";
import { AppError } from "../../runtime/errors.ts";
import type { CallMoney } from "../agent-activity/agent-call.ts";
import type { Visit } from "../consent/visit.ts";
import type { Person } from "../identity/account.ts";
import { lockCaller } from "../identity/session/caller-access.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";
import { enqueueCommerceEvent, recordMandate } from "./commerce-events.ts";
import type { Keep } from "./idempotency.ts";
import {
  MANDATE_COLUMNS,
  toMandate,
  unknownMandate,
  type Mandate,
  type MandateInput,
  type MandateRow,
} from "./mandate.ts";
import { proveMandate, signMandate } from "./mandate-proof.ts";
import { findMandateRow, isForAgent } from "./mandate-ledger.ts";
import { toAmount } from "./money.ts";

const HOUR_MS = 3_600_000;

type MandateOptions = Pick<Visit, "userAgent" | "at"> & {
  /** Stores the response inside the transaction that creates the mandate: see idempotency.ts. */
  keep?: Keep;
  /** Notes the mandate's limit for the record of the agent's call. */
  noteMoney?: (money: CallMoney) => void;
};

export function requirePayments(tenant: Tenant): void {
  if (!tenant.config.agent_payments_enabled) throw new AppError("agent_payments_disabled");
}

/**
 * An agent creates mandates for itself only; the shopper names the agents, or none for any. Throws
 * `invalid_request`.
 */
function bindToAgent(named: string[] | null, clientId: string | undefined): string[] | null {
  if (clientId === undefined) return named && [...new Set(named)];
  if (named?.some((client) => client !== clientId))
    throw new AppError("invalid_request", {
      fields: { agent_clients: "an agent makes mandates for itself alone" },
    });
  return [clientId];
}

/** Throws `payment_consent_required` for every caller. */
export async function createMandate(
  ctx: Ctx,
  tenant: Tenant,
  person: Person,
  input: MandateInput,
  { userAgent, at, keep, noteMoney }: MandateOptions,
): Promise<Mandate> {
  const { account, consents, clientId } = person;
  requirePayments(tenant);
  const agentClients = bindToAgent(input.agent_clients, clientId);
  if (!consents.ap2) throw new AppError("payment_consent_required");
  const mandate = buildMandate(ctx, tenant, account.id, { ...input, agent_clients: agentClients });
  await dataOf(ctx, tenant).transaction(async (sql, prisma) => {
    const { hasPayments } = await lockCaller(sql, person);
    if (!hasPayments) throw new AppError("payment_consent_required");
    await insertMandate(tenant, prisma, mandate);
    const { mandate_id, max_amount, currency, scope } = mandate;
    await enqueueCommerceEvent(ctx, tenant, sql, {
      userId: account.id,
      name: "ucp_mandate_created",
      params: { mandate_id, max_amount, currency, scope },
    });
    await keep?.(sql, mandate);
    await recordMandate(ctx, tenant, sql, {
      action: "mandate_created",
      userId: account.id,
      mandateId: mandate_id,
      userAgent,
      at,
    });
  });
  const { mandate_id: mandateId, max_amount: limit, currency } = mandate;
  noteMoney?.({ amount: limit, currency, mandateId });
  ctx.log.info("mandate.created", {
    shop: tenant.shop,
    user_id: account.id,
    mandate_id: mandateId,
  });
  return mandate;
}

/** A new mandate, signed and with its proof; `input` names the agents that it is bound to. */
function buildMandate(ctx: Ctx, tenant: Tenant, customerId: number, input: MandateInput): Mandate {
  const createdAt = ctx.clock.now();
  const lifetimeMs = Math.max(1, Math.round(input.expires_in_hours * HOUR_MS));
  const bare = {
    mandate_id: ctx.random.uuid(),
    customer_id: customerId,
    type: "purchase",
    max_amount: toAmount(input.max_amount.replace(/^0+(?=\d)/, "")),
    currency: input.currency,
    scope: input.scope,
    status: "active" as const,
    created_at: createdAt.toISOString(),
    expires_at: new Date(createdAt.getTime() + lifetimeMs).toISOString(),
  };
  const signed = {
    ...bare,
    signature: signMandate(ctx, tenant, bare),
    spent_amount: "0.00",
    usage: input.usage,
    agent_clients: input.agent_clients,
  };
  return { ...signed, proof: proveMandate(ctx, tenant, signed) };
}

async function insertMandate(
  tenant: Tenant,
  prisma: Transaction["prisma"],
  mandate: Mandate,
): Promise<void> {
  const { agent_clients: agents, status: _active, ...columns } = mandate;
  await prisma.mandate.create({
    data: { ...columns, shop: tenant.shop, ...(agents && { agent_clients: agents }) },
  });
}

/** Newest first, to an agent those that it may spend; `next` is the cursor of the next page. */
export async function listMandates(
  ctx: Ctx,
  tenant: Tenant,
  person: Person,
  { limit, after }: { limit: number; after: string | null },
): Promise<{ mandates: Mandate[]; next: string | null }> {
  const [at = null, id = null] = after?.split("|") ?? [];
  const rows = await dataOf(ctx, tenant).sql<MandateRow>(
    `SELECT ${MANDATE_COLUMNS} FROM mandates WHERE shop = $1 AND customer_id = $2
      AND ($3::timestamptz IS NULL OR (created_at, mandate_id) < ($3::timestamptz, $4::uuid))
      AND ($6::text IS NULL OR agent_clients IS NULL OR $6 = ANY(agent_clients))
      ORDER BY created_at DESC, mandate_id DESC LIMIT $5`,
    [person.account.id, at, id, limit + 1, person.clientId ?? null],
  );
  const page = rows.slice(0, limit).map(toMandate);
  const last = page.at(-1);
  return {
    mandates: page,
    next: rows.length > limit && last ? `${last.created_at}|${last.mandate_id}` : null,
  };
}

/**
 * `person` null: a caller with the admin key. Another person's mandate is `not_found`, and to an agent
 * one that is for other agents.
 */
export async function getMandate(
  ctx: Ctx,
  tenant: Tenant,
  person: Person | null,
  id: string,
): Promise<Mandate> {
  const row = await findMandateRow(dataOf(ctx, tenant).sql, id);
  if (!row || (person && !isShownTo(row, person))) throw unknownMandate();
  return toMandate(row);
}

const isShownTo = (row: MandateRow, { account, clientId }: Person): boolean =>
  row.customer_id === account.id && (clientId === undefined || isForAgent(row, clientId));

/** Revokes it for new checkouts; a used or expired one stays so. Safe to repeat. */
export async function revokeMandate(
  ctx: Ctx,
  tenant: Tenant,
  person: Person | null,
  id: string,
): Promise<Mandate> {
  const known = await getMandate(ctx, tenant, person, id);
  const rows = await dataOf(ctx, tenant).sql(
    `UPDATE mandates SET status = 'revoked' WHERE shop = $1 AND mandate_id = $2
      AND status = 'active' AND expires_at > clock_timestamp() RETURNING mandate_id`,
    [known.mandate_id],
  );
  if (rows.length > 0)
    ctx.log.info("mandate.revoked", {
      shop: tenant.shop,
      user_id: known.customer_id,
      mandate_id: known.mandate_id,
      by: person ? "owner" : "admin",
    });
  return getMandate(ctx, tenant, person, id);
}
