// From a proven request to an event: what its headers say, and whether it is a storefront webhook that has work of its own.
import { normalise, type Envelope } from "../domain/events/envelope.ts";
import type { Webhook } from "../domain/events/ingest.ts";
import { COMPLIANCE_TOPICS, WEBHOOK_TOPICS } from "../domain/tenants/webhook-topics.ts";
import { AppError } from "../runtime/errors.ts";
import type { Call } from "./endpoint.ts";
import { deliveryIdentity, requireSameShop, storefrontHeader } from "./storefront-webhook.ts";

type IngestCall = Pick<
  Call<"event_source", "registered", unknown, unknown>,
  "ctx" | "inbound" | "tenant" | "principal" | "body" | "raw"
>;

export function readArrival({ ctx, inbound, tenant, principal, body, raw }: IngestCall): {
  envelope: Envelope;
  webhook: Webhook | null;
} {
  const isStorefront = principal.proof === "hmac";
  if (isStorefront) requireSameShop(inbound, tenant.shop, body);
  const topic = isStorefront ? (storefrontHeader(inbound, "topic")?.toLowerCase() ?? null) : null;
  const privacy = COMPLIANCE_TOPICS.find(({ name }) => name === topic);
  if (privacy)
    throw new AppError("invalid_request", { message: `Privacy requests go to ${privacy.path}.` });
  const triggeredAt = isStorefront ? (storefrontHeader(inbound, "triggered-at") ?? null) : null;
  const envelope = normalise(ctx, tenant, body, {
    proof: principal.proof,
    namedSource: principal.named,
    topic,
    triggeredAt,
  });
  if (!WEBHOOK_TOPICS.some(({ name }) => name === topic)) return { envelope, webhook: null };
  const text = raw.toString("utf8");
  const triggered = new Date(triggeredAt ?? Number.NaN);
  return {
    envelope,
    webhook: {
      ...deliveryIdentity(inbound, topic as string, text),
      body: text,
      triggeredAt: Number.isNaN(triggered.getTime()) ? null : triggered,
    },
  };
}
