/**
 * The sandbox drop of the retail measurement partner: an object store that accepts a PUT at any
 * path.
 */
import { json, text } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import type { Saving } from "../state-file.ts";

export type DroppedObject = { at: string; contentType: string; body: string };
/** By path; a later object replaces an earlier one. */
export type DropState = { objects: Record<string, DroppedObject> };

const MAX_KEPT_OBJECTS = 2000;

export function createRetailAnalyticsA(state: DropState, saving: Saving) {
  return {
    handle(call: Call): ApiResponse {
      const found = state.objects[call.path];
      if (call.method === "GET")
        return found
          ? { status: 200, headers: { "content-type": found.contentType }, body: found.body }
          : text(404, "No such object");
      if (call.method !== "PUT") return json(405, { error: "method_not_allowed" });
      delete state.objects[call.path];
      state.objects[call.path] = {
        at: new Date().toISOString(),
        contentType: call.headers["content-type"] ?? "",
        body: call.text,
      };
      const [oldest] = Object.keys(state.objects);
      if (oldest !== undefined && Object.keys(state.objects).length > MAX_KEPT_OBJECTS)
        delete state.objects[oldest];
      saving.soon();
      return text(200, "", { etag: '"sandbox"' });
    },
    objects: (): Record<string, DroppedObject> => ({ ...state.objects }),
  };
}
