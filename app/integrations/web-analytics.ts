// Web analytics (Google Analytics 4 Measurement Protocol). The product answers an invalid hit with
// 2xx too, so its limits are checked before sending: domain/channels/web-analytics/limits.ts.
import { parseAnswer } from "../runtime/outbound/answers.ts";
import type { Outbound, OutboundAnswer } from "../runtime/outbound/outbound.ts";

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

/**
 * Both methods throw an OutboundError of system `web_analytics`: `status`, `timeout` after 15 s, or
 * `network`.
 */
export type WebAnalyticsClient = {
  /** POST /mp/collect: one hit. A 2xx says that it was received, not that it was valid. */
  collect(access: Access, hit: AnalyticsHit): Promise<OutboundAnswer>;
  /**
   * POST /debug/mp/collect: returns the validator's messages; the hit is not counted. The validator
   * checks neither the API secret nor the measurement id. Throws `malformed` when the response is
   * not JSON.
   */
  validate(access: Access, hit: AnalyticsHit): Promise<{ status: number; problems: string[] }>;
};

/** `apiUrl` has no trailing slash: https://www.google-analytics.com, or the sandbox. */
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
          ({ description }) => description ?? "rejected without a description",
        ),
      };
    },
  };
}
