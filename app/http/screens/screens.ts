// Serves the built assets, then Remix. The heavy modules are loaded when screens are created, so a
// process without screens never loads them.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Ctx } from "../../context.server.ts";
import { AppError, isAppError, toErrorBody } from "../../runtime/errors.ts";
import { toDatabaseError } from "../error-response.ts";
import { guardApiResponse, guardResponse } from "../address-guard.ts";
import { isGated, passGate } from "./admin-gate.ts";
import type { AdminAddresses } from "../../shopify.server.ts";
import { fromNode, type ApiRequest } from "../api-request.ts";
import { isApiResponse } from "../api-response.ts";
import { openBuild, openDevelopment } from "./screen-source.ts";
import { toWebRequest, toWebResponse } from "./web-request.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const ALLOW = METHODS.join(", ");

export type Screens = {
  handle(incoming: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
};

export async function createScreens(options: {
  ctx: Ctx;
  root: string;
  /**
   * This process's server: in development it also carries the reload messages, so that one tunnel
   * is enough.
   */
  server?: Server;
  /** The sandbox's admin in place of the platform's. */
  admin?: AdminAddresses;
}): Promise<Screens> {
  const { ctx } = options;
  const { createRequestHandler } = await import("@remix-run/node");
  const { createHeaders, sendResponse } = await import("@remix-run/node-fetch-server");
  const { createShopify } = await import("../../shopify.server.ts");
  const shopify = createShopify(ctx, options.admin);
  const source = ctx.config.isDevelopment
    ? await openDevelopment(ctx, options.root, options.server)
    : await openBuild(ctx, options.root);
  const answer = createRequestHandler(
    source.build,
    ctx.config.isDevelopment ? "development" : "production",
  );
  const { origin } = new URL(ctx.baseUrl);

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = ctx.random.uuid();
    const started = performance.now();
    const left = new AbortController();
    response.once("close", () => left.abort());
    const reply = await toResponse(incoming, requestId, left.signal);
    if (response.destroyed) return;
    // The headers of a Response.redirect are immutable, those of a copy are not.
    const sent = new Response(reply.body, reply);
    sent.headers.set("X-Request-Id", requestId);
    sent.headers.set("X-Content-Type-Options", "nosniff");
    await sendResponse(response, sent);
    ctx.log.info("screen.served", {
      request_id: requestId,
      method: incoming.method,
      path: (incoming.url ?? "/").replace(/\?.*$/s, ""),
      status: sent.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    });
  }

  async function toResponse(
    incoming: IncomingMessage,
    requestId: string,
    signal: AbortSignal,
  ): Promise<Response> {
    try {
      const request = readInbound(incoming);
      const gate = isGated(request) ? await passGate(ctx, request) : null;
      if (isApiResponse(gate))
        return toWebResponse(incoming, guardApiResponse(ctx, request.url, gate));
      const context = { ctx, shopify, gate, requestId, failure: null };
      const headers = createHeaders(incoming);
      const asked = await toWebRequest(request, { origin, headers, signal });
      const answered = await answer(asked, context);
      const response = guardResponse(
        ctx,
        request.url,
        withDatabaseStatus(answered, context.failure),
      );
      return isGated(request) ? withoutCache(response) : response;
    } catch (error) {
      if (!isAppError(error) && !signal.aborted)
        ctx.log.error("screen.failed", error, { request_id: requestId });
      return toErrorResponse(error, requestId);
    }
  }

  function readInbound(incoming: IncomingMessage): ApiRequest {
    if (!METHODS.includes(incoming.method ?? "GET"))
      throw new AppError("method_not_allowed", { headers: { Allow: ALLOW } });
    return fromNode(incoming, ctx.config.TRUST_PROXY_HOPS);
  }

  return {
    handle(incoming, response) {
      // Remix would run a page's loader for this method.
      if (incoming.method === "OPTIONS")
        return void response.writeHead(204, { Allow: ALLOW }).end();
      const next = () =>
        void respond(incoming, response).catch((error: unknown) => {
          if (!response.destroyed) ctx.log.error("screen.failed", error);
          response.destroy();
        });
      if (incoming.method !== "GET" && incoming.method !== "HEAD") return next();
      source.serveFile(incoming, response, next);
    },
    close: () => source.close(),
  };
}

/** Remix answers every failure with 500. */
function withDatabaseStatus(response: Response, failure: unknown): Response {
  const shown = response.status === 500 ? toDatabaseError(failure) : null;
  if (!shown) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(shown.headers)) headers.set(name, value);
  return new Response(response.body, { status: shown.status, headers });
}

function toErrorResponse(error: unknown, requestId: string): Response {
  const shown = isAppError(error)
    ? error
    : (toDatabaseError(error) ?? new AppError("internal_error"));
  const { status, headers } = shown;
  return Response.json(toErrorBody(shown, requestId), { status, headers });
}

function withoutCache(response: Response): Response {
  const copy = new Response(response.body, response);
  copy.headers.set("Cache-Control", "no-store");
  return copy;
}

declare module "@remix-run/node" {
  interface AppLoadContext {
    /** The error that no screen expected. */
    failure: unknown;
  }
}
