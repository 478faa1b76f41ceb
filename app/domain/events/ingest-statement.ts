// The one statement of the ingest. It locks nothing but the keys it inserts, markers in the order of their keys: two
// batches with the same keys in another order would deadlock otherwise. Safe to repeat: a known key, event id or webhook
// delivery adds nothing. The insert triggers wake the workers once per statement, at commit.
import { TTL_SECONDS } from "../../runtime/kv.ts";

/** Rows whose webhook is still to be worked; should that never happen, they go out by themselves. */
const LONGEST_WAIT = "interval '10 minutes'";

export const INGEST = `
  WITH input AS (
    SELECT i.*, w.event_id AS webhook_event_id, w.id IS NOT NULL AS is_known_delivery
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::jsonb[], $10::text[], $11::jsonb[], $12::smallint[], $13::int[], $14::timestamptz[], $15::text[], $16::text[], $17::text[], $18::timestamptz[])
      WITH ORDINALITY AS i(shop, marker, event_id, idempotency_key, source, event_type, entity_type, entity_id, payload, payload_sha256, destinations, priority, max_retries, occurred_at, delivery_id, topic, body, triggered_at, place)
    LEFT JOIN webhook_inbox w ON w.shop = i.shop AND w.delivery_id = i.delivery_id
  ),
  markers AS (
    INSERT INTO kv (shop, key, value, expires_at)
    SELECT shop, marker, to_jsonb(event_id), clock_timestamp() + make_interval(secs => ${TTL_SECONDS.event}) FROM input WHERE NOT is_known_delivery ORDER BY shop, marker
    ON CONFLICT (shop, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, version = kv.version + 1, updated_at = clock_timestamp()
      WHERE kv.expires_at <= clock_timestamp()
    RETURNING shop, key
  ),
  ledger AS (
    INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type, entity_id, destinations, priority, payload_sha256, occurred_at)
    SELECT i.shop, i.event_id, i.idempotency_key, i.source, i.event_type, i.entity_type, i.entity_id, coalesce(jsonb_path_query_array(i.destinations, '$[*].channel'), '[]'), i.priority, i.payload_sha256, i.occurred_at
    FROM input i JOIN markers m ON m.shop = i.shop AND m.key = i.marker ORDER BY i.shop, i.event_id
    ON CONFLICT (shop, event_id) DO NOTHING
    RETURNING shop, event_id
  ),
  accepted AS (SELECT i.* FROM input i JOIN ledger l ON l.shop = i.shop AND l.event_id = i.event_id),
  inbox AS (
    INSERT INTO webhook_inbox (shop, delivery_id, topic, body, triggered_at, event_id)
    SELECT shop, delivery_id, topic, body, triggered_at, event_id FROM accepted WHERE delivery_id IS NOT NULL ORDER BY shop, delivery_id
    ON CONFLICT (shop, delivery_id) DO NOTHING
  ),
  queued AS (
    INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type, entity_id, payload, priority, max_retries, delivery_config, next_attempt_at)
    SELECT a.shop, a.event_id, d.channel, a.source, a.event_type, a.entity_type, a.entity_id, CASE WHEN d.is_waiting THEN '{}' ELSE a.payload END, a.priority, a.max_retries,
      CASE WHEN d.is_archive_only THEN jsonb_build_object('method', 'ARCHIVE', 'endpoint', 'events/' || d.channel, 'credentials_key', NULL) END,
      clock_timestamp() + CASE WHEN d.is_waiting THEN ${LONGEST_WAIT} ELSE interval '0' END
    FROM accepted a CROSS JOIN LATERAL jsonb_to_recordset(a.destinations) AS d(channel text, is_archive_only boolean, is_waiting boolean)
    ON CONFLICT (shop, event_id, channel) DO NOTHING
    RETURNING shop, event_id, id
  )
  SELECT a.event_id IS NOT NULL AS is_accepted, coalesce(i.webhook_event_id, known.value #>> '{}') AS known_event_id,
    q.id AS queue_id
  FROM input i
  LEFT JOIN accepted a ON a.shop = i.shop AND a.event_id = i.event_id
  LEFT JOIN (SELECT shop, event_id, min(id) AS id FROM queued GROUP BY shop, event_id) q ON q.shop = a.shop AND q.event_id = a.event_id
  LEFT JOIN kv known ON a.event_id IS NULL AND known.shop = i.shop AND known.key = i.marker AND known.expires_at > clock_timestamp()
  ORDER BY i.place`;
