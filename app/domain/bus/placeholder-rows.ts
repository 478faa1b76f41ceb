// Queue rows that exist before their content is known. An event that arrives as a storefront
// webhook is acknowledged with its rows committed, while the webhook's work still has to change the
// customer of those rows. That work fills and releases the rows (enqueue.ts), or finds that there
// is nothing to deliver.
import type { TenantSql } from "../../runtime/database/database.ts";

/** Only a placeholder has an empty payload. `q` is the row. */
export const IS_PLACEHOLDER = "q.status = 'pending' AND q.payload = '{}'";

/**
 * The webhook changed nothing: it is an echo of our own change, older than the stored state, or
 * covered by another event.
 */
export async function settlePlaceholders(
  sql: TenantSql,
  eventId: string,
  reason: string,
): Promise<void> {
  await sql(
    `UPDATE integration_queue q SET status = 'delivered', delivered_at = clock_timestamp(),
      archived_at = clock_timestamp(), last_error = $3, updated_at = clock_timestamp()
     WHERE q.shop = $1 AND q.event_id = $2 AND ${IS_PLACEHOLDER}`,
    [eventId, reason],
  );
}
