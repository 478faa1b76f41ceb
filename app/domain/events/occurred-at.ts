// When an event happened, by its source's clock. The queue row knows only when it came; the ledger knows both.
import type { TenantSql } from "../../runtime/database.ts";
import type { QueueItem } from "../bus/channel.ts";

export async function findOccurredAt(sql: TenantSql, item: Pick<QueueItem, "eventId" | "createdAt">): Promise<Date> {
  const [row] = await sql<{ occurred_at: Date }>("SELECT occurred_at FROM event_ledger WHERE shop = $1 AND event_id = $2", [item.eventId]);
  return row?.occurred_at ?? item.createdAt;
}
