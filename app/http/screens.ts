// Serves what people look at: the built assets, then Remix. Everything heavy is loaded when screens are made, so a process
// without them never pays for it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ServerBuild } from "@remix-run/node";
import type { Ctx } from "../context.server.ts";
import { isDatabaseAway } from "../runtime/database.ts";
import { AppError, isAppError, toErrorBody } from "../runtime/errors.ts";
import { guardReply, guardResponse } from "./address-guard.ts";
import { isGated, passGate } from "./admin-gate.ts";
import { fromNode, type Inbound } from "./inbound.ts";
import { isReply, type Reply } from "./reply.ts";

const MAX_BODY_BYTES = 1024 * 1024;
const ASSETS = "/assets/";
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const ALLOW = METHODS.join(", ");
const YEAR_SECONDS = 31_536_000;

export type Screens = {
  handle(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
};

type Source = {
  build: ServerBuild | (() => Promise<ServerBuild>);
  /** Answers what is a file, passes on the rest. */
  serveFile(request: IncomingMessage, response: ServerResponse, next: () => void): void;
  close(): Promise<void>;
};

export async function createScreens(options: {
  ctx: Ctx;
  root: string;
  appBridgeUrl?: string;
}): Promise<Screens> {
  const { ctx } = options;
  const { createRequestHandler } = await import("@remix-run/node");
  const { createHeaders, sendResponse } = await import("@remix-run/node-fetch-server");
  const { createShopify } = await import("../shopify.server.ts");
  const shopify = createShopify(
    ctx,
    options.appBridgeUrl === undefined ? {} : { appBridgeUrl: options.appBridgeUrl },
  );
  const source = ctx.config.isDevelopment
    ? await openDevelopment(ctx, options.root)
    : await openBuild(options.root);
  const answer = createRequestHandler(
    source.build,
    ctx.config.isDevelopment ? "development" : "production",
  );
  const { origin } = new URL(ctx.baseUrl);

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestId = ctx.random.uuid();
    const started = performance.now();
    const left = new AbortController();
    response.once("close", () => left.abort());
    const reply = await toResponse(request, requestId, left.signal);
    if (response.destroyed) return;
    // Headers of a redirect that Response.redirect made cannot be changed, those of a copy can.
    const sent = new Response(reply.body, reply);
    sent.headers.set("X-Request-Id", requestId);
    sent.headers.set("X-Content-Type-Options", "nosniff");
    await sendResponse(response, sent);
    const path = (request.url ?? "/").replace(/\?.*$/s, "");
    ctx.log.done("screen.served", {
      request_id: requestId,
      method: request.method,
      path,
      status: sent.status,
      ms: Math.round((performance.now() - started) * 10) / 10,
    });
  }

  async function toResponse(
    request: IncomingMessage,
    requestId: string,
    signal: AbortSignal,
  ): Promise<Response> {
    try {
      const inbound = readInbound(request);
      const gate = isGated(inbound) ? await passGate(ctx, inbound) : null;
      if (isReply(gate)) return toWeb(request, guardReply(ctx, inbound.url, gate));
      const response = guardResponse(
        ctx,
        inbound.url,
        await answer(await toRequest(request, inbound, signal), { ctx, shopify, gate }),
      );
      return isGated(inbound) ? withoutCache(response) : response;
    } catch (error) {
      if (!isAppError(error) && !signal.aborted)
        ctx.log.failed("screen.failed", error, { request_id: requestId });
      const shown = isAppError(error)
        ? error
        : new AppError(isDatabaseAway(error) ? "database_unavailable" : "internal_error");
      return Response.json(toErrorBody(shown, requestId), {
        status: shown.status,
        headers: shown.headers,
      });
    }
  }

  function readInbound(request: IncomingMessage): Inbound {
    if (!METHODS.includes(request.method ?? "GET"))
      throw new AppError("method_not_allowed", { headers: { Allow: ALLOW } });
    return fromNode(request);
  }

  async function toRequest(
    request: IncomingMessage,
    inbound: Inbound,
    signal: AbortSignal,
  ): Promise<Request> {
    const { method } = inbound;
    // The public address is the configured one, whatever Host the request carries.
    const url = origin + inbound.url.pathname + withoutLaunchHmac(inbound.url);
    if (method === "GET" || method === "HEAD" || method === "OPTIONS")
      return new Request(url, { method, headers: createHeaders(request), signal });
    const body = new Uint8Array(await inbound.readBody(MAX_BODY_BYTES));
    return new Request(url, { method, headers: createHeaders(request), body, signal });
  }

  return {
    handle(request, response) {
      // Remix would run a page's loader for it.
      if (request.method === "OPTIONS") return void response.writeHead(204, { Allow: ALLOW }).end();
      const next = () =>
        void respond(request, response).catch((error: unknown) => {
          if (!response.destroyed) ctx.log.failed("screen.failed", error);
          response.destroy();
        });
      if (request.method !== "GET" && request.method !== "HEAD") return next();
      source.serveFile(request, response, next);
    },
    close: () => source.close(),
  };
}

/** No page reads the launch's signature, the session token proves who opens it: so no page can write it anywhere. */
function withoutLaunchHmac({ search, searchParams }: URL): string {
  if (!searchParams.has("hmac")) return search;
  const query = new URLSearchParams(searchParams);
  query.delete("hmac");
  return `?${query}`;
}

function withoutCache(response: Response): Response {
  const copy = new Response(response.body, response);
  copy.headers.set("Cache-Control", "no-store");
  return copy;
}

function toWeb(request: IncomingMessage, { status, headers, body }: Reply): Response {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value].flat()) sent.append(name, one);
  return new Response(
    request.method === "HEAD" || body === undefined ? null : new Uint8Array(Buffer.from(body)),
    { status, headers: sent },
  );
}

async function openBuild(root: string): Promise<Source> {
  const { default: sirv } = await import("sirv");
  const files = sirv(join(root, "build/client"), {
    etag: true,
    gzip: true,
    brotli: true,
    setHeaders(response, path) {
      response.setHeader("X-Content-Type-Options", "nosniff");
      // The library's list of types leaves it out.
      if (path.endsWith(".ico")) response.setHeader("Content-Type", "image/x-icon");
      // The name of an asset changes with its content.
      response.setHeader(
        "Cache-Control",
        path.startsWith(ASSETS)
          ? `public, max-age=${YEAR_SECONDS}, immutable`
          : "public, max-age=3600",
      );
    },
  });
  return {
    build: (await import(pathToFileURL(join(root, "build/server/index.js")).href)) as ServerBuild,
    serveFile(request, response, next) {
      const isAsset = request.url?.startsWith(ASSETS);
      files(
        request,
        response,
        isAsset ? () => void response.writeHead(404, { "Cache-Control": "no-store" }).end() : next,
      );
    },
    close: () => Promise.resolve(),
  };
}

async function openDevelopment(ctx: Ctx, root: string): Promise<Source> {
  const { createServer } = await import("vite");
  const vite = await createServer({
    root,
    server: { middlewareMode: true, allowedHosts: [new URL(ctx.baseUrl).hostname] },
    appType: "custom",
  });
  return {
    build: () => vite.ssrLoadModule("virtual:remix/server-build") as Promise<ServerBuild>,
    serveFile: (request, response, next) => vite.middlewares(request, response, next),
    close: () => vite.close(),
  };
}
