/**
 * Answers the requests to a sandbox. A request to a system is recorded, then meets the planned fault if
 * there is one, then the system itself.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { findSystem, type Systems } from "./create-systems.ts";
import { json, parseBody, readBody, send, text, type Call } from "./exchange.ts";
import type { createFaultBook, SystemName } from "./faults.ts";
import { hasLoopbackHost, isSameSiteOrProgram } from "./loopback-guard.ts";
import type { Observers } from "./observers.ts";
import { answerOwnPage, type OwnPages } from "./own-pages.ts";
import type { createRequestLog, ObservedRequest } from "./request-log.ts";
import { serveWithFault } from "./serve-with-fault.ts";

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** The event stream of the console's pages. */
const EVENTS_PATH = "/_control/events";

export function createListener({
  systems,
  own,
  faults,
  log,
  observers,
  stopped,
}: {
  systems: Systems;
  own: OwnPages;
  faults: ReturnType<typeof createFaultBook>;
  log: ReturnType<typeof createRequestLog>;
  observers: Observers<ObservedRequest>;
  stopped: AbortSignal;
}): Listener {
  return async (request, response) => {
    if (!hasLoopbackHost(request.headers))
      return send(response, text(403, "The sandbox accepts requests to loopback host names only"));
    const asked = new URL(request.url ?? "/", "http://sandbox");
    const bytes = await readBody(request);
    if (bytes === null) return send(response, text(413, "Too large"));
    const found = findSystem(asked.pathname);
    const call = toCall(request, bytes, found?.path ?? asked.pathname, asked.searchParams);
    if (!found && call.path === EVENTS_PATH && call.method === "GET")
      return isSameSiteOrProgram(request.headers)
        ? own.live.open(response)
        : send(response, text(403, "Only the console's own pages may listen"));
    if (!found) return send(response, await answerOwnPage(own, call));

    const { system } = found;
    const { method, headers, body } = call;
    const received = { method, path: call.path + asked.search, headers, body, at: new Date() };
    log.record(system, received);
    observe(observers, system, received, response);
    const fault = faults.take(system, received.path);
    const { handle } = systems[system];
    await serveWithFault(fault, { call, handle, response, stopped });
  };
}

/** Answers 500 with the stack to a request whose listener throws. */
export function reportingErrors(listener: Listener) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    listener(request, response).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) return;
      const message = error instanceof Error ? error.stack : String(error);
      send(response, json(500, { error: "sandbox_failure", message }));
    });
  };
}

function toCall(
  request: IncomingMessage,
  bytes: Buffer,
  path: string,
  query: URLSearchParams,
): Call {
  const body = bytes.toString("utf8");
  return {
    method: request.method ?? "GET",
    path,
    query,
    headers: request.headers,
    address: request.socket.remoteAddress ?? "",
    text: body,
    bytes,
    body: parseBody(body, request.headers["content-type"]),
  };
}

/** Reports the request now and when it is answered. */
function observe(
  observers: Observers<ObservedRequest>,
  system: SystemName,
  request: ObservedRequest["request"],
  response: ServerResponse,
): void {
  const startedAt = performance.now();
  observers.notify({ system, request, isAnswered: false, status: null, ms: 0 });
  response.once("close", () =>
    observers.notify({
      system,
      request,
      isAnswered: true,
      status: response.headersSent ? response.statusCode : null,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
    }),
  );
}
