// Pending rows per channel and state. Reads partial indexes only, so delivered history costs nothing.
import type { Columns, Database, IntegrationQueue, WebhookInbox } from "../../../db.server.ts";
import { IS_DEAD } from "../outcome.ts";

export type QueueDepth = Columns<IntegrationQueue, "channel"> & {
  status: string;
  count: number;
  oldest_due_seconds: number;
};

export async function readQueueDepths(
  database: Database,
): Promise<{ queue: QueueDepth[]; webhooks: { status: string; count: number }[] }> {
  const depthOf = (status: string, condition: string) =>
    `SELECT channel, '${status}' AS status, count(*)::int AS count, greatest(0, extract(epoch
      FROM clock_timestamp() - min(next_attempt_at)))::float8 AS oldest_due_seconds
     FROM integration_queue WHERE ${condition} GROUP BY channel`;
  const [queue, webhooks] = await Promise.all([
    database.acrossTenants<QueueDepth>(
      `${depthOf("pending", "status = 'pending'")} UNION ALL ${depthOf("dead_letter", IS_DEAD)}`,
    ),
    database.acrossTenants<Columns<WebhookInbox, "status"> & { count: number }>(
      `SELECT status, count(*)::int AS count FROM webhook_inbox WHERE status = 'pending'
        GROUP BY status UNION ALL SELECT status, count(*)::int FROM webhook_inbox
        WHERE status = 'processing' GROUP BY status`,
    ),
  ]);
  return { queue, webhooks };
}
