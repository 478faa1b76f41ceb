/** Runs a system's handler, applying one planned failure if there is one. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { json, send, type Call, type Handler } from "./exchange.ts";
import type { Fault } from "./faults.ts";

export async function serveWithFault(
  fault: Fault | undefined,
  call: Call,
  handle: Handler,
  response: ServerResponse,
  stopped: AbortSignal,
): Promise<void> {
  const work = () => handle(call);
  if (!fault) return send(response, await work());
  if ("status" in fault) {
    const body =
      fault.body === undefined || typeof fault.body === "string"
        ? fault.body
        : JSON.stringify(fault.body);
    const headers = {
      "content-type": typeof fault.body === "string" ? "text/plain" : "application/json",
      ...fault.headers,
    };
    return send(response, { status: fault.status, headers, ...(body !== undefined && { body }) });
  }
  if ("hang" in fault) {
    await waitUnlessStopped(fault.hang, stopped);
    response.destroy();
    return;
  }
  if ("reset" in fault) {
    response.socket?.resetAndDestroy();
    return;
  }
  if ("dropReply" in fault) {
    await work();
    response.destroy();
    return;
  }
  if ("echoes" in fault) {
    const { path, query, headers, text } = call;
    return send(
      response,
      json(fault.echoes, { message: `refused: ${path}?${query}`, headers, body: text }),
    );
  }
  if ("garbage" in fault)
    return send(response, {
      status: 200,
      headers: { "content-type": "application/json" },
      body: '{"data":{"id":"12',
    });
  if ("delayReplyMs" in fault) {
    const reply = await work();
    await waitUnlessStopped(fault.delayReplyMs, stopped);
    if (!stopped.aborted) send(response, reply);
    return;
  }
  if ("replyAfter" in fault) {
    const reply = await work();
    await Promise.race([fault.replyAfter, once(stopped, "abort")]);
    if (!stopped.aborted) send(response, reply);
    return;
  }
  await waitUnlessStopped(fault.delayMs, stopped);
  if (!stopped.aborted) send(response, await work());
}

function waitUnlessStopped(ms: number, stopped: AbortSignal): Promise<void> {
  // A timer takes 31 bits; anything longer (Infinity) would fire at once.
  return wait(Math.min(ms, 2_147_483_647), undefined, { signal: stopped }).catch(() => undefined);
}
