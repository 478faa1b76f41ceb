// What becomes of a dead letter: it is filed at `events/dead_letter/{date}/{event_id}.json` with all dead channels of its
// event, somebody is told, and it comes back by a replay or by the schedule's sweep.
//
//   dead_letter -> filed, told -> pending (replay; sweep after 1 h, 2 h, 4 h)
import type { Ctx } from "../../context.server.ts";
import type { Database, TenantSql } from "../../runtime/database.ts";
import { KEYS, putKeyIfAbsent, TTL_SECONDS } from "../../runtime/kv.ts";
import { dataOf, findTenant, type Tenant } from "../tenants/tenant.ts";
import { enqueue } from "./enqueue.ts";
import type { DeliveryMessage } from "./channel.ts";
import { fileMessage, messagePath, objectPath, putObject } from "./message-archive.ts";
import { QUEUE_NOTIFICATION } from "./waiting-rows.ts";

const MOST_SWEEPS = 3;
const SLICE = 200;
/** Whoever files writes a handful of objects; a rival waits no longer. */
const FILING_SECONDS = 60;

type DeadRow = { shop: string; event_id: string };

// Marked before they are written, by pushing `updated_at` forward: a second worker passes them over meanwhile, and one
// that dies leaves them for after that.
const TAKE_UNFILED = `
  UPDATE integration_queue q SET updated_at = clock_timestamp() + make_interval(secs => ${FILING_SECONDS})
  WHERE (shop, id) IN (
    SELECT shop, id FROM integration_queue WHERE archived_at IS NULL AND status = 'dead_letter' AND updated_at <= clock_timestamp() ORDER BY updated_at LIMIT ${SLICE} FOR UPDATE SKIP LOCKED
  ) RETURNING q.shop, q.event_id`;

/** Files new dead letters and tells of them. Safe to repeat and to run twice at once. @returns how many events. */
export async function fileDeadLetters(ctx: Ctx, database: Database): Promise<number> {
  const rows = await database.acrossTenants<DeadRow>(TAKE_UNFILED);
  const events = new Map(rows.map((row) => [`${row.shop}/${row.event_id}`, row]));
  for (const { shop, event_id } of events.values()) {
    const tenant = await findTenant(ctx, shop);
    await fileEvent(ctx, database, shop, tenant, event_id);
  }
  return events.size;
}

type Dead = {
  id: number;
  channel: string;
  source: string;
  event_type: string;
  entity_type: string;
  entity_id: string;
  payload: unknown;
  transformed_payload: unknown;
  delivery_config: unknown;
  priority: number;
  retry_count: number;
  last_error: string | null;
  sweep_count: number;
  created_at: Date;
  dead_lettered_at: Date;
  archived_at: Date | null;
};

/** The object is written from the table, so that two channels of one event never overwrite each other. */
async function fileEvent(
  ctx: Ctx,
  database: Database,
  shop: string,
  tenant: Tenant | null,
  eventId: string,
): Promise<void> {
  const data = database.forTenant(shop);
  const dead = await data.sql<Dead>(
    `SELECT id, channel, source, event_type, entity_type, entity_id, payload, transformed_payload, delivery_config, priority, retry_count, last_error, sweep_count, created_at, dead_lettered_at, archived_at
     FROM integration_queue WHERE shop = $1 AND event_id = $2 AND status = 'dead_letter' ORDER BY id`,
    [eventId],
  );
  const [first] = dead;
  const unfiled = dead.filter(({ archived_at }) => archived_at === null).map(({ id }) => id);
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
        queue_id: id,
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
      "UPDATE integration_queue SET archived_at = clock_timestamp(), updated_at = clock_timestamp() WHERE shop = $1 AND archived_at IS NULL AND id = ANY($2::bigint[]) RETURNING id",
      [unfiled],
    );
    // Somebody was redacted between the reading and the writing: what we wrote must not outlive that.
    if (marked.length < unfiled.length) return ctx.archive.ofStore(shop).remove(path);
    for (const { channel } of dead.filter(({ id }) => unfiled.includes(id)))
      if (tenant) await alert(ctx, tenant, sql, channel, eventId);
  });
  ctx.log.troubled("dead_letter.filed", {
    shop,
    event_id: eventId,
    channels: dead.map(({ channel }) => channel),
  });
}

/** One mail per store and channel in 15 minutes, written with the mark that it was told. A mail about mails would not arrive. */
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
  await enqueue(sql, {
    eventId: ctx.random.orderedUuid(),
    source: "backend",
    eventType: "mail.dead_letter",
    entityType: "store",
    entityId: tenant.shop,
    payload: { template: "dead_letter", alert: { channel, event_id: eventId } },
    occurredAt: ctx.clock.now(),
    destinations: ["email"],
    priority: 2,
  });
}

/** What the archive missed when it was delivered. Rows whose message was scrubbed meanwhile have nothing left to file. */
export async function fileMissedMessages(ctx: Ctx, database: Database): Promise<number> {
  type Missed = DeadRow & {
    id: number;
    channel: string;
    source: string;
    event_type: string;
    entity_type: string;
    entity_id: string;
    transformed_payload: unknown;
    delivery_config: unknown;
    created_at: Date;
  };
  const rows = await database.acrossTenants<Missed>(`
    UPDATE integration_queue q SET updated_at = clock_timestamp() + make_interval(secs => ${FILING_SECONDS})
    WHERE (shop, id) IN (
      SELECT shop, id FROM integration_queue WHERE archived_at IS NULL AND status = 'delivered' AND updated_at <= clock_timestamp() ORDER BY updated_at LIMIT ${SLICE} FOR UPDATE SKIP LOCKED
    ) RETURNING q.shop, q.id, q.event_id, q.channel, q.source, q.event_type, q.entity_type, q.entity_id, q.transformed_payload, q.delivery_config, q.created_at`);
  for (const row of rows) {
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
      await fileMessage(ctx, item, {
        transformed_payload: row.transformed_payload,
        delivery_config: row.delivery_config,
      } as DeliveryMessage);
    const marked = await database
      .forTenant(row.shop)
      .sql(
        "UPDATE integration_queue SET archived_at = clock_timestamp(), updated_at = clock_timestamp() WHERE shop = $1 AND id = $2 AND archived_at IS NULL RETURNING id",
        [row.id],
      );
    if (marked.length === 0) await ctx.archive.ofStore(row.shop).remove(messagePath(item));
  }
  return rows.length;
}

const REVIVE =
  "status = 'pending', retry_count = 0, lease_lost = 0, lost_alone = 0, next_attempt_at = clock_timestamp(), dead_lettered_at = NULL, archived_at = NULL, updated_at = clock_timestamp()";

/** Puts dead letters back, whatever their reason. A second replay at once finds nothing left. */
export async function replay(
  ctx: Ctx,
  tenant: Tenant,
  eventIds: readonly string[],
): Promise<{ requeued: number; not_found: string[] }> {
  const { sql } = dataOf(ctx, tenant);
  const known = await sql<{ event_id: string }>(
    "SELECT DISTINCT event_id FROM integration_queue WHERE shop = $1 AND event_id = ANY($2::text[])",
    [eventIds],
  );
  const rows = await sql<{ channel: string }>(
    `WITH revived AS (
       UPDATE integration_queue SET ${REVIVE}, sweep_count = 0, is_sweepable = true WHERE shop = $1 AND event_id = ANY($2::text[]) AND status = 'dead_letter' RETURNING channel
     ), told AS (SELECT pg_notify('${QUEUE_NOTIFICATION}', channel) FROM (SELECT DISTINCT channel FROM revived) c)
     SELECT channel FROM revived, (SELECT count(*) FROM told) AS waken`,
    [eventIds],
  );
  const found = new Set(known.map((row) => row.event_id));
  ctx.log.done("dead_letters.replayed", { shop: tenant.shop, requeued: rows.length });
  return {
    requeued: rows.length,
    not_found: [...new Set(eventIds)].filter((id) => !found.has(id)),
  };
}

// Locks the slice it revives and waits for nobody; a row that was revived is not dead any more, so it is safe to repeat.
const REVIVE_ROWS = `
  WITH chosen AS (
    SELECT id FROM integration_queue WHERE shop = $1 AND status = 'dead_letter' AND dead_lettered_at <= $4::timestamptz AND ($2::bigint[] IS NULL OR id = ANY($2)) AND ($3::text IS NULL OR channel = $3)
    ORDER BY dead_lettered_at, id LIMIT $5 FOR UPDATE SKIP LOCKED
  ),
  revived AS (UPDATE integration_queue q SET ${REVIVE}, sweep_count = 0, is_sweepable = true FROM chosen WHERE q.shop = $1 AND q.id = chosen.id RETURNING q.channel),
  told AS (SELECT pg_notify('${QUEUE_NOTIFICATION}', channel) FROM (SELECT DISTINCT channel FROM revived) c)
  SELECT count(*)::int AS rows, (SELECT count(*) FROM told) AS waken FROM revived`;

/** The oldest of those that were dead by `until`, at most `limit`. @returns how many. */
export async function reviveRows(
  sql: TenantSql,
  {
    ids,
    channel,
    until,
    limit,
  }: { ids: readonly number[] | null; channel: string | null; until: string; limit: number },
): Promise<number> {
  const [answer] = await sql<{ rows: number }>(REVIVE_ROWS, [ids, channel, until, limit]);
  return answer?.rows ?? 0;
}

/** The schedule's own tries: after one hour, then two, then four; what a person has to change first is left alone. */
export async function sweepDeadLetters(ctx: Ctx, tenant: Tenant): Promise<number> {
  const rows = await dataOf(ctx, tenant).sql(
    `UPDATE integration_queue SET ${REVIVE}, sweep_count = sweep_count + 1
     WHERE shop = $1 AND (shop, id) IN (
       SELECT shop, id FROM integration_queue WHERE shop = $1 AND status = 'dead_letter' AND is_sweepable AND sweep_count < ${MOST_SWEEPS}
         AND dead_lettered_at <= clock_timestamp() - interval '1 hour' * power(2, sweep_count) ORDER BY dead_lettered_at LIMIT 1000 FOR UPDATE SKIP LOCKED
     ) RETURNING 1`,
  );
  return rows.length;
}
