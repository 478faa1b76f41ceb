// Tells the merchant of new dead letters: an alert by mail, and the trigger of Shopify Flow.
import type { Ctx } from "../../../context.server.ts";
import type { Columns, Database, IntegrationQueue, TenantSql } from "../../../db.server.ts";
import { isNotHeld } from "../../../runtime/database/cells/held-stores.ts";
import { putKeyIfAbsent } from "../../../runtime/database/kv.ts";
import { KEYS, TTL_SECONDS } from "../../../runtime/database/kv-keys.ts";
import { NOW_ONCE } from "../../../runtime/database/queue/now-once.ts";
import { isUninstalled } from "../../tenants/store-access.ts";
import { findTenant, type Tenant } from "../../tenants/tenant.ts";
import { FLOW_CHANNEL, flowChannels, isChannelEnabled } from "../channel.ts";
import { enqueue } from "../enqueue.ts";
import { forEachStore } from "./for-each-store.ts";

const SLICE = 200;

export type DeadRow = Columns<IntegrationQueue, "shop" | "event_id">;

// Without the rows of a longer time ago: while the archive is away they are many, and their alerts are out. One that
// was missed meanwhile gets its alert when it is archived.
const FIND_UNALERTED = `
  SELECT shop, event_id FROM integration_queue WHERE archived_at IS NULL AND status = 'dead_letter'
    AND alerted_at IS NULL AND updated_at > ${NOW_ONCE} - interval '2 minutes' AND ${isNotHeld("shop")}
  ORDER BY updated_at LIMIT ${SLICE}`;

/** The rows' events, each once. */
export const eventsOf = (rows: readonly DeadRow[]): Iterable<DeadRow> =>
  new Map(rows.map((row) => [`${row.shop}/${row.event_id}`, row])).values();

/** Sends the alerts of new dead letters, also while the archive fails. Safe to repeat and to run twice at once. */
export async function announceDeadLetters(ctx: Ctx, database: Database): Promise<void> {
  const rows = await database.acrossTenants<DeadRow>(FIND_UNALERTED);
  await forEachStore(ctx, database, eventsOf(rows), {
    work: (row) => announce(ctx, database, row),
    event: "dead_letters.not_announced",
  });
}

async function announce(ctx: Ctx, database: Database, row: DeadRow): Promise<void> {
  const tenant = await findTenant(ctx, row.shop);
  await database
    .forTenant(row.shop)
    .transaction((sql) => announceWithin(ctx, tenant, sql, row.event_id));
}

/**
 * The alert and the Shopify Flow trigger of the event's dead channels, in the transaction that marks their rows. `tenant`
 * null: the store is gone.
 */
export async function announceWithin(
  ctx: Ctx,
  tenant: Tenant | null,
  sql: TenantSql,
  eventId: string,
): Promise<void> {
  const rows = await sql<Columns<IntegrationQueue, "channel" | "event_type">>(
    `UPDATE integration_queue SET alerted_at = clock_timestamp() WHERE shop = $1 AND event_id = $2
      AND status = 'dead_letter' AND archived_at IS NULL AND alerted_at IS NULL
      RETURNING channel, event_type`,
    [eventId],
  );
  if (!tenant) return;
  // Each channel's alert is a key that other processes wait for: all of them take the keys in one order.
  rows.sort((a, b) => (a.channel < b.channel ? -1 : 1));
  for (const { channel, event_type: eventType } of rows) {
    const dead = { channel, eventId, eventType };
    await sendAlert(ctx, tenant, sql, dead);
    await enqueueFlowTrigger(ctx, tenant, sql, dead);
  }
}

type DeadDelivery = { channel: string; eventId: string; eventType: string };

/**
 * One mail per store and channel in 15 minutes, enqueued in the transaction that marks the rows as
 * alerted. Failed mails send no alert, since it would fail too, and a store that uninstalled the app gets none.
 */
async function sendAlert(
  ctx: Ctx,
  tenant: Tenant,
  sql: TenantSql,
  { channel, eventId }: DeadDelivery,
): Promise<void> {
  if (channel === "email" || !isChannelEnabled(ctx, tenant, "email") || isUninstalled(tenant))
    return;
  const key = KEYS.deadLetterAlert(channel);
  const isFirst = await putKeyIfAbsent(sql, key, eventId, TTL_SECONDS.deadLetterAlert);
  if (!isFirst) return;
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
  { channel, eventId, eventType }: DeadDelivery,
): Promise<void> {
  const destinations = flowChannels(ctx, tenant);
  if (destinations.length === 0 || channel === FLOW_CHANNEL) return;
  await enqueue(sql, {
    eventId: ctx.random.orderedUuid(),
    source: "backend",
    eventType: "delivery.dead",
    entityType: "store",
    entityId: tenant.shop,
    payload: { dead: { channel, event_id: eventId, event_type: eventType } },
    occurredAt: ctx.clock.now(),
    destinations,
    priority: 3,
  });
}
