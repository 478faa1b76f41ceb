// The one statement of the ingest. It locks only the keys it inserts, and inserts markers in the
// order of their keys: two batches with the same keys in another order would deadlock otherwise.
// Safe to repeat: a known key, event id or webhook delivery adds nothing, and rows of a new event
// id have no conflicts. The insert triggers notify the workers once per statement, at commit.
// Prepared once per connection, because planning took more of the database's time than execution.
// The plan therefore outlives the table sizes it was made for, and the statement is written to be
// fast for every size.
import { KEYS, TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import { BACKEND_CHANNEL } from "../bus/channel.ts";
import { currentShops } from "../tenants/tenant.ts";

/**
 * Rows whose webhook is still in the inbox. After this time they are delivered even if the webhook
 * was never processed.
 */
const MAX_WAIT = "interval '10 minutes'";

/** The columns in the arrays $1 to $19. With `channels` the payload is a remote backend's whole message. */
const EVENTS = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::jsonb[], $11::jsonb[], $12::jsonb[], $13::smallint[], $14::smallint[], $15::text[], $16::text[], $17::jsonb[], $18::jsonb[], $19::text[])
      WITH ORDINALITY AS e(shop, key, event_id, source, event_type, entity_type, entity_id, mark, destinations, channels, archive_only, waiting, priority, max_retries, payload_sha256, occurred_at, subjects, payload, trace_parent, place)`;

/** Storefront webhooks that are stored with their events. */
const WEBHOOKS =
  "unnest($23::text[], $24::text[], $25::text[], $26::text[], $27::text[], $28::text[], $29::timestamptz[], $30::text[]) AS d(shop, event_id, delivery_id, topic, storefront_event_id, body, triggered_at, trace_parent)";

/**
 * Finds the inbox row of a delivery by its event id, else by its own id: each part uses one of the
 * two unique indexes.
 */
const KNOWN_DELIVERY = `(
      SELECT w.id, w.event_id, w.delivery_id FROM webhook_inbox w WHERE w.shop = d.shop AND w.topic = d.topic
        AND w.storefront_event_id = d.storefront_event_id
      UNION ALL SELECT w.id, w.event_id, w.delivery_id FROM webhook_inbox w WHERE d.storefront_event_id IS NULL
        AND w.shop = d.shop AND w.delivery_id = d.delivery_id AND w.storefront_event_id IS NULL
      LIMIT 1)`;

type Parts = {
  known: string;
  knownEvent: string;
  knownDelivery: string;
  notKnown: string;
  inbox: string;
};
const ofDelivery = (column: string): string =>
  `(SELECT d.${column} FROM deliveries d WHERE d.shop = e.shop AND d.event_id = e.event_id)`;

/**
 * A delivery that is in the inbox is the same event under any key, because it may carry no time of
 * its own.
 */
const WITH_WEBHOOKS: Parts = {
  known: `deliveries AS (
    SELECT d.*, w.id IS NOT NULL AS is_known, w.event_id AS known_event_id, w.delivery_id AS known_delivery_id
    FROM ${WEBHOOKS} LEFT JOIN LATERAL ${KNOWN_DELIVERY} w ON true
  ),`,
  knownEvent: ofDelivery("known_event_id"),
  knownDelivery: ofDelivery("known_delivery_id"),
  notKnown:
    "AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.shop = e.shop AND d.event_id = e.event_id AND d.is_known)",
  inbox: `inbox AS (
    INSERT INTO webhook_inbox (shop, delivery_id, topic, storefront_event_id, body, triggered_at, event_id,
      trace_parent)
    SELECT d.shop, d.delivery_id, d.topic, d.storefront_event_id, d.body, d.triggered_at, d.event_id, d.trace_parent
      FROM deliveries d JOIN ledger l ON l.shop = d.shop AND l.event_id = d.event_id WHERE NOT d.is_known
    ORDER BY d.shop, CASE WHEN d.storefront_event_id IS NULL THEN 'delivery ' || d.delivery_id
      ELSE 'event ' || d.topic || ' ' || d.storefront_event_id END
    ON CONFLICT DO NOTHING
  ),`,
};
const WITHOUT_WEBHOOKS: Parts = {
  known: "",
  knownEvent: "NULL",
  knownDelivery: "NULL",
  notKnown: "",
  inbox: "",
};

// `(x IN (SELECT …)) IS TRUE` always runs as a hashed subplan. As a join it becomes a nested loop
// when the plan was made for small batches, and a batch of sixty then took twice as long.
const isAmong = (columns: string, select: string) => `((${columns}) IN (${select})) IS TRUE`;
const MARKER = `'${KEYS.event("")}' || e.key`;
const IS_CURRENT = isAmong("e.shop", "SELECT shop FROM current");
const IS_NEW = isAmong("e.shop, e.event_id", "SELECT shop, event_id FROM ledger");

const statement = (parts: Parts, region: string): string => `
  WITH ${parts.known}
  current AS (${currentShops(region, "$20", "$21", "$22")}),
  events AS MATERIALIZED (SELECT * FROM ${EVENTS}),
  markers AS (
    INSERT INTO kv (shop, key, value, expires_at)
    SELECT e.shop, ${MARKER}, to_jsonb(e.event_id),
      clock_timestamp() + make_interval(secs => ${TTL_SECONDS.event}) FROM events e
    WHERE ${IS_CURRENT} ${parts.notKnown} ORDER BY e.shop, e.key
    ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at,
      version = kv.version + 1, updated_at = clock_timestamp()
      WHERE kv.expires_at <= clock_timestamp()
    RETURNING shop, key
  ),
  ledger AS (
    INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type,
      entity_id, destinations, priority, payload_sha256, occurred_at, subjects)
    SELECT e.shop, e.event_id, e.key, e.source, e.event_type, e.entity_type, coalesce(e.mark,
      e.entity_id), e.destinations, e.priority, e.payload_sha256, e.occurred_at::timestamptz,
      CASE WHEN e.subjects IS NULL THEN '{}' ELSE ARRAY(SELECT jsonb_array_elements_text(e.subjects)) END
    FROM events e WHERE ${isAmong(`e.shop, ${MARKER}`, "SELECT shop, key FROM markers")} ORDER BY e.shop, e.event_id
    ON CONFLICT (shop, event_id) DO NOTHING
    RETURNING shop, event_id
  ),
  ${parts.inbox}
  queued AS (
    INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, payload, priority, max_retries, delivery_config, next_attempt_at, trace_parent)
    SELECT e.shop, e.event_id, c.channel, e.source, e.event_type, e.entity_type, e.entity_id, CASE
      WHEN e.waiting ? c.channel THEN '{}'
      WHEN e.channels IS NOT NULL AND c.channel <> '${BACKEND_CHANNEL}' THEN e.payload -> 'payload'
      ELSE e.payload END, e.priority, e.max_retries,
      CASE WHEN e.archive_only ? c.channel
        THEN jsonb_build_object('method', 'ARCHIVE', 'endpoint', 'events/' || c.channel,
        'credentials_key', NULL) END,
      clock_timestamp() + CASE WHEN e.waiting ? c.channel THEN ${MAX_WAIT} ELSE interval '0' END, e.trace_parent
    FROM events e CROSS JOIN LATERAL jsonb_array_elements_text(coalesce(e.channels,
      e.destinations)) AS c(channel) WHERE ${IS_NEW}
  )
  SELECT e.place::int - 1 AS place, (${IS_CURRENT}) IS FALSE AS is_stale,
    ${parts.knownDelivery} AS known_delivery_id,
    coalesce(${parts.knownEvent}, (SELECT kv.value #>> '{}' FROM kv WHERE kv.shop = e.shop
      AND kv.key = ${MARKER} AND kv.expires_at > clock_timestamp())) AS known_event_id
  FROM events e WHERE (${IS_NEW}) IS FALSE`;

const made = new Map<string, { name: string; text: string }>();

/**
 * Returns the events that were not stored: stale, or duplicates of which event. Takes the columns
 * of `eventColumns`.
 */
export function ingestStatement(
  region: string,
  withWebhooks: boolean,
): { name: string; text: string } {
  const name = `ingest_${region}${withWebhooks ? "_with_webhooks" : ""}`;
  const known = made.get(name) ?? {
    name,
    text: statement(withWebhooks ? WITH_WEBHOOKS : WITHOUT_WEBHOOKS, region),
  };
  made.set(name, known);
  return known;
}
