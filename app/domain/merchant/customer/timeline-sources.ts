// What the timeline of a customer is made of: one statement per kind of item, by the customer's own
// index. Each returns key, kind, at and data; values: $2 the account's id, $3 the names of the customer
// on the bus, $4 the marks of the customer in privacy requests.
export const TIMELINE_KINDS = [
  "consent",
  "tag",
  "order",
  "delivery",
  "agent",
  "mandate",
  "privacy",
  "access",
] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/** Orders are the storefront's own and are added to a page by the screen (orders.ts). */
type StoredKind = Exclude<TimelineKind, "order">;

const CONSENTS = `
  SELECT 'consent ' || lpad(seq::text, 19, '0') AS key, 'consent' AS kind, created_at AS at,
    jsonb_build_object('seq', seq, 'type', consent_type, 'method', method,
      'version', consent_version) AS data
  FROM consent_records WHERE shop = $1 AND user_id = $2 AND action IN ('granted', 'revoked')`;

// A removal is known from its event, as long as the events are kept.
const TAGS = `
  SELECT 'tag ' || lpad(m.id::text, 19, '0'), 'tag', m.assigned_at,
    jsonb_build_object('change', 'added', 'slug', t.slug, 'names', jsonb_build_array(t.name),
      'source', m.source)
  FROM user_tag_map m JOIN crm_tags t ON t.shop = m.shop AND t.id = m.tag_id
  WHERE m.shop = $1 AND m.user_id = $2
  UNION ALL
  SELECT DISTINCT ON (event_id) 'tag ' || event_id, 'tag', date_trunc('milliseconds', created_at),
    jsonb_build_object('change', 'removed', 'names', payload->'tags_removed', 'event', event_id)
  FROM integration_queue WHERE shop = $1 AND entity_type = 'customer' AND entity_id = ANY($3::text[])
    AND event_type = 'customer.tags_changed' AND payload->'tags_removed' <> '[]'`;

const DELIVERIES = `
  SELECT 'delivery ' || event_id, 'delivery', date_trunc('milliseconds', min(created_at)),
    jsonb_build_object('event', event_id, 'type', min(event_type), 'systems',
      jsonb_agg(jsonb_build_object('channel', channel, 'status', status) ORDER BY channel))
  FROM integration_queue WHERE shop = $1 AND entity_type = 'customer' AND entity_id = ANY($3::text[])
  GROUP BY event_id`;

const AGENTS = `
  SELECT 'agent ' || id, 'agent', created_at, jsonb_build_object('change', 'linked', 'name', client_name)
  FROM oauth_grants WHERE shop = $1 AND user_id = $2
  UNION ALL
  SELECT 'agent end ' || id, 'agent', ended_at, jsonb_build_object('change', 'ended', 'name', client_name)
  FROM oauth_grants WHERE shop = $1 AND user_id = $2 AND ended_at IS NOT NULL`;

const MANDATES = `
  SELECT 'mandate ' || lpad(r.seq::text, 19, '0'), 'mandate', r.created_at, jsonb_build_object('change',
    CASE r.action WHEN 'mandate_created' THEN 'created' ELSE 'used' END, 'amount', m.max_amount::text,
    'currency', m.currency)
  FROM consent_records r LEFT JOIN mandates m ON m.shop = r.shop AND m.customer_id = r.user_id
    AND m.mandate_id::text = r.consent_id
  WHERE r.shop = $1 AND r.user_id = $2 AND r.action IN ('mandate_created', 'mandate_used')
  UNION ALL
  SELECT 'mandate end ' || mandate_id, 'mandate', coalesce(revoked_at, expires_at),
    jsonb_build_object('change', CASE WHEN status = 'revoked' THEN 'revoked' ELSE 'expired' END,
      'amount', max_amount::text, 'currency', currency)
  FROM mandates WHERE shop = $1 AND customer_id = $2 AND (revoked_at IS NOT NULL
    OR (status = 'active' AND expires_at <= clock_timestamp()))`;

const PRIVACY = `
  SELECT 'privacy ' || lpad(id::text, 19, '0'), 'privacy', received_at,
    jsonb_build_object('request', id, 'request_kind', kind, 'state', state)
  FROM privacy_requests WHERE shop = $1 AND subject_hmac = ANY($4::text[])`;

const ACCESSES = `
  SELECT 'access ' || lpad(id::text, 19, '0'), 'access', created_at,
    jsonb_build_object('action', action, 'actor_kind', actor_kind, 'actor', actor_id)
  FROM access_log WHERE shop = $1 AND user_id = $2`;

/** Views are shown among the accesses only: in the whole timeline they would hide the rest. */
const CHANGES = `${ACCESSES} AND action NOT IN ('viewed', 'listed')`;

const SOURCES: Record<StoredKind, string> = {
  consent: CONSENTS,
  tag: TAGS,
  delivery: DELIVERIES,
  agent: AGENTS,
  mandate: MANDATES,
  privacy: PRIVACY,
  access: ACCESSES,
};

export function sourcesOf(kind: TimelineKind | null): string[] {
  if (kind === "order") return [];
  return kind === null ? Object.values({ ...SOURCES, access: CHANGES }) : [SOURCES[kind]];
}
