// The one statement of the ingest. It locks nothing but the keys it inserts, markers in the order of their keys: two
// batches with the same keys in another order would deadlock otherwise. Safe to repeat: a known key, event id or webhook
// delivery adds nothing; rows of an id that is new to the ledger conflict with nobody's. The insert triggers wake the workers once per statement, at commit. Prepared once per connection:
// planning it took more of the database's time than running it.
import { TTL_SECONDS } from "../../runtime/kv.ts";
import { currentShops } from "../tenants/tenant.ts";

/** Rows whose webhook is still to be worked; should that never happen, they go out by themselves. */
const LONGEST_WAIT = "interval '10 minutes'";

// Each part of the statement unpacks the columns that it needs and no others: unpacking all of them in every part took a
// fifth of its time.
const KEYS_OF_EVENTS = "unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS i(shop, marker, event_id, place)";
const LEDGER_ROWS = `unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::smallint[], $11::text[], $12::timestamptz[], $13::jsonb[])
      AS i(shop, marker, event_id, idempotency_key, source, event_type, entity_type, ledger_entity_id, destinations, priority, payload_sha256, occurred_at, subjects)`;
/** One per event and destination. */
const QUEUE_ROWS = `unnest($14::text[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::jsonb[], $22::smallint[], $23::int[], $24::boolean[], $25::boolean[])
      AS r(shop, event_id, channel, source, event_type, entity_type, entity_id, payload, priority, max_retries, is_archive_only, is_waiting)`;

/** Storefront webhooks that are the events' own work. */
const WEBHOOKS = "unnest($29::text[], $30::text[], $31::text[], $32::text[], $33::text[], $34::timestamptz[]) AS d(shop, event_id, delivery_id, topic, body, triggered_at)";

type Parts = { known: string; isKnown: string; notKnown: string; inbox: string };

/** A delivery that is in the inbox is the same event, whatever its key: it may say no time of its own. */
const WITH_WEBHOOKS: Parts = {
  known: `deliveries AS (
    SELECT d.*, w.id IS NOT NULL AS is_known, w.event_id AS known_event_id
    FROM ${WEBHOOKS} LEFT JOIN webhook_inbox w ON w.shop = d.shop AND w.delivery_id = d.delivery_id
  ),`,
  isKnown: "(SELECT d.known_event_id FROM deliveries d WHERE d.shop = i.shop AND d.event_id = i.event_id)",
  notKnown: "AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.shop = i.shop AND d.event_id = i.event_id AND d.is_known)",
  inbox: `inbox AS (
    INSERT INTO webhook_inbox (shop, delivery_id, topic, body, triggered_at, event_id)
    SELECT d.shop, d.delivery_id, d.topic, d.body, d.triggered_at, d.event_id FROM deliveries d JOIN ledger l ON l.shop = d.shop AND l.event_id = d.event_id WHERE NOT d.is_known ORDER BY d.shop, d.delivery_id
    ON CONFLICT (shop, delivery_id) DO NOTHING
  ),`,
};
const WITHOUT_WEBHOOKS: Parts = { known: "", isKnown: "NULL", notKnown: "", inbox: "" };

const statement = (parts: Parts, region: string): string => `
  WITH ${parts.known}
  current AS (${currentShops(region, "$26", "$27", "$28")}),
  markers AS (
    INSERT INTO kv (shop, key, value, expires_at)
    SELECT i.shop, i.marker, to_jsonb(i.event_id), clock_timestamp() + make_interval(secs => ${TTL_SECONDS.event}) FROM ${KEYS_OF_EVENTS}
    WHERE i.shop IN (SELECT shop FROM current) ${parts.notKnown} ORDER BY i.shop, i.marker
    ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, version = kv.version + 1, updated_at = clock_timestamp()
      WHERE kv.expires_at <= clock_timestamp()
    RETURNING shop, key
  ),
  ledger AS (
    INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type, entity_id, destinations, priority, payload_sha256, occurred_at, subjects)
    SELECT i.shop, i.event_id, i.idempotency_key, i.source, i.event_type, i.entity_type, i.ledger_entity_id, i.destinations, i.priority, i.payload_sha256, i.occurred_at,
      CASE WHEN i.subjects IS NULL THEN '{}' ELSE ARRAY(SELECT jsonb_array_elements_text(i.subjects)) END
    FROM ${LEDGER_ROWS} JOIN markers m ON m.shop = i.shop AND m.key = i.marker ORDER BY i.shop, i.event_id
    ON CONFLICT (shop, event_id) DO NOTHING
    RETURNING shop, event_id
  ),
  ${parts.inbox}
  queued AS (
    INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload, priority, max_retries, delivery_config, next_attempt_at)
    SELECT r.shop, r.event_id, r.channel, r.source, r.event_type, r.entity_type, r.entity_id, r.payload, r.priority, r.max_retries,
      CASE WHEN r.is_archive_only THEN jsonb_build_object('method', 'ARCHIVE', 'endpoint', 'events/' || r.channel, 'credentials_key', NULL) END,
      clock_timestamp() + CASE WHEN r.is_waiting THEN ${LONGEST_WAIT} ELSE interval '0' END
    FROM ${QUEUE_ROWS} JOIN ledger l ON l.shop = r.shop AND l.event_id = r.event_id
    RETURNING shop, event_id, id
  )
  SELECT i.place::int - 1 AS place, l.event_id IS NOT NULL AS is_accepted, i.shop NOT IN (SELECT shop FROM current) AS is_stale, q.id AS queue_id,
    CASE WHEN l.event_id IS NULL THEN coalesce(${parts.isKnown}, (SELECT kv.value #>> '{}' FROM kv WHERE kv.shop = i.shop AND kv.key = i.marker AND kv.expires_at > clock_timestamp())) END AS known_event_id
  FROM ${KEYS_OF_EVENTS}
  LEFT JOIN ledger l ON l.shop = i.shop AND l.event_id = i.event_id
  LEFT JOIN (SELECT shop, event_id, min(id) AS id FROM queued GROUP BY shop, event_id) q ON q.shop = l.shop AND q.event_id = l.event_id`;

const made = new Map<string, { name: string; text: string }>();

export function ingestStatement(region: string, withWebhooks: boolean): { name: string; text: string } {
  const name = `ingest_${region}${withWebhooks ? "_with_webhooks" : ""}`;
  const known = made.get(name) ?? { name, text: statement(withWebhooks ? WITH_WEBHOOKS : WITHOUT_WEBHOOKS, region) };
  made.set(name, known);
  return known;
}
