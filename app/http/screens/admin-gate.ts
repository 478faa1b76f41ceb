// The gate in front of /setup, /settings and /onboarding: an edge JWT, a mailed code, or ADMIN_KEY.
// It runs before Remix and responds to unauthenticated visitors itself. The pages check the pass
// again, so that a path that the gate does not recognise is refused.
import { data } from "@remix-run/node";
import type { Ctx } from "../../context.server.ts";
import {
  requestOtp,
  canMailCodes,
  verifyOtp,
} from "../../domain/identity/admin-gate/gate-codes.ts";
import { isEdgeAssertion } from "../../domain/identity/admin-gate/gate-edge.ts";
import {
  GATE_PASS_SECONDS,
  openGatePass,
  sealGatePass,
  type GatePass,
} from "../../domain/identity/admin-gate/gate-pass.ts";
import { consumeRateLimit } from "../../domain/identity/rate-limits.ts";
import { isPlatformKey } from "../../domain/tenants/admin-key.ts";
import { renderGate, type GateProblem, type GateStage } from "../../embeds/gate-page.ts";
import { findLocale, type Locale } from "../../embeds/texts.ts";
import { isAppError } from "../../runtime/errors.ts";
import { TTL_SECONDS } from "../../runtime/database/kv-keys.ts";
import { clientAddress } from "../client-address.ts";
import { journeyCookie, journeyCookieName, readCookie } from "../cookies.ts";
import { PAGE_HEADERS } from "../cors.ts";
import { bearerToken } from "../auth/guards.ts";
import { parseForm, type ApiRequest } from "../api-request.ts";
import { plain, redirect, type ApiResponse } from "../api-response.ts";

const PASS_COOKIE = "crm_gate";
const BROWSER_COOKIE = "crm_gate_browser";
const MAX_FORM_BYTES = 8 * 1024;
const ASSERTIONS = ["cf-access-jwt-assertion", "x-edge-assertion"] as const;

/** `.data`: the path at which Remix in the browser requests the same page. */
const GATED = /^\/(?:setup|settings|onboarding)(\.data)?\/?$/i;
export const isGated = (request: ApiRequest): boolean => GATED.test(request.url.pathname);

type Visit = { ctx: Ctx; request: ApiRequest };

/** Returns a pass or a response. Null: the page itself shows that the session has ended. */
export async function passGate(
  ctx: Ctx,
  request: ApiRequest,
): Promise<GatePass | ApiResponse | null> {
  const visit = { ctx, request };
  const isPage = GATED.exec(request.url.pathname)?.[1] === undefined;
  const isReading = request.method === "GET" || request.method === "HEAD";
  const key = request.url.searchParams.get("key");
  if (key !== null && isReading && isPage) return swapKey(visit, key);
  const token = bearerToken(request);
  if (token !== null) {
    if (isPlatformKey(ctx, token)) return { way: "key", isPlatform: true };
    return isPage ? gatePage(visit, 401, { problem: "key" }) : null;
  }
  const pass = await ambientPass(visit);
  // Prevents CSRF: the browser adds the cookie and the assertion to requests of other sites too.
  if (!isReading && !isOwnOrigin(visit)) return gatePage(visit, 403, { problem: "origin" });
  if (pass && !isReading) ctx.log.info("gate.used", { way: pass.way, path: request.url.pathname });
  if (pass) return pass;
  if (!isPage) return null;
  return isReading ? gatePage(visit, 401) : takeForm(visit);
}

/** The first call of every loader and action behind the gate. Throws 401. */
export function requireGate({ gate }: { gate: GatePass | null }): GatePass {
  if (!gate) throw data({ code: "unauthorized" }, { status: 401 });
  return gate;
}

const isOwnOrigin = ({ ctx, request }: Visit) =>
  request.header("origin") === new URL(ctx.baseUrl).origin;

async function ambientPass({ ctx, request }: Visit): Promise<GatePass | null> {
  const assertions = new Set(
    ASSERTIONS.map((name) => request.header(name)).filter((value) => value !== undefined),
  );
  // Two different values are rejected.
  const [assertion] = assertions.size === 1 ? assertions : [];
  if (assertion && (await isEdgeAssertion(ctx, assertion)))
    return { way: "edge", isPlatform: false };
  const cookie = readCookie(request, journeyCookieName(ctx, PASS_COOKIE));
  return cookie ? openGatePass(ctx, cookie) : null;
}

/** The query parameters of the pages behind the gate. */
const PAGE_PARAMETERS = ["shop", "after", "locale"];

/**
 * The requested URL, reduced to the parameters of these pages, so that it cannot contain the key.
 */
function ownAddress({ request }: Visit): string {
  const asked = [...request.url.searchParams].filter(([name]) => PAGE_PARAMETERS.includes(name));
  const query = new URLSearchParams(asked);
  const path = `/${(request.url.pathname.split("/")[1] ?? "").toLowerCase()}`;
  return query.size > 0 ? `${path}?${query}` : path;
}

async function swapKey(visit: Visit, key: string): Promise<ApiResponse> {
  const { ctx, request } = visit;
  try {
    await consumeRateLimit(ctx, null, {
      gate_key_per_address: clientAddress(request, ctx.config.TRUST_PROXY_HOPS),
    });
  } catch (error) {
    return busyPage(visit, error);
  }
  if (isPlatformKey(ctx, key)) return letIn(visit, sealGatePass(ctx, "key"), "key");
  ctx.log.warn("gate.refused", { way: "key" });
  return gatePage(visit, 401, { problem: "key" });
}

function letIn(visit: Visit, pass: string, way: GatePass["way"]): ApiResponse {
  visit.ctx.log.info("gate.passed", { way });
  return redirect(ownAddress(visit), {
    "Set-Cookie": journeyCookie(visit.ctx, PASS_COOKIE, pass, GATE_PASS_SECONDS),
  });
}

async function takeForm(visit: Visit): Promise<ApiResponse> {
  const { ctx, request } = visit;
  const fields = parseForm(await request.readBody(MAX_FORM_BYTES));
  if (fields.gate === "key") return swapKey(visit, fields.admin_key ?? "");
  const kept = readCookie(request, journeyCookieName(ctx, BROWSER_COOKIE));
  const secret =
    kept && /^[\w-]{43}$/.test(kept) ? kept : ctx.random.bytes(32).toString("base64url");
  const browser = { secret, clientAddress: clientAddress(request, ctx.config.TRUST_PROXY_HOPS) };
  const headers = {
    "Set-Cookie": journeyCookie(ctx, BROWSER_COOKIE, secret, TTL_SECONDS.gateCode),
  };
  try {
    if (fields.gate === "ask") {
      await requestOtp(ctx, browser, fields.address ?? "", localeOf(request));
      return await gatePage(visit, 200, { stage: "sent", headers });
    }
    if (fields.gate !== "code") return await gatePage(visit, 401);
    const address = await verifyOtp(ctx, browser, fields.code ?? "");
    if (address) return letIn(visit, sealGatePass(ctx, "mail", address), "mail");
    ctx.log.warn("gate.refused", { way: "mail" });
    return await gatePage(visit, 401, { stage: "sent", problem: "code" });
  } catch (error) {
    return busyPage(visit, error);
  }
}

function busyPage(visit: Visit, error: unknown): Promise<ApiResponse> {
  if (!isAppError(error) || error.code !== "too_many_requests") throw error;
  return gatePage(visit, 429, { problem: "busy", headers: error.headers });
}

type Shown = { stage?: GateStage; problem?: GateProblem; headers?: Record<string, string> };

async function gatePage(
  visit: Visit,
  status: number,
  { stage = "ask", problem, headers = {} }: Shown = {},
): Promise<ApiResponse> {
  const { ctx, request } = visit;
  const html = renderGate({
    locale: localeOf(request),
    action: ownAddress(visit),
    stage,
    hasMail: await canMailCodes(ctx),
    problem: problem ?? null,
  });
  const challenge: Record<string, string> = status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
  return plain(status, "text/html; charset=utf-8", html, {
    ...PAGE_HEADERS,
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    ...challenge,
    ...headers,
  });
}

function localeOf(request: ApiRequest): Locale {
  const asked = [
    request.url.searchParams.get("locale") ?? "",
    ...(request.header("accept-language") ?? "").split(","),
  ];
  return findLocale(asked) ?? "en";
}

declare module "@remix-run/node" {
  interface AppLoadContext {
    /** The authenticated operator; null on every path that is not behind the gate. */
    gate: GatePass | null;
  }
}
