/** The calls that publish items and so make them readable on the web. */
import type { CmsItem } from "./state.ts";
import { fieldsOf } from "../exchange.ts";
import type { ApiResponse, Call } from "../exchange.ts";

type CmsLiveCall = { method: string; path: string; itemIds: string[]; at: string };

export type LiveCalls = {
  /** Gives back the reply. */
  record(call: Call, reply: ApiResponse): ApiResponse;
  all(): CmsLiveCall[];
};

export function createLiveCalls(): LiveCalls {
  const calls: CmsLiveCall[] = [];
  return {
    record(call, reply) {
      calls.push({
        method: call.method,
        path: call.path,
        itemIds: itemIdsOf(reply),
        at: new Date().toISOString(),
      });
      return reply;
    },
    all: () => [...calls],
  };
}

function itemIdsOf(reply: ApiResponse): string[] {
  const answered = fieldsOf(reply.body ? JSON.parse(String(reply.body)) : {});
  const ids = Array.isArray(answered["items"])
    ? (answered["items"] as CmsItem[]).map(({ id }) => id)
    : [answered["id"]];
  return ids.filter((id) => typeof id === "string");
}
