// The request listener: endpoints first, directly on node:http (Remix compiles its whole route
// table on every request); all other requests are screens. docs/decisions/002-endpoints-before-remix.md
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Ctx } from "../context.server.ts";
import { AppError, isAppError, toErrorBody } from "../runtime/errors.ts";
import { inSpan, SpanKind } from "../runtime/telemetry/tracing.ts";
import { createEventStream, type EventStream } from "./event-stream.ts";
import { guardApiResponse } from "./address-guard.ts";
import { hasProxyMarks } from "./auth/app-proxy.ts";
import { fromNode } from "./api-request.ts";
import { observeRequest } from "./metrics-endpoint.ts";
import { encodedBody, json, transportHeaders, type ApiResponse } from "./api-response.ts";
import { isApiPath, withGidAsSegment, type Match, type RouteTable } from "./route-table.ts";

export type Screens = { handle(incoming: IncomingMessage, response: ServerResponse): void };

export function createListener(options: {
  ctx: Ctx;
  routes: RouteTable;
  screens: Screens;
}): RequestListener {
  const { ctx, routes, screens } = options;
  return (incoming, response) => {
    incoming.url = withGidAsSegment(incoming.url ?? "/");
    const [path, query] = splitOnce(incoming.url);
    const match = routes.match(path);
    // Only proxied paths respond to requests through the storefront's app proxy; there are no pages.
    const isStray =
      query !== undefined && !match?.isProxied && hasProxyMarks(new URLSearchParams(query));
    const found = isStray ? null : match;
    if (!found && !isStray && !isApiPath(path)) {
      response.setHeader("X-Request-Id", ctx.random.uuid());
      for (const [name, value] of Object.entries(transportHeaders(ctx)))
        response.setHeader(name, value);
      return screens.handle(incoming, response);
    }
    const started = performance.now();
    const events = createEventStream(response);
    const route = found?.path ?? "unknown";
    inSpan(
      `${incoming.method} ${route}`,
      {
        kind: SpanKind.SERVER,
        parent: (incoming.headers.traceparent as string | undefined) ?? null,
        attributes: { "http.request.method": incoming.method ?? "GET", "http.route": route },
      },
      async (span) => {
        const reply = await answer(ctx, incoming, found, events).catch((error: unknown) =>
          toRefusal(ctx, error),
        );
        span?.setAttribute("http.response.status_code", reply.status);
        return reply;
      },
    ).then(
      (reply) => {
        write(incoming, response, reply, events);
        observeRequest(
          incoming.method ?? "GET",
          route,
          reply.status,
          (performance.now() - started) / 1_000,
        );
      },
      (error: unknown) => {
        ctx.log.error("request.unanswered", error);
        response.destroy();
      },
    );
  };
}

async function answer(
  ctx: Ctx,
  incoming: IncomingMessage,
  found: Match | null,
  events: EventStream,
): Promise<ApiResponse> {
  const request = fromNode(incoming, ctx.config.TRUST_PROXY_HOPS, events);
  if (!found) throw new AppError("not_found");
  return guardApiResponse(
    ctx,
    request.url,
    await found.endpoint.respond(ctx, request, found.params),
  );
}

/** The path, and the query where there is one. */
function splitOnce(target: string): [path: string, query?: string] {
  const at = target.indexOf("?");
  return at < 0 ? [target] : [target.slice(0, at), target.slice(at + 1)];
}

/** The response to an error that happens before an endpoint can respond. */
function toRefusal(ctx: Ctx, error: unknown): ApiResponse {
  const requestId = ctx.random.uuid();
  if (!isAppError(error)) ctx.log.error("request.failed", error, { request_id: requestId });
  const shown = isAppError(error) ? error : new AppError("internal_error");
  return json(shown.status, toErrorBody(shown, requestId), {
    ...shown.headers,
    ...transportHeaders(ctx),
    "X-Request-Id": requestId,
    "X-Content-Type-Options": "nosniff",
  });
}

function write(
  incoming: IncomingMessage,
  response: ServerResponse,
  reply: ApiResponse,
  events: EventStream,
): void {
  // The client disconnected, so no response is sent.
  if (response.destroyed) return;
  if (events.isOpen) return events.end(String(reply.body ?? ""));
  const body = encodedBody(reply) ?? "";
  response.writeHead(reply.status, {
    ...reply.headers,
    ...(reply.status !== 204 &&
      reply.status !== 304 && { "Content-Length": Buffer.byteLength(body) }),
  });
  // A text is sent in one chunk with the headers; bytes would be a second chunk.
  response.end(incoming.method === "HEAD" ? undefined : body);
}
