// The one statement of the ingest. It locks only the keys it inserts, and inserts markers in the
// order of their keys: two batches with the same keys in another order would deadlock otherwise.
// Safe to repeat: a known key, event id or webhook delivery adds nothing, and rows of a new event
// id have no conflicts. The insert triggers notify the workers once per statement, at commit.
// Prepared once per connection, because planning took more of the database's time than execution.
// The plan therefore outlives the table sizes it was made for, and the statement is written to be
// fast for every size.
import { hash } from "node:crypto";
import { batchColumns } from "../../runtime/database/batch-columns.ts";
import { KEYS, TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import { BACKEND_CHANNEL } from "../bus/channel.ts";
import { maxRetries } from "../bus/retry-policy.ts";
import type { DeliveryIdentity } from "../customers/webhooks/delivery-identity.ts";
import { currentShops, versionValues, type Tenant } from "../tenants/tenant.ts";
import type { Envelope } from "./envelope.ts";

/**
 * Rows whose webhook is still in the inbox. After this time they are delivered even if the webhook
 * was never processed.
 */
const MAX_WAIT = "interval '10 minutes'";

/**
 * A storefront webhook of this event: its inbox row is written in the same transaction and applies
 * the change to the customer.
 */
export type Webhook = DeliveryIdentity & { body: string; triggeredAt: Date | null };

export type Arriving = {
  tenant: Tenant;
  envelope: Envelope;
  webhook: Webhook | null;
  payload: string;
  subjects: string[];
  /** The ledger's replacement for the entity's id. */
  mark: string | null;
  /** The channels of its rows; null: its destinations. */
  channels: string[] | null;
  /**
   * The channels whose rows only reach the archive, and those whose rows wait for the webhook's
   * work.
   */
  archiveOnly: string[];
  waiting: string[];
  traceParent: string | null;
};

const toJsonList = (names: readonly string[]) => (names.length > 0 ? JSON.stringify(names) : null);

/** With `channels` the payload is a remote backend's whole message. */
const EVENT_COLUMNS = batchColumns<Arriving>({
  shop: ["text", ({ envelope }) => envelope.tenant_shop],
  key: ["text", ({ envelope }) => envelope.idempotency_key],
  event_id: ["text", ({ envelope }) => envelope.event_id],
  source: ["text", ({ envelope }) => envelope.source],
  event_type: ["text", ({ envelope }) => envelope.event_type],
  entity_type: ["text", ({ envelope }) => envelope.entity_type],
  entity_id: ["text", ({ envelope }) => envelope.entity_id],
  mark: ["text", ({ mark }) => mark],
  destinations: ["jsonb", ({ envelope }) => JSON.stringify(envelope.destinations)],
  channels: ["jsonb", ({ channels }) => channels && JSON.stringify(channels)],
  archive_only: ["jsonb", ({ archiveOnly }) => toJsonList(archiveOnly)],
  waiting: ["jsonb", ({ waiting }) => toJsonList(waiting)],
  priority: ["smallint", ({ envelope }) => envelope.priority],
  max_retries: ["smallint", ({ envelope }) => maxRetries(envelope.priority)],
  payload_sha256: ["text", ({ payload }) => hash("sha256", payload)],
  occurred_at: ["text", ({ envelope }) => envelope.timestamp],
  subjects: ["jsonb", ({ subjects }) => toJsonList(subjects)],
  payload: ["jsonb", ({ payload }) => payload],
  trace_parent: ["text", ({ traceParent }) => traceParent],
});

type WithWebhook = Arriving & { webhook: Webhook };

/** Storefront webhooks that are stored with their events. */
const WEBHOOK_COLUMNS = batchColumns<WithWebhook>({
  shop: ["text", ({ envelope }) => envelope.tenant_shop],
  event_id: ["text", ({ envelope }) => envelope.event_id],
  delivery_id: ["text", ({ webhook }) => webhook.deliveryId],
  topic: ["text", ({ webhook }) => webhook.topic],
  storefront_event_id: ["text", ({ webhook }) => webhook.storefrontEventId],
  body: ["text", ({ webhook }) => webhook.body],
  triggered_at: ["timestamptz", ({ webhook }) => webhook.triggeredAt],
  trace_parent: ["text", ({ traceParent }) => traceParent],
});

// $1 to $3 are those of `currentShops`.
const FIRST_EVENT_COLUMN = 4;
const FIRST_WEBHOOK_COLUMN = FIRST_EVENT_COLUMN + EVENT_COLUMNS.types.length;

const EVENTS = `unnest(${EVENT_COLUMNS.arrays(FIRST_EVENT_COLUMN)})
      WITH ORDINALITY AS e(${EVENT_COLUMNS.names}, place)`;
const WEBHOOKS = `unnest(${WEBHOOK_COLUMNS.arrays(FIRST_WEBHOOK_COLUMN)}) AS d(${WEBHOOK_COLUMNS.names})`;

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
  current AS (${currentShops(region, "$1", "$2", "$3")}),
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

const statements = new Map<string, string>();

function statementOf(region: string, withWebhooks: boolean): { name: string; text: string } {
  const name = `ingest_${region}${withWebhooks ? "_with_webhooks" : ""}`;
  const text =
    statements.get(name) ?? statement(withWebhooks ? WITH_WEBHOOKS : WITHOUT_WEBHOOKS, region);
  statements.set(name, text);
  return { name, text };
}

/** Its rows are the events that were not stored: stale, or duplicates of which event. */
export function ingestQuery(
  region: string,
  events: readonly Arriving[],
): { name: string; text: string; values: unknown[] } {
  const withWebhook = events.filter((event): event is WithWebhook => event.webhook !== null);
  const values = [
    ...versionValues(events.map(({ tenant }) => tenant)),
    ...EVENT_COLUMNS.values(events),
    ...(withWebhook.length > 0 ? WEBHOOK_COLUMNS.values(withWebhook) : []),
  ];
  return { ...statementOf(region, withWebhook.length > 0), values };
}
