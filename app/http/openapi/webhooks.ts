// The webhooks section of the OpenAPI document: what the storefront sends to this service, and what
// this service sends to a store's own systems.
import { z } from "zod";
import {
  COMPLIANCE_TOPICS,
  WEBHOOK_TOPICS,
} from "../../domain/tenants/storefront/webhook-topics.ts";

const TAG = "Webhooks";

const Customer = z.looseObject({
  id: z.int(),
  admin_graphql_api_id: z.string(),
  email: z.email(),
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  tags: z.string(),
  updated_at: z.iso.datetime({ offset: true }),
});
const AnyPayload = z
  .looseObject({})
  .meta({ description: "The storefront's payload; only the fields that are used are read." });

const PrivacySubject = z.looseObject({
  shop_domain: z.string(),
  customer: z.looseObject({ id: z.int(), email: z.email(), phone: z.string() }),
});
const PRIVACY_PAYLOADS: Record<(typeof COMPLIANCE_TOPICS)[number]["name"], z.ZodType> = {
  "customers/data_request": PrivacySubject.extend({ orders_requested: z.array(z.int()) }),
  "customers/redact": PrivacySubject.extend({ orders_to_redact: z.array(z.int()) }),
  "shop/redact": z.looseObject({ shop_id: z.int(), shop_domain: z.string() }),
};

const RetailRecord = z.object({
  event_id: z.string(),
  event_type: z.string(),
  occurred_at: z.iso.datetime(),
  email_sha256: z.string(),
  order_id: z.string().nullable(),
  currency: z.string().nullable(),
  items: z.array(
    z.object({
      upc: z.string(),
      quantity: z.string(),
      unit_price: z.string().nullable(),
      amount: z.string().nullable(),
    }),
  ),
});
const EnqueuedEvent = z.object({
  event_id: z.string(),
  source: z.string(),
  event_type: z.string(),
  entity_type: z.string(),
  entity_id: z.string(),
  tenant_shop: z.string(),
  payload: z.record(z.string(), z.unknown()),
  destinations: z.array(z.string()),
  priority: z.int().min(1).max(5),
  timestamp: z.iso.datetime(),
});

/** To the store's own systems. Every other destination has an API of its own. */
const SENT = {
  "backend.event": {
    summary: "An event for a remote backend, at its `/integration-enqueue`.",
    description: "With `Authorization: Bearer <BACKEND_API_KEY>`; answered with its queue id.",
    body: EnqueuedEvent,
    answer: z.object({ ok: z.literal(true), queue_id: z.int() }),
  },
  "erp_generic.document": {
    summary: "An event in the shape of the store's mapping, at the ERP's `/generic/{entity_type}`.",
    description: "With the ERP's credentials, and an `Idempotency-Key` of the event.",
    body: z
      .record(z.string(), z.unknown())
      .meta({ examples: [{ customer_number: "1001", name: "Ada Lovelace" }] }),
    answer: null,
  },
  "retail_analytics_b.record": {
    summary: "A sale for the second retail measurement partner, with the address as SHA-256.",
    description: "With the partner's bearer token, and an `Idempotency-Key` of the event.",
    body: RetailRecord,
    answer: null,
  },
} as const;

type ToContent = (schema: z.ZodType) => object;

export function describeWebhooks(toContent: ToContent): Record<string, object> {
  const topics: [name: string, path: string, body: z.ZodType][] = [
    ...WEBHOOK_TOPICS.map(({ name, slug }): [string, string, z.ZodType] => [
      name,
      `/webhooks/${slug}`,
      name === "customers/create" || name === "customers/update" ? Customer : AnyPayload,
    ]),
    ...COMPLIANCE_TOPICS.map(({ name, path }): [string, string, z.ZodType] => [
      name,
      path,
      PRIVACY_PAYLOADS[name],
    ]),
  ];
  return {
    ...Object.fromEntries(
      topics.map(([topic, path, body]) => [
        topic,
        {
          post: {
            operationId: `receive${toName(topic)}`,
            tags: [TAG],
            summary: `The storefront's ${topic}, received at ${path}.`,
            security: [{ storefrontSignature: [] }],
            parameters: SIGNED_HEADERS,
            requestBody: toBody(body, toContent),
            responses: {
              200: { description: "Stored; a repetition changes nothing." },
              401: { description: "The signature is missing, doubled or wrong." },
            },
          },
        },
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(SENT).map(([name, { summary, description, body, answer }]) => [
        name,
        {
          post: {
            operationId: `send${toName(name)}`,
            tags: [TAG],
            summary,
            description: `${description} Any other status is retried; in the end it is a dead letter.`,
            security: [],
            requestBody: toBody(body, toContent),
            responses: {
              "2XX": {
                description: "Taken.",
                ...(answer && { content: { "application/json": toContent(answer) } }),
              },
              "4XX": { description: "Refused: tried again, then kept as a dead letter." },
            },
          },
        },
      ]),
    ),
  };
}

const toName = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join("");

const toBody = (schema: z.ZodType, toContent: ToContent) => ({
  content: { "application/json": toContent(schema) },
});

const SIGNED_HEADERS = [
  ["X-Storefront-Shop-Domain", "The store.", "test-store.myshopify.com"],
  ["X-Storefront-Topic", "The topic.", "customers/update"],
  ["X-Storefront-Webhook-Id", "The delivery: a repetition has the same.", "b54557e4-bdd9"],
].map(([name, description, example]) => ({
  name,
  in: "header",
  required: false,
  description: `${description} \`X-Shopify-\` is an alias of the prefix.`,
  schema: { type: "string" },
  example,
}));
