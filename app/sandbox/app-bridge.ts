/** What the admin gives an embedded app: the script of App Bridge, and what that script asks for. */
import { readFileSync } from "node:fs";
import { json, text, type ApiResponse, type Call } from "./exchange.ts";
import { isOriginOf } from "./loopback-guard.ts";
import type { Sandbox } from "./sandbox.ts";
import { OPTIONAL_SCOPES } from "./storefront/scopes.ts";

const SCRIPT_PATH = "/app-bridge.js";
const PATHS = [SCRIPT_PATH, "/session-token", "/extensions", "/scopes"];

export const isAppBridgePath = (path: string): boolean => PATHS.includes(path);

/**
 * A session token opens the app's admin: of all web pages only the app's own may read one. The script is
 * for everybody.
 */
export async function answerAppBridge(sandbox: Sandbox, call: Call): Promise<ApiResponse> {
  if (call.path === SCRIPT_PATH) return showScript();
  const { origin } = call.headers;
  if (origin !== undefined && !isOriginOf(sandbox.appUrl(), origin))
    return text(403, "Session tokens are issued to the app's own pages only");
  const cors = {
    ...(origin && { "access-control-allow-origin": origin }),
    vary: "Origin",
    "cache-control": "no-store",
  };
  const { storefront } = sandbox;
  const shop = call.query.get("shop") ?? "";
  if (!storefront.shops().includes(shop)) return text(404, "There is no such store", cors);
  if (call.path === "/scopes") return grantScopes(sandbox, shop, call, cors);
  return call.path === "/extensions"
    ? json(200, storefront.extensions(shop), cors)
    : text(200, await storefront.sessionToken(shop), cors);
}

function showScript(): ApiResponse {
  return {
    status: 200,
    headers: { "content-type": "text/javascript; charset=utf-8", "cache-control": "no-store" },
    body: readFileSync(new URL("./app-bridge-double.js", import.meta.url), "utf8"),
  };
}

/** The merchant grants the optional scopes that the app asks for. */
async function grantScopes(
  { storefront }: Sandbox,
  shop: string,
  call: Call,
  cors: Record<string, string>,
): Promise<ApiResponse> {
  if (call.method !== "POST") return text(405, "POST", { ...cors, allow: "POST" });
  const scopes = (call.query.get("wanted") ?? "")
    .split(",")
    .filter((scope) => OPTIONAL_SCOPES.includes(scope));
  await storefront.grantScopes(shop, scopes);
  return json(200, scopes, cors);
}
