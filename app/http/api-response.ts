// The response of an endpoint.
import type { Ctx } from "../context.server.ts";
import type { ApiRequest } from "./api-request.ts";

export type ApiResponse = {
  status: number;
  headers: Record<string, string | string[]>;
  body?: string | Buffer;
  /** The compression of the text, applied when it is sent. */
  encode?: (body: string) => Buffer;
  /** Made from the address alone: no secret of the request can be in it. */
  isOfAddress?: true;
};

const HTTPS_ONLY = { "Strict-Transport-Security": "max-age=31536000" };
const ANY_TRANSPORT: Record<string, string> = {};

/** Headers of every response, also of pages. A browser follows them only when the response came by https. */
export const transportHeaders = ({ baseUrl }: Pick<Ctx, "baseUrl">): Record<string, string> =>
  baseUrl.startsWith("https:") ? HTTPS_ONLY : ANY_TRANSPORT;

/** The body as it is sent. */
export const encodedBody = ({ body, encode }: ApiResponse): string | Buffer | undefined =>
  encode && typeof body === "string" ? encode(body) : body;

const IS_REPLY = Symbol.for("customer-identity-service.Reply");

function reply(
  status: number,
  headers: ApiResponse["headers"],
  body?: string | Buffer,
): ApiResponse {
  return Object.assign(
    { status, headers, ...(body !== undefined && { body }) },
    { [IS_REPLY]: true },
  );
}

export function isApiResponse(value: unknown): value is ApiResponse {
  return typeof value === "object" && value !== null && IS_REPLY in value;
}

export function json(
  status: number,
  body: unknown,
  headers: ApiResponse["headers"] = {},
): ApiResponse {
  return reply(
    status,
    { "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store", ...headers },
    JSON.stringify(body),
  );
}

export function plain(
  status: number,
  contentType: string,
  body: string,
  headers: ApiResponse["headers"] = {},
): ApiResponse {
  return reply(status, { "Content-Type": contentType, ...headers }, body);
}

export function empty(status: number, headers: ApiResponse["headers"] = {}): ApiResponse {
  return reply(status, headers);
}

/**
 * To another site. Browsers carry the fragment of this address over to one without any, and it may
 * hold a session code: for them the fragment is cleared.
 */
export function redirectAway(
  request: ApiRequest,
  location: string,
  headers: ApiResponse["headers"] = {},
): ApiResponse {
  const isNavigation = request.header("sec-fetch-mode") === "navigate";
  return redirect(isNavigation && !location.includes("#") ? `${location}#` : location, headers);
}

export function redirect(location: string, headers: ApiResponse["headers"] = {}): ApiResponse {
  return reply(302, { Location: location, "Cache-Control": "no-store", ...headers });
}
