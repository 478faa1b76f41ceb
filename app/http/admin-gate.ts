// The gate in front of /setup, /settings and /onboarding: an edge JWT, a mailed code, or ADMIN_KEY. It stands before Remix
// and answers by itself whoever may not pass; the pages ask for its pass once more, so that an address it does not
// recognise is refused and not let through.
import { data } from "@remix-run/node";
import type { Ctx } from "../context.server.ts";
import { askForCode, canMailCodes, redeemCode } from "../domain/identity/gate-codes.ts";
import { isEdgeAssertion } from "../domain/identity/gate-edge.ts";
import {
  GATE_PASS_SECONDS,
  openGatePass,
  sealGatePass,
  type GatePass,
} from "../domain/identity/gate-pass.ts";
import { countTry } from "../domain/identity/rate-limits.ts";
import { isPlatformKey } from "../domain/tenants/admin-key.ts";
import {
  renderGate,
  type GateLocale,
  type GateProblem,
  type GateStage,
} from "../embeds/gate-page.ts";
import { isAppError } from "../runtime/errors.ts";
import { TTL_SECONDS } from "../runtime/kv.ts";
import { clientAddress } from "./client-address.ts";
import { journeyCookie, journeyCookieName, readCookie } from "./cookies.ts";
import { PAGE_HEADERS } from "./cors.ts";
import { bearerToken } from "./guards.ts";
import { parseForm, type Inbound } from "./inbound.ts";
import { plain, redirect, type Reply } from "./reply.ts";

const PASS_COOKIE = "crm_gate";
const BROWSER_COOKIE = "crm_gate_browser";
const MAX_FORM_BYTES = 8 * 1024;
const ASSERTIONS = ["cf-access-jwt-assertion", "x-edge-assertion"] as const;

/** `.data`: how Remix in the browser asks for the same page. */
const GATED = /^\/(?:setup|settings|onboarding)(\.data)?\/?$/i;
export const isGated = (inbound: Inbound): boolean => GATED.test(inbound.url.pathname);

type Visit = { ctx: Ctx; inbound: Inbound };

/** A pass, or what to answer instead. Null: the page itself says that the session has ended. */
export async function passGate(ctx: Ctx, inbound: Inbound): Promise<GatePass | Reply | null> {
  const visit = { ctx, inbound };
  const isPage = GATED.exec(inbound.url.pathname)?.[1] === undefined;
  const isReading = inbound.method === "GET" || inbound.method === "HEAD";
  const key = inbound.url.searchParams.get("key");
  if (key !== null && isReading && isPage) return swapKey(visit, key);
  const token = bearerToken(inbound);
  if (token !== null)
    return isPlatformKey(ctx, token)
      ? { way: "key", isPlatform: true }
      : isPage
        ? gatePage(visit, 401, { problem: "key" })
        : null;
  const pass = await ambientPass(visit);
  // Cookie and assertion come along with whatever a strange site makes the browser send.
  if (!isReading && !isOwnOrigin(visit)) return gatePage(visit, 403, { problem: "origin" });
  if (pass && !isReading) ctx.log.done("gate.used", { way: pass.way, path: inbound.url.pathname });
  if (pass) return pass;
  if (!isPage) return null;
  return isReading ? gatePage(visit, 401) : takeForm(visit);
}

/** What every loader and action behind the gate begins with. Throws 401. */
export function requireGate({ gate }: { gate: GatePass | null }): GatePass {
  if (!gate) throw data({ code: "unauthorized" }, { status: 401 });
  return gate;
}

const isOwnOrigin = ({ ctx, inbound }: Visit) =>
  inbound.header("origin") === new URL(ctx.baseUrl).origin;

async function ambientPass({ ctx, inbound }: Visit): Promise<GatePass | null> {
  const assertions = new Set(
    ASSERTIONS.map((name) => inbound.header(name)).filter((value) => value !== undefined),
  );
  // Two that differ prove nothing.
  const [assertion] = assertions.size === 1 ? assertions : [];
  if (assertion && (await isEdgeAssertion(ctx, assertion)))
    return { way: "edge", isPlatform: false };
  const cookie = readCookie(inbound, journeyCookieName(ctx, PASS_COOKIE));
  return cookie ? openGatePass(ctx, cookie) : null;
}

/** What the pages behind the gate read of their address. */
const PAGE_PARAMETERS = ["shop", "after", "locale"];

/** Where the visitor wanted to go: nothing of the address that these pages do not read, and so not the key either. */
function ownAddress({ inbound }: Visit): string {
  const asked = [...inbound.url.searchParams].filter(([name]) => PAGE_PARAMETERS.includes(name));
  const query = new URLSearchParams(asked);
  const path = `/${(inbound.url.pathname.split("/")[1] ?? "").toLowerCase()}`;
  return query.size > 0 ? `${path}?${query}` : path;
}

async function swapKey(visit: Visit, key: string): Promise<Reply> {
  const { ctx, inbound } = visit;
  try {
    await countTry(ctx, null, {
      gate_key_per_address: clientAddress(inbound, ctx.config.TRUST_PROXY_HOPS),
    });
  } catch (error) {
    return busyPage(visit, error);
  }
  if (isPlatformKey(ctx, key)) return letIn(visit, sealGatePass(ctx, "key"), "key");
  ctx.log.troubled("gate.refused", { way: "key" });
  return gatePage(visit, 401, { problem: "key" });
}

function letIn(visit: Visit, pass: string, way: GatePass["way"]): Reply {
  visit.ctx.log.done("gate.passed", { way });
  return redirect(ownAddress(visit), {
    "Set-Cookie": journeyCookie(visit.ctx, PASS_COOKIE, pass, GATE_PASS_SECONDS),
  });
}

async function takeForm(visit: Visit): Promise<Reply> {
  const { ctx, inbound } = visit;
  const fields = parseForm(await inbound.readBody(MAX_FORM_BYTES));
  if (fields.gate === "key") return swapKey(visit, fields.admin_key ?? "");
  const kept = readCookie(inbound, journeyCookieName(ctx, BROWSER_COOKIE));
  const secret =
    kept && /^[\w-]{43}$/.test(kept) ? kept : ctx.random.bytes(32).toString("base64url");
  const browser = { secret, clientAddress: clientAddress(inbound, ctx.config.TRUST_PROXY_HOPS) };
  const headers = {
    "Set-Cookie": journeyCookie(ctx, BROWSER_COOKIE, secret, TTL_SECONDS.gateCode),
  };
  try {
    if (fields.gate === "ask") {
      await askForCode(ctx, browser, fields.address ?? "", localeOf(inbound));
      return await gatePage(visit, 200, { stage: "sent", headers });
    }
    if (fields.gate !== "code") return await gatePage(visit, 401);
    const address = await redeemCode(ctx, browser, fields.code ?? "");
    if (address) return letIn(visit, sealGatePass(ctx, "mail", address), "mail");
    ctx.log.troubled("gate.refused", { way: "mail" });
    return await gatePage(visit, 401, { stage: "sent", problem: "code" });
  } catch (error) {
    return busyPage(visit, error);
  }
}

function busyPage(visit: Visit, error: unknown): Promise<Reply> {
  if (!isAppError(error) || error.code !== "too_many_requests") throw error;
  return gatePage(visit, 429, { problem: "busy", headers: error.headers });
}

type Shown = { stage?: GateStage; problem?: GateProblem; headers?: Record<string, string> };

async function gatePage(
  visit: Visit,
  status: number,
  { stage = "ask", problem, headers = {} }: Shown = {},
): Promise<Reply> {
  const { ctx, inbound } = visit;
  const html = renderGate({
    locale: localeOf(inbound),
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

function localeOf(inbound: Inbound): GateLocale {
  const asked = [
    inbound.url.searchParams.get("locale") ?? "",
    ...(inbound.header("accept-language") ?? "").split(","),
  ];
  const spoken = asked.map((tag) => tag.trim().slice(0, 2).toLowerCase());
  return (
    spoken.find((tag): tag is GateLocale => tag === "en" || tag === "es" || tag === "fr") ?? "en"
  );
}

declare module "@remix-run/node" {
  interface AppLoadContext {
    /** Who passed the gate; null on every path that is not behind it. */
    gate: GatePass | null;
  }
}
