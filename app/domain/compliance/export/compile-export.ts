// The export of a person's stored data: no secrets, no tokens, no hashes, no data of other people.
import type { Ctx } from "../../../context.server.ts";
import type { Row, TenantSql } from "../../../runtime/database/database.ts";
import { MANDATE_STATUS } from "../../commerce/mandate.ts";
import { CONSENT_TYPES, consentColumn } from "../../consent/consent-types.ts";
import { isDeletedPerson } from "../../customers/tombstones.ts";
import { readWhereStoreIs } from "../../tenants/reading.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { findEvents } from "../erasure/erase-rows.ts";
import { findPeople, isErased, type MatchedAccount } from "../find-people.ts";
import type { PrivacyRequest } from "../requests/privacy-requests.ts";
import type { KnownSubject, Subject } from "../subject.ts";

const MAX_ROWS = 10_000;

/**
 * Section to its statement; `$2` are the accounts. Columns are named, so that a secret column that
 * is added later is not exported.
 */
const OF_ACCOUNT = {
  accounts: `SELECT id, email, unproven_email, full_name, first_name, last_name, avatar_url,
    provider, federated_sub, storefront_customer_gid, status, language_pref, tags, number_of_orders, amount_spent,
      email_subscription_status, sms_subscription_status, country, email_verified, last_login_at,
        created_at, updated_at, storefront_updated_at, (phone_hash IS NOT NULL) AS phone_number_known, cms_item_id
    FROM storefront_users WHERE shop = $1 AND id = ANY($2::int[]) ORDER BY id`,
  claims: `SELECT user_id, ${CONSENT_TYPES.map(consentColumn).join(", ")}, consent_version, oidc_provider, storefront_oidc_sub, federated_sub,
    segment_id, language, updated_at
    FROM user_claims WHERE shop = $1 AND user_id = ANY($2::int[]) ORDER BY user_id`,
  extras: `SELECT to_jsonb(e) - 'shop' - 'id' AS extra FROM user_extras e WHERE shop = $1
      AND user_id = ANY($2::int[]) ORDER BY user_id`,
  consent_records: `SELECT id, user_id, consent_type, action, method, consent_version, consent_id,
    user_agent, ga_session_id, timestamp, form_type, source_page, gpc, created_at
    FROM consent_records WHERE shop = $1 AND user_id = ANY($2::int[]) ORDER BY seq LIMIT ${MAX_ROWS}`,
  tags: `SELECT m.user_id, t.slug, t.name, t.category, m.source, m.assigned_at FROM user_tag_map m
    JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
    WHERE m.shop = $1 AND m.user_id = ANY($2::int[]) ORDER BY m.id LIMIT ${MAX_ROWS}`,
  sign_ins: `SELECT user_id, provider, issuer, sub, created_at FROM identity_links WHERE shop = $1
      AND user_id = ANY($2::int[]) ORDER BY created_at`,
  agents: `SELECT user_id, client_id, client_name, scopes, created_at, last_used_at, ended_at, end_reason
      FROM oauth_grants WHERE shop = $1 AND user_id = ANY($2::int[]) ORDER BY created_at`,
  mandates: `SELECT mandate_id, customer_id, type, max_amount::text, spent_amount::text, currency,
    scope, usage, agent_clients, ${MANDATE_STATUS} AS status, created_at, expires_at
    FROM mandates WHERE shop = $1 AND customer_id = ANY($2::int[]) ORDER BY created_at LIMIT ${MAX_ROWS}`,
  checkouts: `SELECT id, customer_id, status, source, line_items, subtotal::text, total::text,
    currency, discounts, delivery, mandate_id, client_id, order_id, orders, created_at, updated_at, expires_at
    FROM checkout_sessions WHERE shop = $1 AND customer_id = ANY($2::int[]) ORDER BY created_at LIMIT ${MAX_ROWS}`,
  agent_calls: `SELECT user_id, client_id, operation, outcome, code, amount::text, currency, mandate_id,
    calls, started_at, last_at FROM agent_activity WHERE shop = $1 AND user_id = ANY($2::int[])
    ORDER BY last_at DESC, id DESC LIMIT ${MAX_ROWS}`,
  bulk_changes_refused: `SELECT user_id, reason, created_at FROM tag_run_refusals WHERE shop = $1
      AND user_id = ANY($2::int[]) ORDER BY created_at, run_id LIMIT ${MAX_ROWS}`,
  returns: `SELECT rma, order_id, user_id, status, units, created_at, updated_at FROM return_cases
      WHERE shop = $1 AND user_id = ANY($2::int[]) ORDER BY created_at`,
  // The ids of the store's staff are left out: they are other people.
  accesses: `SELECT user_id, actor_kind, action, place, created_at FROM access_log
      WHERE shop = $1 AND user_id = ANY($2::int[]) ORDER BY id DESC LIMIT ${MAX_ROWS}`,
} as const;

/** `$2` are the events that contained the person. */
const OF_EVENTS = {
  deliveries: `SELECT event_id, channel, source, event_type, entity_type, entity_id, status,
    created_at, delivered_at, payload - 'sealed_to' AS payload
    FROM integration_queue WHERE shop = $1 AND event_id = ANY($2::text[]) ORDER BY id LIMIT ${MAX_ROWS}`,
  events: `SELECT event_id, source, event_type, entity_type, entity_id, destinations, occurred_at, received_at
    FROM event_ledger WHERE shop = $1 AND event_id = ANY($2::text[]) ORDER BY id LIMIT ${MAX_ROWS}`,
} as const;

type Section = keyof typeof OF_ACCOUNT | keyof typeof OF_EVENTS;
type Named<S extends string> = Record<S, Row[]>;

async function readAll<S extends string>(
  sql: TenantSql,
  statements: Record<S, string>,
  values: unknown[],
): Promise<Named<S>> {
  const sections = {} as Named<S>;
  for (const [name, statement] of Object.entries(statements) as [S, string][])
    sections[name] = await sql(statement, values);
  return sections;
}

const ordersOf = (deliveries: Row[]) => [
  ...new Set(deliveries.filter((row) => row.entity_type === "order").map((row) => row.entity_id)),
];

/** The rows of these accounts. */
export const readAccountSections = (
  sql: TenantSql,
  userIds: readonly number[],
): Promise<Named<keyof typeof OF_ACCOUNT>> => readAll(sql, OF_ACCOUNT, [userIds]);

/** The bus rows that contain the person's identifiers. */
export async function readEventSections(
  ctx: Ctx,
  tenant: Tenant,
  known: KnownSubject,
): Promise<Named<keyof typeof OF_EVENTS> & { orders_seen: unknown[] }> {
  const { eventIds } = await findEvents(ctx, ctx.regions.get(tenant.region), tenant.shop, known);
  const sections = await readAll(dataOf(ctx, tenant).sql, OF_EVENTS, [eventIds]);
  return { ...sections, orders_seen: ordersOf(sections.deliveries) };
}

const identifiersOf = ({ gid, email, phone }: Subject) => ({
  storefront_customer_gid: gid ?? null,
  email: email ?? null,
  phone: phone ?? null,
});

/**
 * The request may have waited until the person was erased: the archive must not name them again. Of a person without an
 * account an erasure leaves tombstones, but none of a phone number.
 */
async function mayBeNamed(
  ctx: Ctx,
  { shop }: Tenant,
  sql: TenantSql,
  people: readonly MatchedAccount[],
  { gid, email }: Subject,
): Promise<boolean> {
  if (people.length > 0) return people.some((person) => !isErased(person));
  if (!gid && !email) return false;
  return !(await isDeletedPerson(ctx, sql, shop, { gid: gid ?? null, email: email ?? null }));
}

type ExportRequest = Pick<PrivacyRequest, "id" | "receivedAt" | "dueBy" | "externalId">;
type CompiledExport = { document: object; counts: Record<string, number>; userIds: number[] };

/** `request`: as the document names it. */
export const compileExport = (
  ctx: Ctx,
  tenant: Tenant,
  request: ExportRequest,
  subject: Subject,
): Promise<CompiledExport> =>
  readWhereStoreIs(ctx, tenant, (at) => compileIn(ctx, at, request, subject));

async function compileIn(
  ctx: Ctx,
  tenant: Tenant,
  request: ExportRequest,
  subject: Subject,
): Promise<CompiledExport> {
  const { sql } = dataOf(ctx, tenant);
  const people = await findPeople(ctx, tenant, sql, subject);
  const text = (values: (string | null | undefined)[]) => [
    ...new Set(values.filter((value): value is string => Boolean(value))),
  ];
  const known = {
    userIds: people.map(({ id }) => id),
    gids: text([subject.gid, ...people.map((person) => person.storefront_customer_gid)]),
    emails: text([subject.email, ...people.map((person) => person.email)]),
    phones: text([subject.phone]),
    // Excludes the name: another customer may have the same one.
    names: [],
    orders: subject.orders ?? [],
    eventIds: [],
  };
  const { orders_seen: ordersSeen, ...events } = await readEventSections(ctx, tenant, known);
  const sections: Record<Section, Row[]> = {
    ...(await readAccountSections(sql, known.userIds)),
    ...events,
  };
  const document = {
    request: {
      id: request.id,
      store: tenant.shop,
      received_at: request.receivedAt.toISOString(),
      due_by: request.dueBy.toISOString(),
      data_request_id: request.externalId,
      orders_requested: subject.orders ?? [],
    },
    person: identifiersOf((await mayBeNamed(ctx, tenant, sql, people, subject)) ? subject : {}),
    ...sections,
    orders_seen: ordersSeen,
  };
  return {
    document,
    userIds: known.userIds,
    counts: Object.fromEntries(Object.entries(sections).map(([name, rows]) => [name, rows.length])),
  };
}
