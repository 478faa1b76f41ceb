// Resolves the store of a backend's callback: the store it names, else the one whose ledger or queue
// has the event.
import type { Ctx } from "../../context.server.ts";
import { findShopOfRow, findShopsOfEvent } from "../../domain/bus/log/event-shop.ts";
import { getTenant, type Tenant } from "../../domain/tenants/tenant.ts";
import { AppError } from "../../runtime/errors.ts";
import { requireEventAccess } from "./guards.ts";
import type { ApiRequest } from "../api-request.ts";
import { lookUpTenant, namedShop } from "./tenant-lookup.ts";

/**
 * When two stores have the event, the row decides. Throws `tenant_required` when no store is found,
 * or when several remain.
 */
export async function getCallbackTenant(
  ctx: Ctx,
  request: ApiRequest,
  eventId: string,
  queueId?: number,
): Promise<Tenant> {
  const having = namedShop(request) === null ? await findShopsOfEvent(ctx, eventId) : [];
  const shops =
    having.length > 1 && queueId !== undefined
      ? await findShopOfRow(ctx, having, eventId, queueId)
      : having;
  if (having.length > 1 && shops.length !== 1)
    throw new AppError("tenant_required", {
      message: "More than one store has this event. Name the store: ?shop=name.myshopify.com.",
    });
  const shop = shops[0] ?? (await lookUpTenant(ctx, request, null)).shop;
  if (!shop) throw new AppError("tenant_required");
  const tenant = await getTenant(ctx, shop);
  requireEventAccess(tenant);
  return tenant;
}
