/** Runs a system's handler, applying one planned failure if there is one. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { json, send, type ApiResponse, type Call, type Handler } from "./exchange.ts";
import type { Fault } from "./faults.ts";

type Exchange = { call: Call; handle: Handler; response: ServerResponse; stopped: AbortSignal };

const GARBAGE: ApiResponse = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: '{"data":{"id":"12',
};

export async function serveWithFault(
  fault: Fault | undefined,
  { call, handle, response, stopped }: Exchange,
): Promise<void> {
  const work = () => handle(call);
  if (!fault) return send(response, await work());
  const spoilt = spoiltReply(fault, call);
  if (spoilt) return send(response, spoilt);

  if ("reset" in fault) {
    response.socket?.resetAndDestroy();
    return;
  }
  if ("hang" in fault) {
    await waitUnlessStopped(fault.hang, stopped);
    response.destroy();
    return;
  }
  if ("dropReply" in fault) {
    await work();
    response.destroy();
    return;
  }
  if ("delayMs" in fault) {
    await waitUnlessStopped(fault.delayMs, stopped);
    if (!stopped.aborted) send(response, await work());
    return;
  }
  const reply = await work();
  if ("delayReplyMs" in fault) await waitUnlessStopped(fault.delayReplyMs, stopped);
  if ("replyAfter" in fault) await Promise.race([fault.replyAfter, once(stopped, "abort")]);
  if (!stopped.aborted) send(response, reply);
}

/** What is sent instead of the system's own answer, whose work is not done; null: another fault. */
function spoiltReply(fault: Fault, call: Call): ApiResponse | null {
  if ("garbage" in fault) return GARBAGE;
  if ("echoes" in fault) {
    const { path, query, headers, text } = call;
    return json(fault.echoes, { message: `refused: ${path}?${query}`, headers, body: text });
  }
  if (!("status" in fault)) return null;
  const isText = typeof fault.body === "string";
  const body = isText || fault.body === undefined ? fault.body : JSON.stringify(fault.body);
  const headers = {
    "content-type": isText ? "text/plain" : "application/json",
    ...fault.headers,
  };
  return {
    status: fault.status,
    headers,
    ...(body !== undefined && { body: body as string }),
  };
}

function waitUnlessStopped(ms: number, stopped: AbortSignal): Promise<void> {
  // A timer takes 31 bits; anything longer (Infinity) would fire at once.
  return wait(Math.min(ms, 2_147_483_647), undefined, { signal: stopped }).catch(() => undefined);
}
