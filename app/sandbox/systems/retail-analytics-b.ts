/**
 * The sandbox retail analytics partner: accepts JSON at any path with a Bearer or Basic credential.
 */
import { json } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { Saving } from "../state-file.ts";

export type RetailRecord = { at: string; path: string; body: unknown };
export type RetailState = { records: RetailRecord[] };

const MAX_KEPT_RECORDS = 2000;

export function createRetailAnalyticsB(state: RetailState, saving: Saving) {
  return {
    handle(call: Call): ApiResponse {
      if (!/^(Basic|Bearer) \S+$/.test(call.headers.authorization ?? ""))
        return json(401, { error: "unauthorized" });
      if (call.method !== "POST" && call.method !== "PUT")
        return json(405, { error: "method_not_allowed" });
      if (!/json/i.test(call.headers["content-type"] ?? ""))
        return json(415, { error: "unsupported_media_type" });
      if (typeof call.body !== "object") return json(400, { error: "malformed_json" });
      state.records.push({ at: new Date().toISOString(), path: call.path, body: call.body });
      if (state.records.length > MAX_KEPT_RECORDS) state.records.shift();
      saving.soon();
      return json(200, { accepted: true });
    },
    records: (): RetailRecord[] => [...state.records],
  };
}
