/**
 * The sandbox admin of an embedded app: session tokens and the address the app is opened at (shopify.dev
 * "Session tokens").
 */
import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { page, redirect } from "../exchange.ts";
import type { ApiResponse } from "../exchange.ts";
import { escapeHtml, layout } from "../console/page-layout.ts";
import { adminHost } from "./authorize.ts";
import type { AppCredentials } from "./tokens.ts";

const LIFETIME_SECONDS = 60;

export async function mintSessionToken(domain: string, app: AppCredentials): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ dest: `https://${domain}`, sid: randomUUID() })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(`https://${domain}/admin`)
    .setAudience(app.clientId)
    .setSubject("1")
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + LIFETIME_SECONDS)
    .setJti(randomUUID())
    .sign(new TextEncoder().encode(app.clientSecret));
}

/** GET /admin/apps lists the app; GET /admin/apps/{handle}/some/page opens it there. */
export async function openApp(
  domain: string,
  pathBelowApps: string,
  app: AppCredentials & { url: string; handle: string },
): Promise<ApiResponse> {
  const [handle, ...rest] = pathBelowApps.split("/").filter(Boolean);
  if (handle === undefined) {
    return page(
      200,
      layout(
        "Apps",
        `<main class="narrow"><section class="card"><h1>Apps of ${escapeHtml(domain)}</h1>
        <p><a href="/storefront/${domain}/admin/apps/${encodeURIComponent(app.handle)}">Open ${escapeHtml(app.handle)}</a></p></section></main>`,
      ),
    );
  }
  const target = new URL(rest.length === 0 ? "/app" : `/${rest.join("/")}`, app.url);
  target.search = new URLSearchParams({
    embedded: "1",
    shop: domain,
    host: adminHost(domain),
    id_token: await mintSessionToken(domain, app),
  }).toString();
  return redirect(target.href);
}
