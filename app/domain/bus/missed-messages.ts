// Archives delivered messages that the archive did not accept at their delivery.
import type { Ctx } from "../../context.server.ts";
import type { Columns, Database, IntegrationQueue } from "../../db.server.ts";
import { isNotHeld } from "../../runtime/database/cells/held-stores.ts";
import { NOW_ONCE } from "../../runtime/database/queue/now-once.ts";
import type { DeliveryMessage } from "./channel.ts";
import { forEachStore } from "./dead-letters/for-each-store.ts";
import { archiveMessage, messagePath } from "./message-archive.ts";

const SLICE = 200;
/** A second worker leaves a reserved row alone for this long. */
const LEASE_SECONDS = 60;

type Missed = Columns<
  IntegrationQueue,
  | "shop"
  | "id"
  | "event_id"
  | "channel"
  | "source"
  | "event_type"
  | "entity_type"
  | "entity_id"
  | "transformed_payload"
  | "delivery_config"
  | "created_at"
> & { message_hash: string };

/** Hashed by Postgres over the stored text: this process would read a number beyond 2^53 as another one. */
const MESSAGE_HASH =
  "hashtextextended(concat_ws(E'\\n', q.transformed_payload, q.delivery_config), 0)::text";

/**
 * Archives delivered messages that the archive did not accept earlier. Rows whose message was
 * erased meanwhile are skipped; what failed is due again after a minute. Safe to repeat and to run twice at once.
 */
export async function archiveMissedMessages(ctx: Ctx, database: Database): Promise<void> {
  const reservedAt = performance.now();
  const rows = await database.acrossTenants<Missed>(`
    UPDATE integration_queue q SET updated_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    WHERE (shop, id) IN (
      SELECT shop, id FROM integration_queue WHERE archived_at IS NULL AND status = 'delivered'
        AND updated_at <= ${NOW_ONCE} AND ${isNotHeld("shop")} ORDER BY updated_at
        LIMIT ${SLICE} FOR UPDATE SKIP LOCKED
    ) RETURNING q.shop, q.id, q.event_id, q.channel, q.source, q.event_type, q.entity_type,
      q.entity_id, q.transformed_payload, q.delivery_config, q.created_at,
      ${MESSAGE_HASH} AS message_hash`);
  await forEachStore(ctx, database, rows, {
    async work(row) {
      // A silent archive makes a pass longer than its reservation: what is left belongs to the next pass.
      if (performance.now() - reservedAt < LEASE_SECONDS * 1_000)
        await archiveMissedMessage(ctx, database, row);
    },
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
  if (!(await markArchived(database, row)))
    await ctx.archive.ofStore(row.shop).remove(messagePath(item));
}

const OF_SAME_MESSAGE = `q.shop = $1 AND q.id = $2 AND ${MESSAGE_HASH} = $3`;

/**
 * Whether the object holds what the row holds; another worker may have marked it. If not, the message was erased, or a
 * name in it masked, while the object was written: what is left of it is archived again.
 */
async function markArchived(database: Database, row: Missed): Promise<boolean> {
  const { sql } = database.forTenant(row.shop);
  const values = [row.id, row.message_hash];
  await sql(
    `UPDATE integration_queue q SET archived_at = clock_timestamp(), updated_at = clock_timestamp()
      WHERE ${OF_SAME_MESSAGE} AND archived_at IS NULL`,
    values,
  );
  const same = await sql(
    `SELECT 1 FROM integration_queue q WHERE ${OF_SAME_MESSAGE} AND archived_at IS NOT NULL`,
    values,
  );
  if (same.length > 0) return true;
  await sql(
    `UPDATE integration_queue
      SET archived_at = NULL, updated_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
      WHERE shop = $1 AND id = $2 AND status = 'delivered' AND transformed_payload IS NOT NULL`,
    [row.id],
  );
  return false;
}
