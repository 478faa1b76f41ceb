// Retail measurement B takes JSON over https, with a bearer token.
import type { Outbound, OutboundAnswer } from "../runtime/outbound.ts";

export type RetailAnalyticsBClient = {
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
