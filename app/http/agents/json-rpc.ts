// Errors of /mcp and /a2a: the HTTP status gives the kind, and the body repeats it in JSON-RPC's
// shape, with the codes of UCP (ucp.dev "Overview", Error handling) and our own code in `data`.
import type { z } from "zod";
import type { AppError } from "../../runtime/errors.ts";
import { json, type ApiResponse } from "../api-response.ts";
import { toAppError } from "../error-response.ts";

export type RpcId = string | number | null;

/** A2A's codes overlap those of UCP over MCP (a2a-protocol.org "Error Code Mappings"). */
export type RpcProtocol = "mcp" | "a2a";

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
export const INVALID_PARAMS = -32_602;
export const INTERNAL_ERROR = -32_603;
/** Replaces the text of an SDK's own failure, which may reveal internals. */
export const INTERNAL_MESSAGE = "The message could not be processed.";
/** The caller is not authorized. */
const REFUSED = -32_000;
/** The agent's profile is unusable. */
const DISCOVERY_FAILED = -32_001;
/** A2A's own: the content type is not supported. */
const CONTENT_TYPE = -32_005;

function codeOf({ code, status }: AppError, protocol: RpcProtocol): number {
  if (code === "malformed_json" || code === "malformed_body") return PARSE_ERROR;
  if (protocol === "a2a" && status === 415) return CONTENT_TYPE;
  if (code === "invalid_profile_url" || status === 422 || status === 424)
    return protocol === "a2a" ? INVALID_PARAMS : DISCOVERY_FAILED;
  if ([401, 403, 409, 429, 503].includes(status)) return REFUSED;
  return status >= 500 ? INTERNAL_ERROR : INVALID_REQUEST;
}

export function toRpcErrorBody(
  error: AppError,
  id: RpcId = null,
  protocol: RpcProtocol = "mcp",
): object {
  const retryAfter = error.headers["Retry-After"];
  const data = {
    code: error.code,
    content: error.message,
    ...error.details,
    ...(error.fields && { fields: error.fields }),
    ...(retryAfter && { retry_after: Number(retryAfter) }),
  };
  const code = codeOf(error, protocol);
  return { jsonrpc: "2.0", id, error: { code, message: error.message, data } };
}

/** The only errors of A2A with a status of their own (DECISIONS 21); any other is a 200. */
const A2A_STATUSES = new Set([401, 403, 413, 415, 429]);
const statusOf = ({ status }: AppError, protocol: RpcProtocol): number =>
  protocol === "mcp" || A2A_STATUSES.has(status) ? status : 200;

/** The status of an error before the handler: a body that is no JSON is A2A's own error. */
export const a2aErrorStatus = (error: AppError): number =>
  error.code.startsWith("malformed_") ? 200 : error.status;

/** Returns client errors under the id of the message; throws errors of the service. */
export function toRpcRefusal(
  error: unknown,
  id: RpcId,
  protocol: RpcProtocol = "mcp",
): ApiResponse {
  const known = toAppError(error);
  if (!known) throw error;
  const body = toRpcErrorBody(known, id, protocol);
  return json(statusOf(known, protocol), body, known.headers);
}

/** The first wrong parameter, in our words. */
export const wrongParameter = ({ issues: [issue] }: z.ZodError): string =>
  `params.${issue?.path.join(".") ?? ""} is missing or not valid.`;

/** The id of a message, if it has a valid one. */
export function idOf(body: unknown): RpcId {
  const id = typeof body === "object" && body !== null && "id" in body ? body.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
