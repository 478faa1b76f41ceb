// Web analytics (Google Analytics 4 Measurement Protocol). A bad hit is answered 2xx like a good one, so the limits of
// the product are kept before sending: see domain/channels/analytics-limits.ts.
import { parseAnswer, type Outbound, type OutboundAnswer } from "../runtime/outbound.ts";

const SYSTEM = "web_analytics";

export type AnalyticsHit = {
  client_id: string;
  user_id?: string;
  timestamp_micros?: number;
  consent: { ad_user_data: "GRANTED" | "DENIED"; ad_personalization: "GRANTED" | "DENIED" };
  user_properties?: Record<string, { value: string }>;
  events: { name: string; params: Record<string, string | number> }[];
};

type Access = { measurementId: string; apiSecret: string; about?: Record<string, unknown> };

export type WebAnalyticsClient = {
  collect(access: Access, hit: AnalyticsHit): Promise<OutboundAnswer>;
  /** Asks the product's validator what it thinks of a hit, which is not counted. Secret and stream are not judged by it. */
  validate(access: Access, hit: AnalyticsHit): Promise<{ status: number; problems: string[] }>;
};

export function createWebAnalyticsClient({
  outbound,
  apiUrl,
}: {
  outbound: Outbound;
  apiUrl: string;
}): WebAnalyticsClient {
  const post = (path: string, { measurementId, apiSecret, about }: Access, hit: AnalyticsHit) =>
    outbound.call({
      system: SYSTEM,
      url: `${apiUrl}${path}?${new URLSearchParams({ measurement_id: measurementId, api_secret: apiSecret })}`,
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(hit),
      ...(about && { about }),
    });
  return {
    collect: (access, hit) => post("/mp/collect", access, hit),
    async validate(access, hit) {
      const answer = await post("/debug/mp/collect", access, hit);
      const { validationMessages = [] } = parseAnswer<{
        validationMessages?: { description?: string }[];
      }>(SYSTEM, answer);
      return {
        status: answer.status,
        problems: validationMessages.map(
          ({ description }) => description ?? "refused without a reason",
        ),
      };
    },
  };
}
