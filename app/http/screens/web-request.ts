// Node's requests and our responses as the web's, which Remix reads and gives.
import type { IncomingMessage } from "node:http";
import { MAX_LOGO_BYTES } from "../../domain/tenants/storefront/logo-upload.ts";
import type { ApiRequest } from "../api-request.ts";
import type { ApiResponse } from "../api-response.ts";

const MAX_BODY_BYTES = 1024 * 1024;
/** The logo, and the form around it. */
const MAX_UPLOAD_BYTES = MAX_LOGO_BYTES + 64 * 1024;
/** 500,000 characters of a policy, of three bytes each, and its line breaks. */
const MAX_POLICY_BYTES = 2 * 1024 * 1024;

function maxBytesOf(path: string): number {
  if (/^\/app\/settings\/logo(\.data)?$/.test(path)) return MAX_UPLOAD_BYTES;
  return /^\/app\/consent\/policies(\.data)?$/.test(path) ? MAX_POLICY_BYTES : MAX_BODY_BYTES;
}

/** `origin`: the configured one; the request's Host header does not count. */
export async function toWebRequest(
  request: ApiRequest,
  { origin, headers, signal }: { origin: string; headers: Headers; signal: AbortSignal },
): Promise<Request> {
  const { method } = request;
  const url = origin + request.url.pathname + withoutUnread(request.url);
  if (method === "GET" || method === "HEAD" || method === "OPTIONS")
    return new Request(url, { method, headers, signal });
  const body = new Uint8Array(await request.readBody(maxBytesOf(request.url.pathname)));
  return new Request(url, { method, headers, body, signal });
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

export function toWebResponse(
  incoming: IncomingMessage,
  { status, headers, body }: ApiResponse,
): Response {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers))
    for (const one of [value].flat()) sent.append(name, one);
  return new Response(
    incoming.method === "HEAD" || body === undefined ? null : new Uint8Array(Buffer.from(body)),
    { status, headers: sent },
  );
}
