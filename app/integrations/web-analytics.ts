// Web analytics (Google Analytics 4 Measurement Protocol). A bad hit is answered 2xx like a good one, so the limits of
// the product are kept before sending: see domain/channels/analytics-limits.ts.
import type { Outbound, OutboundAnswer } from "../runtime/outbound.ts";

export type AnalyticsHit = {
  client_id: string;
  user_id?: string;
  timestamp_micros?: number;
  consent: { ad_user_data: "GRANTED" | "DENIED"; ad_personalization: "GRANTED" | "DENIED" };
  user_properties?: Record<string, { value: string }>;
  events: { name: string; params: Record<string, string | number> }[];
};

export type WebAnalyticsClient = {
  collect(access: { measurementId: string; apiSecret: string; about?: Record<string, unknown> }, hit: AnalyticsHit): Promise<OutboundAnswer>;
};

export function createWebAnalyticsClient({ outbound, apiUrl }: { outbound: Outbound; apiUrl: string }): WebAnalyticsClient {
  return {
    collect: ({ measurementId, apiSecret, about }, hit) =>
      outbound.call({
        system: "web_analytics",
        url: `${apiUrl}/mp/collect?${new URLSearchParams({ measurement_id: measurementId, api_secret: apiSecret })}`,
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(hit),
        ...(about && { about }),
      }),
  };
}
