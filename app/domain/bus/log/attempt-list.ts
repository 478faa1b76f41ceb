// Delivery attempts for the merchant: newest first, by channel, outcome or event.
import { z } from "zod";
import type { Ctx } from "../../../context.server.ts";
import type {
  Columns,
  DeliveryAttempt,
  IntegrationQueue,
  NullableColumns,
} from "../../../db.server.ts";
import { dataOf, type Tenant } from "../../tenants/tenant.ts";
import { toFailure, type Failure } from "./failure-kind.ts";

const text = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .transform((value) => value || undefined)
    .optional()
    .catch(undefined);
export const AttemptFilters = z.object({
  channel: text(40),
  status: z.enum(["delivered", "failed"]).optional().catch(undefined),
  event: text(200),
});
export type AttemptFilters = z.output<typeof AttemptFilters>;

export type ListedAttempt = {
  id: number;
  event_id: string;
  event_type: string | null;
  channel: string;
  status: string;
  latency_ms: number;
  attempt: number;
  created_at: string;
  failure: Failure | null;
};

type Row = Columns<
  DeliveryAttempt,
  | "id"
  | "event_id"
  | "channel"
  | "status"
  | "latency_ms"
  | "attempt"
  | "created_at"
  | "error"
  | "http_status"
> &
  NullableColumns<IntegrationQueue, "event_type">;

// Each filter has its index: (shop, channel, id), the failures alone (partial), (shop, event_id).
const LIST = `
  SELECT a.id, a.event_id, q.event_type, a.channel, a.status, a.http_status, a.latency_ms,
    a.attempt, a.error, a.created_at
  FROM (
    SELECT * FROM delivery_attempts WHERE shop = $1 AND ($2::text IS NULL OR channel = $2)
      AND ($3::text IS NULL OR status = $3) AND ($4::text IS NULL OR event_id = $4)
      AND ($5::bigint IS NULL OR id < $5)
    ORDER BY id DESC LIMIT $6
  ) a LEFT JOIN integration_queue q ON q.shop = a.shop AND q.id = a.queue_id ORDER BY a.id DESC`;

export async function listAttempts(
  ctx: Ctx,
  tenant: Tenant,
  filters: AttemptFilters,
  { limit, before }: { limit: number; before: number | null },
): Promise<{ attempts: ListedAttempt[]; next: number | null }> {
  const rows = await dataOf(ctx, tenant).sql<Row>(LIST, [
    filters.channel ?? null,
    filters.status ?? null,
    filters.event ?? null,
    before,
    limit + 1,
  ]);
  const attempts = rows.slice(0, limit).map(toListed);
  return { attempts, next: rows.length > limit ? (attempts.at(-1)?.id ?? null) : null };
}

export function toListed({ error, http_status, created_at: at, ...row }: Row): ListedAttempt {
  return {
    ...row,
    created_at: at.toISOString(),
    failure: row.status === "failed" ? toFailure({ error, http_status }) : null,
  };
}
