// Reads a signed privacy request for its row: the delivery, the customer, and whether body and
// header name the same shop.
import { type PrivacyKind } from "../../domain/compliance/requests/privacy-requests.ts";
import { receivePrivacyRequest } from "../../domain/compliance/requests/receive-request.ts";
import { readSubject } from "../../domain/compliance/subject.ts";
import { parseEventTime } from "../../domain/events/event-time.ts";
import type { Call } from "../endpoint.ts";
import { json, type ApiResponse } from "../api-response.ts";
import { requireSameShop, storefrontHeader } from "./storefront-webhook.ts";

type ComplianceCall = Pick<
  Call<"hmac", "named", unknown, unknown>,
  "ctx" | "request" | "shop" | "tenant" | "body" | "raw" | "note"
>;

/**
 * Responds before the work is done and without personal data: the platform discards the response.
 */
export async function receiveComplianceRequest(
  { ctx, request, shop, tenant, body, raw, note }: ComplianceCall,
  kind: PrivacyKind,
): Promise<ApiResponse> {
  requireSameShop(request, shop, body);
  const { id, dueBy, isNew } = await receivePrivacyRequest(ctx, shop, tenant, {
    kind,
    // Two subscriptions for a topic send one event twice, with different delivery ids.
    deliveryId: storefrontHeader(request, "event-id") ?? storefrontHeader(request, "webhook-id"),
    raw,
    ...readSubject(raw),
    triggeredAt: parseEventTime(storefrontHeader(request, "triggered-at")),
  });
  note({ kind, request_id: id, is_new: isNew });
  return json(
    200,
    kind === "shop_redact"
      ? { ok: true }
      : { ok: true, request_id: id, due_by: dueBy.toISOString() },
  );
}
