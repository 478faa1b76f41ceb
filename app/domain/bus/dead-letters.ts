// The life of a dead letter: the merchant gets an alert, it is archived at
// `events/dead_letter/{date}/{event_id}.json` with all dead channels of its event, and it returns to
// the queue by a replay or by the scheduled sweep.
//
//   dead_letter -> alerted, archived -> pending (replay; sweep after 1 h, 2 h, 4 h)
import type { Ctx } from "../../context.server.ts";
import type { Columns, Database, IntegrationQueue, TenantSql } from "../../db.server.ts";
import { isStoreMoving } from "../../runtime/database/postgres-errors.ts";
import { isNotHeld } from "../../runtime/database/cells/held-stores.ts";
import { isDatabaseAway } from "../../runtime/database/database.ts";
import { KEYS, putKeyIfAbsent, TTL_SECONDS } from "../../runtime/database/kv.ts";
import { OutboundError } from "../../runtime/errors.ts";
import { dataOf, findTenant, type Tenant } from "../tenants/tenant.ts";
import { enqueue, QUEUE_NOTIFICATION } from "./enqueue.ts";
import { FLOW_CHANNEL, flowChannels, type DeliveryMessage } from "./channel.ts";
import { archiveMessage, messagePath, objectPath, putObject } from "./message-archive.ts";

const MAX_SWEEPS = 3;
const SLICE = 200;
/** Archiving writes a few objects; a second worker waits at most this long. */
const ARCHIVE_LEASE_SECONDS = 60;

type DeadRow = Columns<IntegrationQueue, "shop" | "event_id">;

// Reserved before the write by moving `updated_at` forward: a second worker skips the rows
// meanwhile, and the rows of a worker that dies become available after that time.
const RESERVE_UNARCHIVED = `
  UPDATE integration_queue q SET updated_at = clock_timestamp() + make_interval(secs => ${ARCHIVE_LEASE_SECONDS})
  WHERE (shop, id) IN (
    SELECT shop, id FROM integration_queue WHERE archived_at IS NULL AND status = 'dead_letter'
      AND updated_at <= clock_timestamp() AND ${isNotHeld("shop")} ORDER BY updated_at LIMIT ${SLICE}
      FOR UPDATE SKIP LOCKED
  ) RETURNING q.shop, q.event_id`;

// Without the rows of a longer time ago: while the archive is away they are many, and their alerts are out. One that
// was missed meanwhile gets its alert when it is archived.
const FIND_UNALERTED = `
  SELECT shop, event_id FROM integration_queue WHERE archived_at IS NULL AND status = 'dead_letter'
    AND alerted_at IS NULL AND updated_at > clock_timestamp() - interval '2 minutes' AND ${isNotHeld("shop")}
  ORDER BY updated_at LIMIT ${SLICE}`;

const eventsOf = (rows: readonly DeadRow[]): Iterable<DeadRow> =>
  new Map(rows.map((row) => [`${row.shop}/${row.event_id}`, row])).values();

/**
 * Works the rows one after the other, and leaves a store's other rows for later once one failed: a failure of one
 * store holds up no other.
 */
async function forEachStore<R extends { shop: string }>(
  ctx: Ctx,
  database: Database,
  rows: Iterable<R>,
  { work, event }: { work: (row: R) => Promise<void>; event: string },
): Promise<void> {
  const failures = new Map<string, unknown>();
  for (const row of rows) {
    if (failures.has(row.shop)) continue;
    try {
      await work(row);
    } catch (error) {
      if (isDatabaseAway(error) && !isStoreMoving(error)) throw error;
      failures.set(row.shop, error);
    }
  }
  const [first] = [...failures].filter(([, error]) => !isStoreMoving(error));
  if (!first) return;
  const [shop, error] = first;
  const fields = { region: database.region, shop, stores: failures.size };
  if (error instanceof OutboundError) ctx.log.warn(event, { ...fields, reason: error.message });
  else ctx.log.error(event, error, fields);
}

/** Sends the alerts of new dead letters, whatever the archive does. Safe to repeat and to run twice at once. */
export async function announceDeadLetters(ctx: Ctx, database: Database): Promise<void> {
  const rows = await database.acrossTenants<DeadRow>(FIND_UNALERTED);
  await forEachStore(ctx, database, eventsOf(rows), {
    work: (row) => announce(ctx, database, row),
    event: "dead_letters.not_announced",
  });
}

/** Archives new dead letters. Safe to repeat and to run twice at once; what failed is due again after a minute. */
export async function archiveDeadLetters(ctx: Ctx, database: Database): Promise<void> {
  const rows = await database.acrossTenants<DeadRow>(RESERVE_UNARCHIVED);
  await forEachStore(ctx, database, eventsOf(rows), {
    async work(row) {
      await announce(ctx, database, row);
      await archiveDeadEvent(ctx, database, row.shop, row.event_id);
    },
    event: "archive.failed",
  });
}

/** The alert and the Shopify Flow trigger of the event's dead channels, in the transaction that marks their rows. */
async function announce(ctx: Ctx, database: Database, { shop, event_id }: DeadRow): Promise<void> {
  const tenant = await findTenant(ctx, shop);
  await database.forTenant(shop).transaction(async (sql) => {
    const rows = await sql<Columns<IntegrationQueue, "channel" | "event_type">>(
      `UPDATE integration_queue SET alerted_at = clock_timestamp() WHERE shop = $1 AND event_id = $2
        AND status = 'dead_letter' AND archived_at IS NULL AND alerted_at IS NULL
        RETURNING channel, event_type`,
      [event_id],
    );
    if (!tenant) return;
    for (const { channel, event_type } of rows) {
      await alert(ctx, tenant, sql, channel, event_id);
      await enqueueFlowTrigger(ctx, tenant, sql, channel, { event_id, event_type });
    }
  });
}

/**
 * The object is written from the table, so that two channels of one event never overwrite each
 * other.
 */
async function archiveDeadEvent(
  ctx: Ctx,
  database: Database,
  shop: string,
  eventId: string,
): Promise<void> {
  const data = database.forTenant(shop);
  const dead = await data.prisma.integrationQueue.findMany({
    where: { event_id: eventId, status: "dead_letter" },
    orderBy: { id: "asc" },
  });
  const [first] = dead;
  const unarchived = dead.filter(({ archived_at }) => archived_at === null).map(({ id }) => id);
  if (!first) return;
  const path = objectPath("dead_letter", { eventId, createdAt: first.created_at });
  await putObject(ctx, shop, path, {
    event_id: eventId,
    tenant_shop: shop,
    source: first.source,
    event_type: first.event_type,
    entity_type: first.entity_type,
    entity_id: first.entity_id,
    priority: first.priority,
    channels: dead.map(
      ({
        id,
        channel,
        payload,
        transformed_payload,
        delivery_config,
        retry_count,
        last_error,
        sweep_count,
        dead_lettered_at,
      }) => ({
        queue_id: Number(id),
        channel,
        payload,
        transformed_payload,
        delivery_config,
        retry_count,
        error: last_error,
        sweep_count,
        dead_lettered_at,
      }),
    ),
  });
  await data.transaction(async (sql) => {
    const marked = await sql(
      `UPDATE integration_queue SET archived_at = clock_timestamp(), updated_at = clock_timestamp()
        WHERE shop = $1 AND archived_at IS NULL AND id = ANY($2::bigint[]) RETURNING id`,
      [unarchived],
    );
    // The customer was redacted between the read and the write: the object must not keep what was
    // erased.
    if (marked.length < unarchived.length) await ctx.archive.ofStore(shop).remove(path);
  });
  ctx.log.warn("dead_letter.archived", {
    shop,
    event_id: eventId,
    channels: dead.map(({ channel }) => channel),
  });
}

/**
 * One mail per store and channel in 15 minutes, enqueued in the transaction that marks the rows as
 * alerted. Failed mails send no alert, since it would fail too.
 */
async function alert(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  channel: string,
  eventId: string,
): Promise<void> {
  const mail = ctx.channels.find(({ name }) => name === "email");
  if (channel === "email" || !mail?.isEnabled(tenant)) return;
  if (
    !(await putKeyIfAbsent(
      sql,
      KEYS.deadLetterAlert(channel),
      eventId,
      TTL_SECONDS.deadLetterAlert,
    ))
  )
    return;
  const [made] = await sql<{ attempts: number }>(
    `SELECT count(*)::int AS attempts FROM delivery_attempts WHERE shop = $1 AND event_id = $2
      AND channel = $3`,
    [eventId, channel],
  );
  const attempts = made?.attempts ?? 0;
  await enqueue(sql, {
    eventId: ctx.random.orderedUuid(),
    source: "backend",
    eventType: "mail.dead_letter",
    entityType: "store",
    entityId: tenant.shop,
    payload: { template: "dead_letter", alert: { channel, event_id: eventId, attempts } },
    occurredAt: ctx.clock.now(),
    destinations: ["email"],
    priority: 2,
  });
}

/** Sends Shopify Flow every dead letter but its own, in the transaction that marks the rows. */
async function enqueueFlowTrigger(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  channel: string,
  { event_id, event_type }: { event_id: string; event_type: string },
): Promise<void> {
  const destinations = flowChannels(ctx, tenant);
  if (destinations.length === 0 || channel === FLOW_CHANNEL) return;
  await enqueue(sql, {
    eventId: ctx.random.orderedUuid(),
    source: "backend",
    eventType: "delivery.dead",
    entityType: "store",
    entityId: tenant.shop,
    payload: { dead: { channel, event_id, event_type } },
    occurredAt: ctx.clock.now(),
    destinations,
    priority: 3,
  });
}

type Missed = DeadRow &
  Columns<
    IntegrationQueue,
    | "id"
    | "channel"
    | "source"
    | "event_type"
    | "entity_type"
    | "entity_id"
    | "transformed_payload"
    | "delivery_config"
    | "created_at"
  >;

/**
 * Archives delivered messages that the archive did not accept earlier. Rows whose message was
 * erased meanwhile are skipped; what failed is due again after a minute.
 */
export async function archiveMissedMessages(ctx: Ctx, database: Database): Promise<void> {
  const rows = await database.acrossTenants<Missed>(`
    UPDATE integration_queue q SET updated_at = clock_timestamp() + make_interval(secs => ${ARCHIVE_LEASE_SECONDS})
    WHERE (shop, id) IN (
      SELECT shop, id FROM integration_queue WHERE archived_at IS NULL AND status = 'delivered'
        AND updated_at <= clock_timestamp() AND ${isNotHeld("shop")} ORDER BY updated_at
        LIMIT ${SLICE} FOR UPDATE SKIP LOCKED
    ) RETURNING q.shop, q.id, q.event_id, q.channel, q.source, q.event_type, q.entity_type,
      q.entity_id, q.transformed_payload, q.delivery_config, q.created_at`);
  await forEachStore(ctx, database, rows, {
    work: (row) => archiveMissedMessage(ctx, database, row),
    event: "archive.failed",
  });
}

async function archiveMissedMessage(ctx: Ctx, database: Database, row: Missed): Promise<void> {
  const item = {
    shop: row.shop,
    queueId: row.id,
    eventId: row.event_id,
    channel: row.channel,
    source: row.source,
    eventType: row.event_type,
    entityType: row.entity_type,
    entityId: row.entity_id,
    createdAt: row.created_at,
  };
  if (row.transformed_payload)
    await archiveMessage(ctx, item, {
      transformed_payload: row.transformed_payload,
      delivery_config: row.delivery_config,
    } as DeliveryMessage);
  const marked = await database.forTenant(row.shop).sql(
    `UPDATE integration_queue SET archived_at = clock_timestamp(),
        updated_at = clock_timestamp() WHERE shop = $1 AND id = $2 AND archived_at IS NULL RETURNING id`,
    [row.id],
  );
  if (marked.length === 0) await ctx.archive.ofStore(row.shop).remove(messagePath(item));
}

const REQUEUE_SET =
  "status = 'pending', retry_count = 0, lease_lost = 0, lost_alone = 0, next_attempt_at = clock_timestamp(), dead_lettered_at = NULL, archived_at = NULL, alerted_at = NULL, updated_at = clock_timestamp()";

/**
 * Returns dead letters to the queue, whatever their reason. A concurrent second replay finds none
 * left.
 */
export async function replay(
  ctx: Ctx,
  tenant: Tenant,
  eventIds: readonly string[],
): Promise<{ requeued: number; not_found: string[] }> {
  const { sql, prisma } = dataOf(ctx, tenant);
  const known = await prisma.integrationQueue.groupBy({
    by: "event_id",
    where: { event_id: { in: [...eventIds] } },
  });
  const rows = await sql<Columns<IntegrationQueue, "channel">>(
    `WITH requeued AS (
       UPDATE integration_queue SET ${REQUEUE_SET}, sweep_count = 0, is_sweepable = true WHERE shop = $1
         AND event_id = ANY($2::text[]) AND status = 'dead_letter' RETURNING channel
     ), notified AS (SELECT pg_notify('${QUEUE_NOTIFICATION}', channel)
       FROM (SELECT DISTINCT channel FROM requeued) c)
     SELECT channel FROM requeued, (SELECT count(*) FROM notified) AS notified`,
    [eventIds],
  );
  const found = new Set(known.map((row) => row.event_id));
  ctx.log.info("dead_letters.replayed", { shop: tenant.shop, requeued: rows.length });
  return {
    requeued: rows.length,
    not_found: [...new Set(eventIds)].filter((id) => !found.has(id)),
  };
}

// Locks the rows of its slice and skips locked ones. A requeued row is no longer dead, so it is
// safe to repeat.
const REQUEUE_ROWS = `
  WITH chosen AS (
    SELECT id FROM integration_queue WHERE shop = $1 AND status = 'dead_letter'
      AND dead_lettered_at <= $4::timestamptz AND ($2::bigint[] IS NULL OR id = ANY($2))
      AND ($3::text IS NULL OR channel = $3)
    ORDER BY dead_lettered_at, id LIMIT $5 FOR UPDATE SKIP LOCKED
  ),
  requeued AS (UPDATE integration_queue q SET ${REQUEUE_SET}, sweep_count = 0, is_sweepable = true
    FROM chosen WHERE q.shop = $1 AND q.id = chosen.id RETURNING q.channel),
  notified AS (SELECT pg_notify('${QUEUE_NOTIFICATION}', channel) FROM (SELECT DISTINCT channel FROM requeued) c)
  SELECT count(*)::int AS rows, (SELECT count(*) FROM notified) AS notified FROM requeued`;

/** Requeues the oldest rows that were dead by `until`, at most `limit`. @returns how many. */
export async function requeueRows(
  sql: TenantSql,
  {
    ids,
    channel,
    until,
    limit,
  }: { ids: readonly number[] | null; channel: string | null; until: string; limit: number },
): Promise<number> {
  const [answer] = await sql<{ rows: number }>(REQUEUE_ROWS, [ids, channel, until, limit]);
  return answer?.rows ?? 0;
}

/**
 * Automatic retries after one, two and four hours. Rows that need a change by a person are not
 * retried.
 */
export async function sweepDeadLetters(ctx: Ctx, tenant: Tenant): Promise<number> {
  const rows = await dataOf(ctx, tenant).sql(
    `UPDATE integration_queue SET ${REQUEUE_SET}, sweep_count = sweep_count + 1
     WHERE shop = $1 AND (shop, id) IN (
       SELECT shop, id FROM integration_queue WHERE shop = $1 AND status = 'dead_letter'
         AND is_sweepable AND sweep_count < ${MAX_SWEEPS}
         AND dead_lettered_at <= clock_timestamp() - interval '1 hour' * power(2, sweep_count)
           ORDER BY dead_lettered_at LIMIT 1000 FOR UPDATE SKIP LOCKED
     ) RETURNING 1`,
  );
  return rows.length;
}
