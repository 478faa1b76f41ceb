// Builds an event from an authenticated request: the headers, and whether it is a storefront
// webhook with its own work.
import { normalise, type Envelope } from "../domain/events/envelope.ts";
import { parseEventTime } from "../domain/events/event-time.ts";
import type { Webhook } from "../domain/events/ingest-statement.ts";
import { COMPLIANCE_TOPICS, WEBHOOK_TOPICS } from "../domain/tenants/storefront/webhook-topics.ts";
import { replaceUnstorable } from "../runtime/database/storable-json.ts";
import { AppError } from "../runtime/errors.ts";
import type { Call } from "./endpoint.ts";
import { deliveryIdentity, requireSameShop, storefrontHeader } from "./auth/storefront-webhook.ts";

type IngestCall = Pick<
  Call<"event_source", "registered", unknown, unknown>,
  "ctx" | "request" | "tenant" | "principal" | "body" | "raw"
>;

export function parseEventRequest({ ctx, request, tenant, principal, body, raw }: IngestCall): {
  envelope: Envelope;
  webhook: Webhook | null;
} {
  const isStorefront = principal.proof === "hmac";
  if (isStorefront) requireSameShop(request, tenant.shop, body, { method: principal.proof });
  const topic = isStorefront ? (storefrontHeader(request, "topic")?.toLowerCase() ?? null) : null;
  const privacy = COMPLIANCE_TOPICS.find(({ name }) => name === topic);
  if (privacy)
    throw new AppError("invalid_request", { message: `Privacy requests go to ${privacy.path}.` });
  const triggeredAt = isStorefront ? (storefrontHeader(request, "triggered-at") ?? null) : null;
  const text = raw.toString("utf8");
  // The platform would send a refused webhook again, and then no more.
  const content = isStorefront ? replaceUnstorable({ text, json: body }) : body;
  const envelope = normalise(ctx, tenant, content, {
    proof: principal.proof,
    namedSource: principal.named,
    topic,
    triggeredAt,
  });
  if (!WEBHOOK_TOPICS.some(({ name }) => name === topic)) return { envelope, webhook: null };
  return {
    envelope,
    webhook: {
      ...deliveryIdentity(request, topic as string, { text, body }),
      body: text,
      triggeredAt: parseEventTime(triggeredAt),
    },
  };
}
