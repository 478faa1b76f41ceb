// Erases a person from the tenant's rows. The account stays, empty and `deleted`, because the
// consent log refers to it.
import type { Ctx } from "../../../context.server.ts";
import type {
  Columns,
  Database,
  EventLedger,
  IntegrationQueue,
  TenantSql,
} from "../../../db.server.ts";
import { KEYS } from "../../../runtime/database/kv-keys.ts";
import { subjectMark } from "../../bus/ledger-subjects.ts";
import { countMinutes } from "../../bus/log/minute-counts.ts";
import { CUSTOMER_GONE, ERASED_PAYLOAD, REDACTED } from "../../bus/outcome.ts";
import { tombstoneOf } from "../../customers/tombstones.ts";
import { clearPurchases } from "../../identity/clear-account.ts";
import { END_ALL_SESSIONS } from "../../identity/session/sessions.ts";
import { hasSpelling, textSearch } from "../personal-values/text-search.ts";
import { mentionSpellings, type KnownSubject } from "../subject.ts";
import { tableSlices } from "./table-slices.ts";

export type Counts = Record<string, number>;

const counted = async (sql: TenantSql, statement: string, values: unknown[]) =>
  (await sql(`${statement} RETURNING 1`, values)).length;

/**
 * Prevents a webhook or sync from recreating the customer. A repetition moves the tombstone's time
 * to now. Unlike the deletion of a person who had not verified the address, this one holds for the
 * customer, too.
 */
export async function insertTombstones(
  ctx: Ctx,
  sql: TenantSql,
  shop: string,
  { gids, emails }: KnownSubject,
): Promise<void> {
  const stones = [
    ...gids.map((gid) => ["gid", tombstoneOf(ctx, shop, "gid", gid)]),
    ...emails.map((email) => ["email", tombstoneOf(ctx, shop, "email", email)]),
  ];
  for (const [kind, hmac] of stones)
    await sql(
      `INSERT INTO customer_tombstones (shop, kind, subject_hmac) VALUES ($1, $2, $3)
        ON CONFLICT (shop, kind, subject_hmac) DO UPDATE SET created_at = now(), unproven = false`,
      [kind, hmac],
    );
}

/** Tables that keep nothing of an erased account. */
const DELETED_WITH_ACCOUNT = [
  "user_claims",
  "user_extras",
  "user_tag_map",
  "tag_run_members",
  "identity_links",
] as const;

export async function anonymiseAccounts(
  sql: TenantSql,
  userIds: readonly number[],
): Promise<Counts> {
  const ids = [userIds];
  const deleteRows = (table: string) =>
    counted(sql, `DELETE FROM ${table} WHERE shop = $1 AND user_id = ANY($2::int[])`, ids);
  // Clears the purchases before the claims, whose trigger locks the mandates.
  const counts: Counts = await clearPurchases(sql, userIds);
  for (const table of DELETED_WITH_ACCOUNT) counts[table] = await deleteRows(table);
  return {
    ...counts,
    oauth_tokens: await counted(
      sql,
      `DELETE FROM oauth_tokens WHERE shop = $1 AND grant_id IN (SELECT id FROM oauth_grants
        WHERE shop = $1 AND user_id = ANY($2::int[]))`,
      ids,
    ),
    // The grants go after their tokens, which name no account themselves.
    oauth_grants: await deleteRows("oauth_grants"),
    storefront_users: await counted(
      sql,
      `UPDATE storefront_users SET status = 'deleted', email = NULL, unproven_email = NULL,
        password_hash = '', full_name = NULL, first_name = NULL, last_name = NULL,
        avatar_url = NULL, phone_hash = NULL,
         federated_sub = NULL, storefront_customer_gid = NULL, tags = '[]', number_of_orders = 0,
           amount_spent = 0, email_subscription_status = NULL, sms_subscription_status = NULL,
         country = NULL, language_pref = NULL, email_verified = false, last_login_at = NULL,
           storefront_updated_at = NULL, cms_hash = NULL, storefront_hash = NULL,
           storefront_name_hash = NULL,
         storefront_slugs = '[]', storefront_tagged_at = NULL, storefront_created_at = NULL,
         last_active_at = NULL, tags_due_at = NULL,
         sessions_valid_after = ${END_ALL_SESSIONS}, updated_at = now()
       WHERE shop = $1 AND id = ANY($2::int[])`,
      ids,
    ),
    // Last: what is recorded at this moment waits for the account's row, and finds it deleted.
    agent_activity: await deleteRows("agent_activity"),
    tag_run_refusals: await deleteRows("tag_run_refusals"),
  };
}

/** A row that is named after one of the person's orders; `$2`: referencesOf. */
const OF_ORDER = `(entity_type = 'order' AND (
  entity_id = ANY($2::text[]) OR 'gid://shopify/Order/' || entity_id = ANY($2::text[])))`;

const QUEUE_TEXT =
  "concat_ws(E'\\n', entity_id, payload::text, transformed_payload::text, delivery_config::text, last_error)";

/**
 * Queue rows named after the person's accounts, gids, addresses or orders, and those whose text
 * mentions the person. `$2`: referencesOf, `$3`: mentionsOf.
 */
const OF_PERSON = `(
  (entity_type = 'customer' AND (
    entity_id = ANY($2::text[]) OR payload->>'user_id' = ANY($2::text[])))
  OR ${OF_ORDER}
  OR ${hasSpelling(QUEUE_TEXT, "$3")})`;

const referencesOf = ({ userIds, gids, emails, orders }: KnownSubject) => [
  ...userIds.map(String),
  ...gids,
  ...emails,
  ...orders,
];

/** Null for a person without an identifier. */
const mentionsOf = (subject: KnownSubject) => textSearch(mentionSpellings(subject));

/**
 * Whether a worker holds a row of the person now: it could write data that it read before the
 * erasure.
 */
export async function isInFlight(sql: TenantSql, subject: KnownSubject): Promise<boolean> {
  const rows = await sql(
    `SELECT 1 FROM integration_queue WHERE shop = $1 AND status IN ('processing', 'ready')
      AND locked_until > clock_timestamp() AND ${OF_PERSON} LIMIT 1`,
    [referencesOf(subject), mentionsOf(subject)],
  );
  const inbox = await sql(
    `SELECT 1 FROM webhook_inbox WHERE shop = $1 AND status = 'processing'
      AND locked_until > clock_timestamp() AND ${hasSpelling("body", "$2")} LIMIT 1`,
    [mentionsOf(subject)],
  );
  const exports = await sql(
    `SELECT 1 FROM privacy_requests WHERE shop = $1 AND kind = 'data_request' AND state = 'running'
      AND locked_until > clock_timestamp() LIMIT 1`,
    [],
  );
  return rows.length + inbox.length + exports.length > 0;
}

/** What contained the person: events, after which archived objects are named, and rows of the queue by id. */
export type FoundEvents = { eventIds: string[]; queueIds: string[] };

export async function findEvents(
  ctx: Ctx,
  database: Database,
  shop: string,
  subject: KnownSubject,
): Promise<FoundEvents> {
  const { sql } = database.forTenant(shop);
  const found = new Set(subject.eventIds);
  const queueIds: string[] = [];
  const marks = [...subject.emails, ...subject.gids].map((value) => subjectMark(ctx, shop, value));
  for await (const { condition, values } of tableSlices(database, shop, "integration_queue", 4))
    for (const row of await sql<Columns<IntegrationQueue, "event_id"> & { id: string }>(
      `SELECT id::text AS id, event_id FROM integration_queue WHERE shop = $1 AND ${OF_PERSON} AND ${condition}`,
      [referencesOf(subject), mentionsOf(subject), ...values],
    )) {
      found.add(row.event_id);
      queueIds.push(row.id);
    }
  for await (const { condition, values } of tableSlices(database, shop, "event_ledger", 4))
    for (const row of await sql<Columns<EventLedger, "event_id">>(
      `SELECT event_id FROM event_ledger WHERE shop = $1
        AND ((entity_type = 'customer' AND entity_id = ANY($2::text[]))
          OR ${OF_ORDER}
          OR subjects && $3::text[])
        AND ${condition}`,
      [referencesOf(subject), marks, ...values],
    ))
      found.add(row.event_id);
  return { eventIds: [...found], queueIds };
}

// What was not delivered ends as every delivery whose customer is gone: skipped, with its reason in the log. A dead
// letter stays one, without its content (IS_DEAD).
const SCRUB_QUEUE = `
  WITH found AS (
    SELECT id AS found_id, status AS was FROM integration_queue WHERE shop = $1 AND ${OF_PERSON}
      AND (transformed_payload IS NOT NULL OR delivery_config IS NOT NULL
        OR status IN ('pending', 'processing', 'ready') OR coalesce(last_error, '${REDACTED}') <> '${REDACTED}'
        OR payload <> ${ERASED_PAYLOAD} OR ${hasSpelling("entity_id", "$3")})
      AND id = ANY($4::bigint[]) FOR UPDATE
  ),
  scrubbed AS (
    UPDATE integration_queue SET
      payload = ${ERASED_PAYLOAD},
      transformed_payload = NULL, attempt_token = NULL, locked_by = NULL, locked_until = NULL,
        updated_at = clock_timestamp(), is_sweepable = false, archived_at = coalesce(archived_at, clock_timestamp()),
      delivery_config = NULL,
      entity_id = CASE WHEN ${hasSpelling("entity_id", "$3")} THEN 'redacted' ELSE entity_id END,
      status = CASE WHEN was = 'dead_letter' THEN was ELSE 'delivered' END,
      delivered_at = CASE WHEN was IN ('delivered', 'dead_letter') THEN delivered_at ELSE clock_timestamp() END,
      last_error = CASE WHEN was = 'dead_letter' THEN '${REDACTED}' END
    FROM found WHERE shop = $1 AND id = found_id
    RETURNING id, event_id, channel, retry_count, was NOT IN ('delivered', 'dead_letter') AS is_skipped
  ),
  attempts AS (
    INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status, latency_ms, error)
    SELECT $1, id, event_id, channel, retry_count + 1, 'delivered', 0, '${CUSTOMER_GONE}'
    FROM scrubbed WHERE is_skipped
    RETURNING shop, channel, status, error, latency_ms, created_at AS at
  ),
  minutes AS (${countMinutes("SELECT * FROM attempts")})
  SELECT 1 FROM scrubbed`;

// The reason of a skipped delivery is ours and stays: without it the delivery would count as made.
const SCRUB_ATTEMPTS = `
  UPDATE delivery_attempts SET error = NULL
  WHERE shop = $1 AND error IS NOT NULL
    AND ((status = 'failed' AND event_id = ANY($2::text[])) OR ${hasSpelling("error", "$3")})`;

/** The rows are found by their events, because their content is sealed. */
const DELETE_EXCHANGES =
  "DELETE FROM delivery_exchanges WHERE shop = $1 AND event_id = ANY($2::text[])";

/** Queue rows that one statement changes. */
const ROWS_PER_STATEMENT = 1_000;

/**
 * Queue, attempts, exchanges, inbox and key-value store; each statement changes a bounded slice and is safe to
 * repeat. Of the queue only the rows that were found, where they still contain the person.
 */
export async function redactReferences(
  database: Database,
  shop: string,
  subject: KnownSubject,
  queueIds: readonly string[],
): Promise<Counts> {
  const { sql } = database.forTenant(shop);
  const mentions = mentionsOf(subject);
  const counts: Counts = {
    integration_queue: 0,
    delivery_attempts: 0,
    delivery_exchanges: 0,
    webhook_inbox: 0,
    kv: 0,
  };
  const add = async (table: string, statement: string, values: unknown[]) => {
    counts[table] = (counts[table] ?? 0) + (await counted(sql, statement, values));
  };
  const addSlices = async (table: string, statement: string, values: unknown[]) => {
    for await (const slice of tableSlices(database, shop, table, values.length + 2))
      await add(table, `${statement} AND ${slice.condition}`, [...values, ...slice.values]);
  };
  for (let at = 0; at < queueIds.length; at += ROWS_PER_STATEMENT) {
    const ids = queueIds.slice(at, at + ROWS_PER_STATEMENT);
    const rows = await sql(SCRUB_QUEUE, [referencesOf(subject), mentions, ids]);
    counts.integration_queue = (counts.integration_queue ?? 0) + rows.length;
  }
  await addSlices("delivery_attempts", SCRUB_ATTEMPTS, [subject.eventIds, mentions]);
  await add("delivery_exchanges", DELETE_EXCHANGES, [subject.eventIds]);
  await addSlices(
    "webhook_inbox",
    `UPDATE webhook_inbox SET body = '', last_error = NULL, status = 'done',
      processed_at = clock_timestamp(), attempt_token = NULL, locked_until = NULL
     WHERE shop = $1 AND ${hasSpelling("concat_ws(E'\\n', body, last_error)", "$2")}`,
    [mentions],
  );
  await addSlices(
    "kv",
    `DELETE FROM kv WHERE shop = $1 AND key <> $5
       AND (key = ANY($2::text[])
         OR (jsonb_typeof(value) = 'object' AND value->>'user_id' = ANY($3::text[]))
         OR ${hasSpelling("concat_ws(E'\\n', key, value::text)", "$4")})`,
    [subject.userIds.map(KEYS.echo), subject.userIds.map(String), mentions, KEYS.tenant(shop)],
  );
  return counts;
}
