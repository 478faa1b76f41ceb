// A store with a million customers and ten million delivery attempts over thirty days, written by
// set-based statements.
import pg from "pg";

export const LARGE_SHOP = "large.myshopify.com";

/** Ids of rows in the middle of the data, for the screens of one thing. */
export type LargeStore = { customerId: number; eventId: string; requestId: number };

const CHANNELS = ["cms", "web_analytics", "profile_platform", "erpsys", "storefront"];

export async function fillStore(
  url: string,
  { people, attempts }: { people: number; attempts: number },
): Promise<LargeStore> {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    // Faster seeding; the rows are not the measurement.
    await db.query("SET synchronous_commit = off");
    await db.query("SET maintenance_work_mem = '512MB'");
    await fillPeople(db, people);
    await fillConsents(db, people);
    await fillDeliveries(db, attempts);
    await fillRequests(db);
    await db.query("VACUUM ANALYZE");
    return {
      customerId: Math.floor(people / 2),
      eventId: `event-${Math.floor(attempts / 2)}`,
      requestId: 1,
    };
  } finally {
    await db.end();
  }
}

async function fillPeople(db: pg.Client, people: number): Promise<void> {
  await db.query(
    `INSERT INTO storefront_users (shop, email, full_name, first_name, last_name, provider, status,
      country, last_login_at, created_at, updated_at, storefront_customer_gid, number_of_orders,
      amount_spent)
     SELECT $1, 'person' || n || '@example.com', 'name ' || n % 100000 || ' last' || n, 'name',
       'last' || n, 'storefront', CASE WHEN n % 100000 = 1 THEN 'suspended' ELSE 'active' END,
       CASE WHEN n % 20000 = 3 THEN 'IS' WHEN n % 3 = 0 THEN 'FR' ELSE 'DE' END,
       CASE WHEN n % 4 = 0 THEN now() - make_interval(mins => n) END,
       now() - make_interval(mins => n), now() - make_interval(secs => n),
       'gid://shopify/Customer/' || n, n % 12, n % 900
     FROM generate_series(1, $2::int) AS n`,
    [LARGE_SHOP, people],
  );
  await db.query(
    `INSERT INTO user_claims (shop, user_id, consent_tos, consent_marketing)
      SELECT shop, id, true, id % 3 = 0 FROM storefront_users`,
  );
  await db.query(
    `INSERT INTO crm_tags (shop, name, slug, category)
      VALUES ($1, 'Common', 'common', 'segment'), ($1, 'Rare', 'rare', 'tier')`,
    [LARGE_SHOP],
  );
  await db.query(
    `INSERT INTO user_tag_map (shop, user_id, tag_id, source) SELECT u.shop, u.id, t.id, 'system'
      FROM storefront_users u JOIN crm_tags t ON t.shop = u.shop AND (t.slug = 'common'
      AND u.id % 2 = 0 OR t.slug = 'rare' AND u.id % ($1::int / 10) = 5)`,
    [people],
  );
}

/** The chain's values are not true: no screen of this measurement verifies them. */
async function fillConsents(db: pg.Client, people: number): Promise<void> {
  await db.query(
    `INSERT INTO consent_records (shop, user_id, consent_type, action, method, consent_id,
      created_at, seq, prev_hash, hash)
     SELECT $1, n, CASE WHEN n % 2 = 0 THEN 'marketing' ELSE 'cookie' END,
       CASE WHEN n % 3 = 0 THEN 'revoked' ELSE 'granted' END, 'banner', 'consent-' || n,
       now() - make_interval(secs => ($2 - n) * 2592000.0 / $2), n, '', ''
     FROM generate_series(1, $2::int) AS n`,
    [LARGE_SHOP, people],
  );
  await db.query(
    "INSERT INTO consent_chain_heads (shop, seq, hash) VALUES ($1, $2, '') ON CONFLICT (shop) DO UPDATE SET seq = $2",
    [LARGE_SHOP, people],
  );
}

async function fillDeliveries(db: pg.Client, attempts: number): Promise<void> {
  await db.query(
    `INSERT INTO delivery_attempts (shop, queue_id, event_id, channel, attempt, status,
      http_status, latency_ms, error, created_at)
     SELECT $1, n, 'event-' || n, ($3::text[])[1 + n % 5], 1,
       CASE WHEN n % 200 = 0 THEN 'failed' ELSE 'delivered' END,
       CASE WHEN n % 200 = 0 THEN 503 ELSE 200 END, 20 + n % 300,
       CASE WHEN n % 200 = 0 THEN 'the system answered 503' END,
       now() - make_interval(secs => ($2 - n) * 2592000.0 / $2)
     FROM generate_series(1, $2::int) AS n`,
    [LARGE_SHOP, attempts, CHANNELS],
  );
  // Delivered rows of the queue are deleted after some days; a tenth is left.
  await db.query(
    `INSERT INTO integration_queue (shop, event_id, channel, source, event_type, entity_type,
      entity_id, payload, status, created_at, updated_at, delivered_at, dead_lettered_at,
      last_error)
     SELECT $1, 'event-' || n, ($3::text[])[1 + n % 5], 'storefront', 'customer.updated', 'customer',
       'gid://shopify/Customer/' || n % 1000000, '{}',
       CASE WHEN n % 5000 = 0 THEN 'dead_letter' ELSE 'delivered' END, at, at,
       CASE WHEN n % 5000 <> 0 THEN at END, CASE WHEN n % 5000 = 0 THEN at END,
       CASE WHEN n % 5000 = 0 THEN 'the system answered 503' END
     FROM (SELECT n, now() - make_interval(secs => ($2 - n) * 2592000.0 / $2) AS at
       FROM generate_series($2::int / 10 * 5, $2::int / 10 * 6) AS n) AS rows`,
    [LARGE_SHOP, attempts, CHANNELS],
  );
  await db.query(
    `INSERT INTO event_ledger (shop, event_id, idempotency_key, source, event_type, entity_type,
      entity_id, destinations, priority, payload_sha256, occurred_at, received_at)
     SELECT shop, event_id, md5(event_id) || md5(event_id), source, event_type, entity_type, entity_id,
       jsonb_build_array(channel), 3, '', created_at, created_at FROM integration_queue`,
  );
  // In the order of time, as the worker writes them.
  await db.query(
    `INSERT INTO channel_minutes (shop, channel, minute, delivered, failed, latency_ms_sum)
     SELECT shop, channel, date_trunc('minute', created_at),
       count(*) FILTER (WHERE status = 'delivered'), count(*) FILTER (WHERE status = 'failed'),
       sum(latency_ms) FROM delivery_attempts GROUP BY 1, 2, 3 ORDER BY 3, 2`,
  );
}

async function fillRequests(db: pg.Client): Promise<void> {
  await db.query(
    `INSERT INTO privacy_requests (shop, kind, delivery_id, state, received_at, due_by, completed_at)
     SELECT $1, CASE WHEN n % 3 = 0 THEN 'customer_redact' ELSE 'data_request' END,
       'delivery-' || n, CASE WHEN n % 50 = 0 THEN 'received' ELSE 'done' END, at,
       at + interval '30 days', CASE WHEN n % 50 <> 0 THEN at END
     FROM (SELECT n, now() - make_interval(mins => n) AS at FROM generate_series(1, 10000) AS n) AS rows`,
    [LARGE_SHOP],
  );
}
