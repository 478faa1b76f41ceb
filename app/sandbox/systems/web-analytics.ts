/**
 * The sandbox analytics product (GA4 Measurement Protocol). Like the real one it answers every hit
 * with 204; the violations are stored beside the hit.
 */
import { json, text } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import { findViolations } from "./web-analytics-limits.ts";
import type { AnalyticsViolation } from "./web-analytics-limits.ts";
import type { Saving } from "../state-file.ts";

export type AnalyticsHit = {
  at: string;
  measurementId: string | null;
  apiSecret: string | null;
  body: unknown;
  violations: AnalyticsViolation[];
};
export type AnalyticsState = { hits: AnalyticsHit[] };

const MAX_KEPT_HITS = 2000;

export function createWebAnalytics(state: AnalyticsState, saving: Saving) {
  return {
    handle(call: Call): ApiResponse {
      if (call.method !== "POST") return text(405, "");
      const violations = findViolations(call.body, call.text, call.query);
      if (call.path === "/debug/mp/collect")
        return json(200, {
          validationMessages: violations.filter(
            ({ validationCode }) => validationCode !== "PERSONAL_DATA",
          ),
        });
      if (call.path !== "/mp/collect") return text(404, "");
      state.hits.push({
        at: new Date().toISOString(),
        measurementId: call.query.get("measurement_id"),
        apiSecret: call.query.get("api_secret"),
        body: call.body,
        violations,
      });
      if (state.hits.length > MAX_KEPT_HITS)
        state.hits.splice(0, state.hits.length - MAX_KEPT_HITS);
      saving.soon();
      return { status: 204 };
    },
    hits: (): AnalyticsHit[] => [...state.hits],
    violations: (): AnalyticsViolation[] => state.hits.flatMap(({ violations }) => violations),
  };
}
