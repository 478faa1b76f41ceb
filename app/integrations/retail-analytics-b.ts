// The client of the second retail measurement partner: JSON over https with a bearer token.
import type { Outbound, OutboundAnswer } from "../runtime/outbound/outbound.ts";

export type RetailAnalyticsBClient = {
  /**
   * POSTs one record to the store's configured URL; private addresses are refused. Repeating it
   * with the same `idempotencyKey` records it once. Throws an OutboundError: `status` for any
   * status but 2xx, `timeout` after 15 s, `network`, `refused_address`.
   */
  post(
    access: {
      url: string;
      token?: string | undefined;
      idempotencyKey: string;
      about?: Record<string, unknown>;
    },
    record: object,
  ): Promise<OutboundAnswer>;
};

/** The URL and token come with each call: they are the tenant's. */
export function createRetailAnalyticsBClient({
  outbound,
}: {
  outbound: Outbound;
}): RetailAnalyticsBClient {
  return {
    post: ({ url, token, idempotencyKey, about }, record) =>
      outbound.call({
        system: "retail_analytics_b",
        url,
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "Idempotency-Key": idempotencyKey,
          ...(token && { Authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(record),
        isTenantAddress: true,
        ...(about && { about }),
      }),
  };
}
