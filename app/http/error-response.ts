// The error response of a request (DECISIONS 3).
import type { Ctx } from "../context.server.ts";
import { isPassingDatabaseError, isStoreMoving } from "../runtime/database/postgres-errors.ts";
import { AppError, isAppError, OutboundError, toErrorBody } from "../runtime/errors.ts";
import { requestErrors } from "../runtime/telemetry/metrics.ts";
import type { ApiRequest } from "./api-request.ts";
import { json, type ApiResponse } from "./api-response.ts";
import type { AnySpec } from "./endpoint.ts";

type FailedRequest = {
  request: ApiRequest;
  requestId: string;
  /** Where another specification defines the shape. */
  spec: Pick<AnySpec, "errorBody" | "errorStatus"> | undefined;
};

/** Logs bugs on our side. */
export function toErrorResponse(
  ctx: Ctx,
  error: unknown,
  { request, requestId, spec }: FailedRequest,
): ApiResponse {
  const known = toAppError(error);
  if (!known)
    ctx.log.error("request.failed", error, {
      request_id: requestId,
      method: request.method,
      path: request.url.pathname,
    });
  const shown = known ?? new AppError("internal_error");
  requestErrors.inc({ code: shown.code });
  const status = spec?.errorStatus?.(shown) ?? shown.status;
  return json(
    status,
    spec?.errorBody?.(shown, request) ?? toErrorBody(shown, requestId),
    shown.headers,
  );
}

/** Returns the public part of an error, or null when the error is a bug on our side. */
export function toAppError(error: unknown): AppError | null {
  if (isAppError(error)) return error;
  if (error instanceof OutboundError)
    return error.system === "archive"
      ? new AppError("archive_unavailable", { headers: { "Retry-After": "5" } })
      : new AppError("storefront_unavailable", { message: error.message });
  return toDatabaseError(error);
}

/** Null when the database is not the reason, or when trying again does not help. */
export function toDatabaseError(error: unknown): AppError | null {
  if (isStoreMoving(error))
    return new AppError("store_moving", { headers: { "Retry-After": "1" } });
  if (isPassingDatabaseError(error))
    return new AppError("database_unavailable", { headers: { "Retry-After": "2" } });
  return null;
}
