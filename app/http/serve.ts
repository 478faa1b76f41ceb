// The request listener: endpoints first, straight on node:http (Remix compiles its whole route table at every request);
// everything else is a screen. docs/decisions/002-endpoints-before-remix.md
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Ctx } from "../context.server.ts";
import { AppError, isAppError, toErrorBody } from "../runtime/errors.ts";
import { guardReply } from "./address-guard.ts";
import { hasProxyMarks } from "./app-proxy.ts";
import { fromNode } from "./inbound.ts";
import { observeRequest } from "./metrics.ts";
import { encodedBody, json, type Reply } from "./reply.ts";
import { isApiPath, type Match, type RouteTable } from "./route-table.ts";

export type Screens = { handle(request: IncomingMessage, response: ServerResponse): void };

export function createListener(options: {
  ctx: Ctx;
  routes: RouteTable;
  screens: Screens;
}): RequestListener {
  const { ctx, routes, screens } = options;
  return (request, response) => {
    const [path, query] = splitOnce(request.url ?? "/");
    const match = routes.match(path);
    // Nothing but the proxied addresses answers what the storefront's app proxy passes on: not even with a page.
    const isStray =
      query !== undefined && !match?.isProxied && hasProxyMarks(new URLSearchParams(query));
    const found = isStray ? null : match;
    if (!found && !isStray && !isApiPath(path)) {
      response.setHeader("X-Request-Id", ctx.random.uuid());
      return screens.handle(request, response);
    }
    const started = performance.now();
    answer(ctx, request, found)
      .catch((error: unknown) => toRefusal(ctx, error))
      .then(
        (reply) => {
          write(request, response, reply);
          observeRequest(
            request.method ?? "GET",
            found?.path ?? "unknown",
            reply.status,
            (performance.now() - started) / 1_000,
          );
        },
        (error: unknown) => {
          ctx.log.failed("request.unanswered", error);
          response.destroy();
        },
      );
  };
}

async function answer(ctx: Ctx, request: IncomingMessage, found: Match | null): Promise<Reply> {
  const inbound = fromNode(request);
  if (!found) throw new AppError("not_found");
  return guardReply(ctx, inbound.url, await found.endpoint.respond(ctx, inbound, found.params));
}

/** The path, and the query where there is one. */
function splitOnce(target: string): [path: string, query?: string] {
  const at = target.indexOf("?");
  return at < 0 ? [target] : [target.slice(0, at), target.slice(at + 1)];
}

/** For what fails before an endpoint can answer by itself. */
function toRefusal(ctx: Ctx, error: unknown): Reply {
  const requestId = ctx.random.uuid();
  if (!isAppError(error)) ctx.log.failed("request.failed", error, { request_id: requestId });
  const shown = isAppError(error) ? error : new AppError("internal_error");
  return json(shown.status, toErrorBody(shown, requestId), {
    ...shown.headers,
    "X-Request-Id": requestId,
    "X-Content-Type-Options": "nosniff",
  });
}

function write(request: IncomingMessage, response: ServerResponse, reply: Reply): void {
  // The caller hung up: there is nobody to answer.
  if (response.destroyed) return;
  const body = encodedBody(reply) ?? "";
  response.writeHead(reply.status, {
    ...reply.headers,
    ...(reply.status !== 204 &&
      reply.status !== 304 && { "Content-Length": Buffer.byteLength(body) }),
  });
  // A text leaves in one piece with the headers; as bytes it would be a piece of its own.
  response.end(request.method === "HEAD" ? undefined : body);
}
