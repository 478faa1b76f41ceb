/**
 * Calls of the REST Admin API: a bucket of 40 for each store, which leaks 2 a second (shopify.dev "REST Admin API
 * rate limits").
 */
import { json, type ApiResponse } from "../exchange.ts";

const SIZE = 40;
const LEAKS_PER_SECOND = 2;

export function createRestLimits() {
  const buckets = new Map<string, { filled: number; at: number }>();
  return {
    /** The answer to a call beyond the limit; else the header of the call's own answer. */
    take(domain: string): { refused: ApiResponse } | { headers: Record<string, string> } {
      const now = Date.now();
      const bucket = buckets.get(domain) ?? { filled: 0, at: now };
      const leaked = ((now - bucket.at) / 1_000) * LEAKS_PER_SECOND;
      const filled = Math.max(0, bucket.filled - leaked) + 1;
      const isFull = filled > SIZE;
      buckets.set(domain, { filled: isFull ? filled - 1 : filled, at: now });
      const headers = {
        "x-shopify-shop-api-call-limit": `${Math.min(SIZE, Math.ceil(filled))}/${SIZE}`,
      };
      if (!isFull) return { headers };
      const errors = `Exceeded ${LEAKS_PER_SECOND} calls per second for api client. Reduce request rates to resume uninterrupted service.`;
      return { refused: json(429, { errors }, { ...headers, "retry-after": "2.0" }) };
    },
  };
}
