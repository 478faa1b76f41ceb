// Rows that were promised before their content was known: an event that came as a storefront webhook is acknowledged with
// its rows on disk, while the webhook's own work still has to change the customer that the rows are about. That work fills
// and releases them (enqueue.ts), or finds that there is nothing to deliver.
import type { TenantSql } from "../../runtime/database.ts";

export const QUEUE_NOTIFICATION = "integration_queue";

/** Nothing but a promise has an empty payload. `q` is the row. */
export const IS_WAITING = "q.status = 'pending' AND q.payload = '{}'";

/** The change turned out to be none: an echo of our own, an older one, or one that another event carries. */
export async function settleWaiting(
  sql: TenantSql,
  eventId: string,
  reason: string,
): Promise<void> {
  await sql(
    `UPDATE integration_queue q SET status = 'delivered', delivered_at = clock_timestamp(), archived_at = clock_timestamp(), last_error = $3, updated_at = clock_timestamp()
     WHERE q.shop = $1 AND q.event_id = $2 AND ${IS_WAITING}`,
    [eventId, reason],
  );
}
