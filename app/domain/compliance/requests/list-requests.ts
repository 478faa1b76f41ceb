// A store's privacy requests for operators, newest first; includes the requests to delete the
// store, which have no tenant row.
import type { Ctx } from "../../../context.server.ts";
import { PLATFORM, type Columns, type PrivacyRequest } from "../../../db.server.ts";
import { HOME_REGION } from "../../../runtime/settings.ts";
import type { Tenant } from "../../tenants/tenant.ts";
import { storeKey } from "../subject.ts";

type ListedRow = Columns<
  PrivacyRequest,
  | "id"
  | "kind"
  | "state"
  | "external_id"
  | "received_at"
  | "due_by"
  | "completed_at"
  | "attempts"
  | "last_error"
  | "evidence"
> & { evidence: Record<string, unknown> | null };

/**
 * `before`: the end of the previous page. Returns the position of the next page, null at the end.
 */
export async function listPrivacyRequests(
  ctx: Ctx,
  shop: string,
  tenant: Tenant | null,
  { limit, before }: { limit: number; before: number | null },
) {
  const rows = await ctx.regions
    .get(tenant?.region ?? HOME_REGION)
    .forTenant(shop)
    .sql<ListedRow>(
      `SELECT id, kind, state, external_id, received_at, due_by, completed_at, attempts, last_error,
        evidence FROM privacy_requests
     WHERE (shop = $1 OR (shop = $2 AND subject_hmac = $3)) AND ($4::int IS NULL OR id < $4)
       ORDER BY id DESC LIMIT $5`,
      [PLATFORM, storeKey(ctx, shop), before, limit + 1],
    );
  const page = rows.slice(0, limit);
  const requests = page.map(({ id, ...request }) => ({
    request_id: id,
    ...request,
    received_at: request.received_at.toISOString(),
    due_by: request.due_by.toISOString(),
    completed_at: request.completed_at?.toISOString() ?? null,
  }));
  return { requests, next: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}
