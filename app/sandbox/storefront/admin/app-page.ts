/** The app inside the admin: a frame, and the address that it is opened at (shopify.dev "Session tokens"). */
import { redirect, type ApiResponse, type Call } from "../../exchange.ts";
import { html } from "../../html.ts";
import { adminHost } from "../authorize.ts";
import { mintSessionToken } from "../session-token.ts";
import type { AppCredentials } from "../tokens.ts";
import type { ShopState } from "../state.ts";
import { adminPage, adminPath, appName, type AdminApp } from "./admin-layout.ts";

/**
 * GET /admin/apps/{handle}/some/page. A person's browser gets the admin with the app in a frame; the frame
 * itself (`?frame`), and a program, are redirected into the app with a session token.
 */
export function openApp(
  shop: ShopState,
  app: AdminApp & AppCredentials,
  [handle = "", ...rest]: string[],
  call: Call,
): ApiResponse | Promise<ApiResponse> {
  const query = new URLSearchParams(call.query);
  const isFrame = query.has("frame") || call.headers["sec-fetch-dest"] !== "document";
  query.delete("frame");
  if (isFrame) return redirectIntoApp(shop, app, rest, query);
  const path = ["", ...rest].map((part) => encodeURIComponent(decode(part))).join("/");
  const base = adminPath(shop, `/apps/${encodeURIComponent(handle)}`);
  query.set("frame", "");
  return adminPage(shop, app, {
    title: appName(app),
    section: `/apps/${app.handle}`,
    hasFrame: true,
    content: html`<h1 class="hidden">${appName(app)}</h1>
      <iframe
        class="app-frame"
        title="${appName(app)}"
        src="${base}${path === "/" ? "" : path}?${query.toString()}"
        data-app-origin="${new URL(app.url).origin}"
        data-base="${base}"
      ></iframe>`,
  });
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

async function redirectIntoApp(
  shop: ShopState,
  app: AdminApp & AppCredentials,
  path: string[],
  query: URLSearchParams,
): Promise<ApiResponse> {
  const target = new URL(path.length === 0 ? "/app" : `/${path.join("/")}`, app.url);
  for (const [name, value] of Object.entries({
    embedded: "1",
    shop: shop.domain,
    host: adminHost(shop.domain),
    id_token: await mintSessionToken(shop.domain, app),
  }))
    query.set(name, value);
  target.search = query.toString();
  return redirect(target.href);
}
