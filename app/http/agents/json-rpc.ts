// Errors of /mcp and /a2a: the HTTP status gives the kind, and the body repeats it in JSON-RPC's
// shape, with the codes of UCP (ucp.dev "Overview", Error handling) and our own code in `data`.
import type { AppError } from "../../runtime/errors.ts";
import { json, type ApiResponse } from "../api-response.ts";
import { toAppError } from "../error-response.ts";

export type RpcId = string | number | null;

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INTERNAL_ERROR = -32_603;
/** The caller is not authorized. */
const REFUSED = -32_000;
/** The agent's profile is unusable. */
const DISCOVERY_FAILED = -32_001;

function codeOf({ code, status }: AppError): number {
  if (code === "malformed_json" || code === "malformed_body") return PARSE_ERROR;
  if (code === "invalid_profile_url" || status === 422 || status === 424) return DISCOVERY_FAILED;
  if ([401, 403, 409, 429, 503].includes(status)) return REFUSED;
  return status >= 500 ? INTERNAL_ERROR : INVALID_REQUEST;
}

export function toRpcErrorBody(error: AppError, id: RpcId = null): object {
  const retryAfter = error.headers["Retry-After"];
  const data = {
    code: error.code,
    content: error.message,
    ...error.details,
    ...(error.fields && { fields: error.fields }),
    ...(retryAfter && { retry_after: Number(retryAfter) }),
  };
  return { jsonrpc: "2.0", id, error: { code: codeOf(error), message: error.message, data } };
}

/** Returns client errors under the id of the message; throws errors of the service. */
export function toRpcRefusal(error: unknown, id: RpcId): ApiResponse {
  const known = toAppError(error);
  if (!known) throw error;
  return json(known.status, toRpcErrorBody(known, id), known.headers);
}

/** The id of a message, if it has a valid one. */
export function idOf(body: unknown): RpcId {
  const id = typeof body === "object" && body !== null && "id" in body ? body.id : null;
  return typeof id === "string" || typeof id === "number" ? id : null;
}
