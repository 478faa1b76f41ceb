// The customer page of the merchant: identity and sign-ins, consents, tags, and the state in each
// connected system; and the actions of its buttons.
import { z } from "zod";
import type { Ctx } from "../../context.server.ts";
import type {
  Columns,
  ConsentRecord,
  DeliveryAttempt,
  IntegrationQueue,
  TenantSql,
} from "../../db.server.ts";
import { AppError, isAppError, OutboundError } from "../../runtime/errors.ts";
import { replay } from "../bus/dead-letters.ts";
import { listOrdersOf } from "../commerce/orders.ts";
import { listAccesses, type AccessEntry } from "../compliance/access-log/read-access-log.ts";
import { confirmationPhrase } from "../compliance/merchant-requests.ts";
import { listConsents } from "../consent/consent-history.ts";
import { CONSENT_TYPES, type ConsentType } from "../consent/consent-types.ts";
import { listKnownTags } from "../customers/list/filter-choices.ts";
import { writeTags } from "../customers/tag-change.ts";
import { findPerson } from "../identity/account.ts";
import { listAssignedTags } from "../tags/assignments.ts";
import { dataOf, type Tenant } from "../tenants/tenant.ts";

const TIMELINE = 10;
const ORDERS = 10;
const ACCESSES = 20;
/** The maximum time that the page waits for the store. */
const ORDERS_TIMEOUT_MS = 4_000;

/**
 * Null for an id without a customer in this store. `before`: the end of the previous page of the
 * consent log.
 */
export async function readCustomer(ctx: Ctx, tenant: Tenant, id: number, before: number | null) {
  const data = dataOf(ctx, tenant);
  const { sql } = data;
  const person = await findPerson(sql, id);
  if (!person) return null;
  const { account, consents } = person;
  const gid = account.storefront_customer_gid;
  const [links, tags, timeline, decisions, systems, knownTags, accesses] = await Promise.all([
    data.prisma.identityLink.findMany({ where: { user_id: id }, orderBy: { created_at: "asc" } }),
    listAssignedTags(sql, id),
    listConsents(ctx, tenant, id, { limit: TIMELINE, before }),
    readDecisions(sql, id),
    readSystems(ctx, tenant, sql, [String(id), ...(gid ? [gid] : [])]),
    listKnownTags(sql),
    listAccesses(ctx, tenant, { userId: id, limit: ACCESSES, before: null }),
  ]);
  return {
    customer: {
      id,
      email: account.email,
      name: account.full_name,
      status: account.status,
      provider: account.provider,
      country: account.country,
      language: account.language_pref,
      isVerified: account.email_verified,
      orders: account.number_of_orders,
      spent: account.amount_spent,
      gid,
      lastSignIn: account.last_login_at?.toISOString() ?? null,
      updatedAt: account.updated_at.toISOString(),
      hasPassword: account.password_hash !== "",
      confirmationPhrase: confirmationPhrase(account),
      canBeErased: Boolean(account.email ?? gid),
      adminUrl: gid
        ? ctx.storefront.adminUrl(
            tenant.shop,
            `/admin/customers/${gid.slice(gid.lastIndexOf("/") + 1)}`,
          )
        : null,
    },
    links: links.map(({ provider, issuer, created_at: since }) => ({
      provider,
      issuer,
      since: since.toISOString(),
    })),
    consents: CONSENT_TYPES.map((type) => ({
      type,
      isGiven: consents[type],
      decision: decisions.get(type) ?? null,
    })),
    timeline: timeline.records.map(
      ({
        id: record,
        consent_type: type,
        action,
        method,
        consent_version: version,
        created_at: at,
      }) => ({ id: record, type, action, method, version, at }),
    ),
    older: timeline.next,
    tags: tags.map(({ assigned_at: at, ...tag }) => ({ ...tag, at: at.toISOString() })),
    systems,
    knownTags: knownTags.map(({ slug, name }) => ({ slug, name })),
    accesses: accesses.entries.map(toShownAccess),
  };
}

const toShownAccess = (entry: AccessEntry) => ({
  id: entry.id,
  at: entry.created_at,
  action: entry.action,
  actorKind: entry.actor_kind,
  actorId: entry.actor_id,
});

type Decision = { action: string; method: string; version: string | null; at: string };

/** The latest record of each consent. */
async function readDecisions(sql: TenantSql, id: number): Promise<Map<ConsentType, Decision>> {
  const rows = await sql<
    Columns<
      ConsentRecord,
      "consent_type" | "action" | "method" | "consent_version" | "created_at"
    > & { consent_type: ConsentType }
  >(
    `SELECT DISTINCT ON (consent_type) consent_type, action, method, consent_version, created_at
      FROM consent_records WHERE shop = $1 AND user_id = $2 AND consent_type = ANY($3::text[])
      AND action IN ('granted', 'revoked') ORDER BY consent_type, id DESC`,
    [id, CONSENT_TYPES],
  );
  return new Map(
    rows.map((row) => [
      row.consent_type,
      {
        action: row.action,
        method: row.method,
        version: row.consent_version,
        at: row.created_at.toISOString(),
      },
    ]),
  );
}

export type SystemState = {
  channel: string;
  isOn: boolean;
  status: "none" | "delivered" | "waiting" | "dead";
  at: string | null;
  httpStatus: number | null;
  reason: string | null;
};
type QueueRow = Columns<IntegrationQueue, "channel" | "event_id" | "status" | "last_error"> & {
  at: Date;
};

const NEWEST = `
  SELECT DISTINCT ON (channel) channel, event_id, status, last_error, coalesce(delivered_at,
    dead_lettered_at, updated_at) AS at FROM integration_queue
  WHERE shop = $1 AND entity_type = 'customer' AND entity_id = ANY($2::text[]) ORDER BY channel, id DESC`;

/** The latest delivery of this customer to each system within the event log that the store keeps. */
async function readSystems(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  names: readonly string[],
): Promise<SystemState[]> {
  const rows = await sql<QueueRow>(NEWEST, [names]);
  const attempts = await sql<Columns<DeliveryAttempt, "channel" | "http_status" | "error">>(
    `SELECT DISTINCT ON (channel) channel, http_status, error FROM delivery_attempts WHERE shop = $1
      AND event_id = ANY($2::text[]) ORDER BY channel, id DESC`,
    [rows.map((row) => row.event_id)],
  );
  const on = ctx.channels.filter((channel) => channel.isEnabled(tenant)).map(({ name }) => name);
  const shown = [
    ...new Set([
      ...on.filter((name) => OF_CUSTOMERS.has(name)),
      ...rows.map(({ channel }) => channel),
    ]),
  ].sort();
  return shown.map((channel) => {
    const row = rows.find((one) => one.channel === channel);
    const attempt = attempts.find((one) => one.channel === channel);
    const status = row
      ? row.status === "delivered"
        ? "delivered"
        : row.status === "dead_letter"
          ? "dead"
          : "waiting"
      : "none";
    return {
      channel,
      isOn: on.includes(channel),
      status,
      at: row?.at.toISOString() ?? null,
      httpStatus: attempt?.http_status ?? null,
      reason: status === "delivered" ? null : (row?.last_error ?? attempt?.error ?? null),
    };
  });
}

const OF_CUSTOMERS = new Set(["cms", "storefront", "web_analytics", "profile_platform"]);

export type OrdersPart =
  | { state: "known"; orders: Awaited<ReturnType<typeof listOrdersOf>>["orders"] }
  | { state: "none" }
  | { state: "unavailable" };

/** Calls the store's API, so it loads after the rest; never rejects. */
export async function readOrders(
  ctx: Ctx,
  tenant: Tenant,
  id: number,
  gid: string | null,
): Promise<OrdersPart> {
  if (!gid) return { state: "none" };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<OrdersPart>((resolve) => {
    timer = setTimeout(resolve, ORDERS_TIMEOUT_MS, { state: "unavailable" });
  });
  const asked = listOrdersOf(
    ctx,
    tenant,
    { userId: id, customer: gid },
    { limit: ORDERS, after: null },
  ).then(
    ({ orders }): OrdersPart => ({ state: "known", orders }),
    (error: unknown): OrdersPart => {
      if (!isAppError(error) && !(error instanceof OutboundError))
        ctx.log.error("customer_orders.unknown", error, { shop: tenant.shop });
      return { state: "unavailable" };
    },
  );
  const part = await Promise.race([asked, late]);
  clearTimeout(timer);
  return part;
}

const tagNames = z.array(z.string().max(200)).max(10).default([]);
export const TagChange = z.object({ add: tagNames, remove: tagNames });

export async function changeTags(
  ctx: Ctx,
  tenant: Tenant,
  id: number,
  change: z.output<typeof TagChange>,
): Promise<void> {
  await writeTags(ctx, tenant, id, { ...change, source: "admin", categories: null });
}

/**
 * The customer's latest delivery to this system, if it is dead: the row is found here, because a
 * form's row id is untrusted.
 */
export async function retryDelivery(
  ctx: Ctx,
  tenant: Tenant,
  id: number,
  channel: string,
): Promise<number> {
  const { sql } = dataOf(ctx, tenant);
  const person = await findPerson(sql, id);
  if (!person) throw new AppError("not_found");
  const gid = person.account.storefront_customer_gid;
  const row = (await sql<QueueRow>(NEWEST, [[String(id), ...(gid ? [gid] : [])]])).find(
    (one) => one.channel === channel,
  );
  return row?.status === "dead_letter" ? (await replay(ctx, tenant, [row.event_id])).requeued : 0;
}
