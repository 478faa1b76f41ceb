/**
 * The storefront's app proxy (shopify.dev "App proxies"): forwards requests below /apps/crm to the
 * app. It signs every parameter, the visitor's own ones too, except for the platform's own names. It
 * forwards neither cookies nor `Authorization`, and names no customer where none is signed in. A cookie of the simulated store holds the store and its signed-in customer.
 */
import { createHmac } from "node:crypto";
import { text } from "../exchange.ts";
import type { Call, ApiResponse } from "../exchange.ts";

export const PROXY_PATH = "/apps/crm";
/** The path of the app's address in its manifest: `[app_proxy] url`. */
export const APP_PROXY_PATH = "/proxy";
const PASSED_ON = [
  "accept",
  "accept-language",
  "content-type",
  "if-none-match",
  "sec-gpc",
  "user-agent",
];
const PASSED_BACK = [
  "content-type",
  "cache-control",
  "etag",
  "content-security-policy",
  "referrer-policy",
  "x-content-type-options",
  "x-request-id",
  "retry-after",
];

/** `customerId` is empty where no customer is signed in; null: the parameter is left out. */
export type ProxyTarget = {
  appUrl: string;
  secret: string;
  shop: string;
  customerId: string | null;
};

/** `k=v` pairs, unencoded, sorted, without a separator: hex HMAC-SHA256 under the app's secret. */
export function signProxyQuery(query: URLSearchParams, secret: string): string {
  const names = [...new Set(query.keys())];
  const message = names
    .map((name) => `${name}=${query.getAll(name).join(",")}`)
    .sort()
    .join("");
  return createHmac("sha256", secret).update(message).digest("hex");
}

/**
 * The address that a visitor's request is forwarded to, with the parameters that the storefront adds and
 * signs.
 */
export function proxyTarget(
  { path, query: asked }: { path: string; query: URLSearchParams },
  { appUrl, secret, shop, customerId }: ProxyTarget,
): URL {
  const target = new URL(APP_PROXY_PATH + path.slice(PROXY_PATH.length), appUrl);
  const query = new URLSearchParams(asked);
  query.delete("signature");
  for (const [name, value] of Object.entries({
    shop,
    logged_in_customer_id: customerId,
    path_prefix: PROXY_PATH,
    timestamp: String(Math.floor(Date.now() / 1_000)),
  }))
    if (value === null) query.delete(name);
    else query.set(name, value);
  query.set("signature", signProxyQuery(query, secret));
  target.search = query.toString();
  return target;
}

export async function passOn(
  call: Call,
  { appUrl, secret, shop, customerId }: ProxyTarget,
): Promise<ApiResponse> {
  const target = proxyTarget(
    { path: call.path, query: call.query },
    { appUrl, secret, shop, customerId },
  );
  const headers = PASSED_ON.flatMap((name) =>
    typeof call.headers[name] === "string" ? [[name, call.headers[name]] as [string, string]] : [],
  );
  // The proxy appends the visitor's address to what the visitor sent.
  const forwarded = [call.headers["x-forwarded-for"], call.address].filter(Boolean).join(", ");
  try {
    const answer = await fetch(target, {
      method: call.method,
      headers: [...headers, ["x-forwarded-for", forwarded]],
      redirect: "manual",
      ...(call.method !== "GET" && call.method !== "HEAD" && { body: call.text }),
    });
    const back = Object.fromEntries(
      PASSED_BACK.flatMap((name) =>
        answer.headers.has(name) ? [[name, answer.headers.get(name) as string]] : [],
      ),
    );
    return { status: answer.status, headers: back, body: await answer.text() };
  } catch {
    return text(502, "The app does not answer");
  }
}
