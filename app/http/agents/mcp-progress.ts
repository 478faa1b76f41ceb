// Progress of a tool call that waits for a slow storefront (MCP "Progress"). Only a client that asked for it
// and takes an event stream gets one; a call that answers at once is one JSON document for everybody.
import { z } from "zod";
import type { ApiRequest } from "../api-request.ts";
import { idOf } from "./json-rpc.ts";

/** The time before the first notification and between two of them. */
const NOTIFY_EVERY_MS = 1_000;

const Asked = z.object({
  params: z.object({
    _meta: z.object({ progressToken: z.union([z.string().max(255), z.int()]) }),
  }),
});

/**
 * Sends a notification each second until the work is done. The stream ends with it, and the work ends by
 * the storefront's time limits.
 */
export async function withProgress<T>(
  request: ApiRequest,
  message: unknown,
  work: () => Promise<T>,
): Promise<T> {
  const { events } = request;
  const asked = Asked.safeParse(message);
  const takesEvents = /\btext\/event-stream\b/i.test(request.header("accept") ?? "");
  const id = idOf(message);
  if (!events || !asked.success || !takesEvents || id === null) return work();
  const { progressToken } = asked.data.params._meta;
  events.answersTo = id;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    events.send({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken, progress, message: "Waiting for the store." },
    });
  }, NOTIFY_EVERY_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
