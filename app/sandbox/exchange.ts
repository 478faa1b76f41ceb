/** One HTTP request and its response as plain values: the interface of every sandbox system. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";

export type Call = {
  method: string;
  /** Path inside the system (without its prefix), without query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** The peer address of the connection. */
  address: string;
  text: string;
  bytes: Buffer;
  /** Parsed JSON, an object of form fields, or the text when it is neither. */
  body: unknown;
};

export type ApiResponse = {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
};

export type Handler = (call: Call) => ApiResponse | Promise<ApiResponse>;

// No framing: the page's buttons have effects. Nothing is loaded from other origins.
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'";
const MAX_BODY_BYTES = 10 * 1024 * 1024;

export async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function parseBody(text: string, contentType: string | undefined): unknown {
  if (text === "") return "";
  if (contentType?.startsWith("application/x-www-form-urlencoded"))
    return Object.fromEntries(new URLSearchParams(text));
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

export function send(response: ServerResponse, reply: ApiResponse): void {
  const body = Buffer.from(reply.body ?? "");
  const length = reply.status === 204 ? {} : { "content-length": body.length };
  response.writeHead(reply.status, {
    "x-content-type-options": "nosniff",
    ...length,
    ...reply.headers,
  });
  response.end(body);
}

export function json(
  status: number,
  value: unknown,
  headers?: Record<string, string>,
): ApiResponse {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(value),
  };
}

export function text(status: number, value: string, headers?: Record<string, string>): ApiResponse {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...headers },
    body: value,
  };
}

export function page(status: number, html: string): ApiResponse {
  // Not "no-referrer": with it a browser posts this page's own forms with Origin null, which the control
  // endpoint rejects.
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "content-security-policy": PAGE_POLICY,
  };
  return { status, headers, body: html };
}

export function redirect(location: string, status = 302): ApiResponse {
  return {
    status,
    headers: { location, "referrer-policy": "no-referrer", "cache-control": "no-store" },
  };
}

/** Strings and numbers as text; anything else becomes an empty string. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : "";
}

/** The body as an object with string keys; anything else becomes an empty object. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
