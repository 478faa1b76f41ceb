import { z } from "zod";
import { endpoint, json } from "../http/endpoint.ts";
import { receiveStorefrontWebhook } from "../http/auth/storefront-webhook.ts";
import { Ok } from "../http/openapi/results/outcome.ts";

export const { loader, action, route } = endpoint({
  POST: {
    summary: "A storefront webhook, one path per topic: stored, then answered, then worked.",
    auth: "hmac",
    tenant: "registered",
    allowsCachedTenant: true,
    answers: {
      200: "Stored; a repetition changes nothing.",
      401: "The signature is missing, doubled or wrong.",
    },
    result: Ok.extend({ deduplicated: z.literal(true).optional() }),
    handle: async (call) => json(200, await receiveStorefrontWebhook(call)),
  },
});
