// The response of a sync: its counts, and with an error the counts up to it.
import { AppError, isAppError, OutboundError, toErrorBody } from "../runtime/errors.ts";
import { json, type ApiResponse } from "./api-response.ts";

type Counts = {
  processed: number;
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
};
type Result =
  | { outcome: "busy" }
  | { outcome: "done" | "unfinished"; counts: Counts }
  | { outcome: "failed"; counts: Counts; error: Error };

export function toSyncReply(result: Result, requestId: string): ApiResponse {
  if (result.outcome === "busy") throw new AppError("sync_running");
  const { counts, outcome } = result;
  if (outcome !== "failed")
    return json(200, {
      ok: true,
      ...counts,
      ...(outcome === "unfinished" && { unfinished: true }),
    });
  const error = toAppError(result.error);
  return json(
    error.status,
    { ...toErrorBody(error, requestId), ok: false, ...counts },
    error.headers,
  );
}

function toAppError(error: Error): AppError {
  if (isAppError(error)) return error;
  const isCms = error instanceof OutboundError && error.system === "cms";
  return new AppError(isCms ? "cms_unavailable" : "storefront_unavailable", {
    message: error.message,
  });
}
