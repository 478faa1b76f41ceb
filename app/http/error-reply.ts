// What a caller is answered when a request fails (DECISIONS 3).
import type { Ctx } from "../context.server.ts";
import { isDatabaseAway } from "../runtime/database.ts";
import { AppError, isAppError, OutboundError, toErrorBody } from "../runtime/errors.ts";
import type { Inbound } from "./inbound.ts";
import { json, type Reply } from "./reply.ts";

/** `errorBody`: where another contract than ours fixes the shape. Logs what is our own mistake. */
export function toErrorReply(
  ctx: Ctx,
  error: unknown,
  requestId: string,
  inbound: Inbound,
  errorBody?: (error: AppError) => object,
): Reply {
  const known = toAppError(error);
  if (!known)
    ctx.log.failed("request.failed", error, {
      request_id: requestId,
      method: inbound.method,
      path: inbound.url.pathname,
    });
  const shown = known ?? new AppError("internal_error");
  return json(shown.status, errorBody?.(shown) ?? toErrorBody(shown, requestId), shown.headers);
}

/** Returns the public part of an error, or null when the error is a bug on our side. */
export function toAppError(error: unknown): AppError | null {
  if (isAppError(error)) return error;
  if (error instanceof OutboundError)
    return new AppError("storefront_unavailable", { message: error.message });
  if (isDatabaseAway(error))
    return new AppError("database_unavailable", { headers: { "Retry-After": "2" } });
  return null;
}
