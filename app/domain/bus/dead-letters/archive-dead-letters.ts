// Archives dead letters at `events/dead_letter/{date}/{event_id}.json`, with all dead channels of their event.
import type { Ctx } from "../../../context.server.ts";
import type { Database } from "../../../db.server.ts";
import { isNotHeld } from "../../../runtime/database/cells/held-stores.ts";
import { NOW_ONCE } from "../../../runtime/database/queue/now-once.ts";
import { findTenant } from "../../tenants/tenant.ts";
import { REDACTED } from "../outcome.ts";
import { objectPath, putObject } from "../message-archive.ts";
import { announceWithin, eventsOf, type DeadRow } from "./announce-dead-letters.ts";
import { forEachStore } from "./for-each-store.ts";

const SLICE = 200;
/** Archiving writes a few objects; a second worker waits at most this long. */
const LEASE_SECONDS = 60;

// Reserved before the write by moving `updated_at` forward: a second worker skips the rows
// meanwhile, and the rows of a worker that dies become available after that time.
const RESERVE_UNARCHIVED = `
  UPDATE integration_queue q SET updated_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
  WHERE (shop, id) IN (
    SELECT shop, id FROM integration_queue WHERE archived_at IS NULL AND status = 'dead_letter'
      AND updated_at <= ${NOW_ONCE} AND ${isNotHeld("shop")} ORDER BY updated_at LIMIT ${SLICE}
      FOR UPDATE SKIP LOCKED
  ) RETURNING q.shop, q.event_id`;

/** Archives new dead letters. Safe to repeat and to run twice at once; what failed is due again after a minute. */
export async function archiveDeadLetters(ctx: Ctx, database: Database): Promise<void> {
  const rows = await database.acrossTenants<DeadRow>(RESERVE_UNARCHIVED);
  await forEachStore(ctx, database, eventsOf(rows), {
    work: (row) => archiveDeadEvent(ctx, database, row.shop, row.event_id),
    event: "archive.failed",
  });
}

const MARK_ARCHIVED = `
  UPDATE integration_queue SET archived_at = clock_timestamp(), updated_at = clock_timestamp()
  WHERE shop = $1 AND archived_at IS NULL AND status = 'dead_letter' AND id = ANY($2::bigint[])`;

const COUNT_WHOLE = `
  SELECT count(*)::int AS rows FROM integration_queue
  WHERE shop = $1 AND id = ANY($2::bigint[]) AND last_error IS DISTINCT FROM '${REDACTED}'`;

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
  if (!first) return;
  const tenant = await findTenant(ctx, shop);
  const path = objectPath("dead_letter", { eventId, createdAt: first.created_at });
  await putObject(ctx, shop, path, {
    event_id: eventId,
    tenant_shop: shop,
    source: first.source,
    event_type: first.event_type,
    entity_type: first.entity_type,
    entity_id: first.entity_id,
    priority: first.priority,
    channels: dead.map((row) => ({
      queue_id: Number(row.id),
      channel: row.channel,
      payload: row.payload,
      transformed_payload: row.transformed_payload,
      delivery_config: row.delivery_config,
      retry_count: row.retry_count,
      error: row.last_error,
      sweep_count: row.sweep_count,
      dead_lettered_at: row.dead_lettered_at,
    })),
  });
  await data.transaction(async (sql) => {
    // Announces a channel that died after the last alerts were sent.
    await announceWithin(ctx, tenant, sql, eventId);
    await sql(MARK_ARCHIVED, [dead.map(({ id }) => id)]);
    // The object must not keep what was erased between the read and the write.
    const whole = dead.filter(({ last_error }) => last_error !== REDACTED).map(({ id }) => id);
    const [kept] = await sql<{ rows: number }>(COUNT_WHOLE, [whole]);
    if (kept?.rows !== whole.length) await ctx.archive.ofStore(shop).remove(path);
  });
  ctx.log.warn("dead_letter.archived", {
    shop,
    event_id: eventId,
    channels: dead.map(({ channel }) => channel),
  });
}
