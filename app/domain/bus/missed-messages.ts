// Archives delivered messages that the archive did not accept at their delivery.
import type { Ctx } from "../../context.server.ts";
import type { Columns, Database, IntegrationQueue } from "../../db.server.ts";
import { isNotHeld } from "../../runtime/database/cells/held-stores.ts";
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
>;

/**
 * Archives delivered messages that the archive did not accept earlier. Rows whose message was
 * erased meanwhile are skipped; what failed is due again after a minute.
 */
export async function archiveMissedMessages(ctx: Ctx, database: Database): Promise<void> {
  const rows = await database.acrossTenants<Missed>(`
    UPDATE integration_queue q SET updated_at = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
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
