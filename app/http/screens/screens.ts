// Serves the built assets, then Remix. The heavy modules are loaded when screens are created, so a
// process without screens never loads them.
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServerBuild } from "@remix-run/node";
import type { Ctx } from "../../context.server.ts";
import { MAX_LOGO_BYTES } from "../../domain/tenants/storefront/logo-upload.ts";
import { AppError, isAppError, toErrorBody } from "../../runtime/errors.ts";
import { toDatabaseError } from "../error-response.ts";
import { guardReply, guardResponse } from "../address-guard.ts";
import { isGated, passGate } from "./admin-gate.ts";
import { serveBuiltFiles, type ServeFile } from "./built-files.ts";
import type { AdminAddresses } from "../../shopify.server.ts";
import { fromNode, type ApiRequest } from "../api-request.ts";
import { isReply, type ApiResponse } from "../api-response.ts";

const MAX_BODY_BYTES = 1024 * 1024;
/** The logo, and the form around it. */
const MAX_UPLOAD_BYTES = MAX_LOGO_BYTES + 64 * 1024;
const isUpload = (path: string): boolean => /^\/app\/settings\/logo(\.data)?$/.test(path);
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const ALLOW = METHODS.join(", ");

export type Screens = {
  handle(incoming: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
};

type Source = {
  build: ServerBuild | (() => Promise<ServerBuild>);
  /** Serves files, passes on other requests. */
  serveFile: ServeFile;
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
  /** Not the platform's own: the sandbox's. */
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
    const path = (incoming.url ?? "/").replace(/\?.*$/s, "");
    ctx.log.info("screen.served", {
      request_id: requestId,
      method: incoming.method,
      path,
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
      if (isReply(gate)) return toWeb(incoming, guardReply(ctx, request.url, gate));
      const context = { ctx, shopify, gate, requestId, failure: null };
      const answered = await answer(await toRequest(incoming, request, signal), context);
      const response = guardResponse(
        ctx,
        request.url,
        withDatabaseStatus(answered, context.failure),
      );
      return isGated(request) ? withoutCache(response) : response;
    } catch (error) {
      if (!isAppError(error) && !signal.aborted)
        ctx.log.error("screen.failed", error, { request_id: requestId });
      const shown = isAppError(error)
        ? error
        : (toDatabaseError(error) ?? new AppError("internal_error"));
      return Response.json(toErrorBody(shown, requestId), {
        status: shown.status,
        headers: shown.headers,
      });
    }
  }

  function readInbound(incoming: IncomingMessage): ApiRequest {
    if (!METHODS.includes(incoming.method ?? "GET"))
      throw new AppError("method_not_allowed", { headers: { Allow: ALLOW } });
    return fromNode(incoming, ctx.config.TRUST_PROXY_HOPS);
  }

  async function toRequest(
    incoming: IncomingMessage,
    request: ApiRequest,
    signal: AbortSignal,
  ): Promise<Request> {
    const { method } = request;
    // The public URL is the configured one; the request's Host header does not count.
    const url = origin + request.url.pathname + withoutUnread(request.url);
    if (method === "GET" || method === "HEAD" || method === "OPTIONS")
      return new Request(url, { method, headers: createHeaders(incoming), signal });
    const maxBytes = isUpload(request.url.pathname) ? MAX_UPLOAD_BYTES : MAX_BODY_BYTES;
    const body = new Uint8Array(await request.readBody(maxBytes));
    return new Request(url, { method, headers: createHeaders(incoming), body, signal });
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

/**
 * Pages authenticate by the session token; without the launch's signature no page can write it anywhere.
 * `_data` is Remix's name for a data request of before `.data`, which it reports as an error of ours.
 */
const UNREAD = ["hmac", "_data"];

function withoutUnread({ search, searchParams }: URL): string {
  if (!UNREAD.some((name) => searchParams.has(name))) return search;
  const query = new URLSearchParams(searchParams);
  for (const name of UNREAD) query.delete(name);
  return `?${query}`;
}

/** Remix answers every failure with 500. */
function withDatabaseStatus(response: Response, failure: unknown): Response {
  const shown = response.status === 500 ? toDatabaseError(failure) : null;
  if (!shown) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(shown.headers)) headers.set(name, value);
  return new Response(response.body, { status: shown.status, headers });
}

function withoutCache(response: Response): Response {
  const copy = new Response(response.body, response);
  copy.headers.set("Cache-Control", "no-store");
  return copy;
}

function toWeb(incoming: IncomingMessage, { status, headers, body }: ApiResponse): Response {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value].flat()) sent.append(name, one);
  return new Response(
    incoming.method === "HEAD" || body === undefined ? null : new Uint8Array(Buffer.from(body)),
    { status, headers: sent },
  );
}

async function openBuild(ctx: Ctx, root: string): Promise<Source> {
  return {
    build: (await import(pathToFileURL(join(root, "build/server/index.js")).href)) as ServerBuild,
    serveFile: await serveBuiltFiles(join(root, "build/client"), (error) =>
      ctx.log.error("screen.file_unreadable", error),
    ),
    close: () => Promise.resolve(),
  };
}

async function openDevelopment(ctx: Ctx, root: string, server?: Server): Promise<Source> {
  const { createServer } = await import("vite");
  const vite = await createServer({
    root,
    server: {
      middlewareMode: true,
      allowedHosts: [new URL(ctx.baseUrl).hostname],
      ...(server && { hmr: { server } }),
    },
    appType: "custom",
  });
  return {
    build: () => vite.ssrLoadModule("virtual:remix/server-build") as Promise<ServerBuild>,
    serveFile: (incoming, response, next) => vite.middlewares(incoming, response, next),
    close: () => vite.close(),
  };
}

declare module "@remix-run/node" {
  interface AppLoadContext {
    /** The error that no screen expected. */
    failure: unknown;
  }
}
