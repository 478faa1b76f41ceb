/**
 * GET /admin/oauth/authorize: the grant screen of the authorization code flow, and the signed
 * redirect to the app
 * (shopify.dev "Authorization code grant").
 */
import { createHmac, randomBytes } from "node:crypto";
import { page, redirect, text } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";
import { isOriginOf } from "../loopback-guard.ts";
import { escapeHtml, layout } from "../console/page-layout.ts";
import type { AppCredentials } from "./tokens.ts";
import type { ShopState } from "./state.ts";

const CODE_LIFETIME_MS = 60_000;

export function authorize(
  shop: ShopState,
  call: Call,
  app: AppCredentials & { url: string },
  autoApprove: boolean,
): ApiResponse {
  const { query } = call;
  const redirectUri = query.get("redirect_uri") ?? "";
  if (query.get("client_id") !== app.clientId)
    return text(
      400,
      "Oauth error invalid_request: Could not find Shopify API application with api_key",
    );
  if (!isOriginOf(app.url, redirectUri))
    return text(400, "Oauth error invalid_request: The redirect_uri is not whitelisted");
  const scope = (query.get("scope") ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean)
    .join(",");

  if (!autoApprove && query.get("auto") !== "1") return page(200, grantScreen(shop, call, scope));

  const code = randomBytes(16).toString("hex");
  shop.codes = shop.codes.filter((candidate) => candidate.expiresAt > Date.now());
  shop.codes.push({ code, scope, expiresAt: Date.now() + CODE_LIFETIME_MS, isUsed: false });
  const target = new URL(redirectUri);
  const answer = signQuery(
    {
      code,
      host: adminHost(shop.domain),
      shop: shop.domain,
      state: query.get("state") ?? "",
      timestamp: String(Math.floor(Date.now() / 1000)),
    },
    app.clientSecret,
  );
  for (const [name, value] of answer) target.searchParams.set(name, value);
  return redirect(target.href);
}

/** The `host` parameter: base64 without padding of the store's admin address. */
export function adminHost(domain: string): string {
  return Buffer.from(`admin.shopify.com/store/${domain.replace(/\.myshopify\.com$/, "")}`)
    .toString("base64")
    .replaceAll("=", "");
}

/**
 * Adds `hmac`: hex HMAC-SHA256 over the sorted parameters, percent-encoded (a space is %20, not +).
 */
function signQuery(parameters: Record<string, string>, secret: string): URLSearchParams {
  const query = new URLSearchParams(parameters);
  query.sort();
  const hmac = createHmac("sha256", secret)
    .update(query.toString().replaceAll("+", "%20"))
    .digest("hex");
  query.set("hmac", hmac);
  return query;
}

function grantScreen(shop: ShopState, call: Call, scope: string): string {
  const hidden = [...call.query]
    .map(
      ([name, value]) =>
        `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
    )
    .join("");
  const scopes = scope
    .split(",")
    .map((one) => `<li><code>${escapeHtml(one)}</code></li>`)
    .join("");
  return layout(
    "Install app",
    `<main class="narrow"><section class="card"><h1>Install this app?</h1>
    <p><strong>${escapeHtml(shop.domain)}</strong> will give the app access to:</p><ul>${scopes}</ul>
    <form method="get">${hidden}<input type="hidden" name="auto" value="1"><button class="primary">Install</button></form>
    <p class="quiet">This is a sandbox store. Nothing leaves your machine.</p></section></main>`,
  );
}
