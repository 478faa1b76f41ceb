// From a signed privacy request to its row: which delivery, whom it is about, and whether body and header agree on the shop.
import { receivePrivacyRequest, type PrivacyKind } from "../domain/compliance/privacy-requests.ts";
import { readSubject } from "../domain/compliance/subject.ts";
import type { Call } from "./endpoint.ts";
import { json, type Reply } from "./reply.ts";
import { requireSameShop, storefrontHeader } from "./storefront-webhook.ts";

type ComplianceCall = Pick<
  Call<"hmac", "named", unknown, unknown>,
  "ctx" | "inbound" | "shop" | "tenant" | "body" | "raw" | "note"
>;

/** Answers before the work is done, and nothing personal: the platform forwards the answer to nobody. */
export async function receiveComplianceRequest(
  { ctx, inbound, shop, tenant, body, raw, note }: ComplianceCall,
  kind: PrivacyKind,
): Promise<Reply> {
  requireSameShop(inbound, shop, body);
  const triggered = new Date(storefrontHeader(inbound, "triggered-at") ?? Number.NaN);
  const { id, dueBy, isNew } = await receivePrivacyRequest(ctx, shop, tenant, {
    kind,
    deliveryId: storefrontHeader(inbound, "webhook-id"),
    raw,
    ...readSubject(raw),
    triggeredAt: Number.isNaN(triggered.getTime()) ? null : triggered,
  });
  note({ kind, request_id: id, is_new: isNew });
  return json(
    200,
    kind === "shop_redact"
      ? { ok: true }
      : { ok: true, request_id: id, due_by: dueBy.toISOString() },
  );
}
