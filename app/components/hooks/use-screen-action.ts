// Calls an action of a screen without leaving the page (http/screens/screen-actions.ts).
import { useTranslation } from "react-i18next";
import { useFetcher } from "@remix-run/react";
import type { ActionError, ActionResult } from "../../http/screens/screen-actions.ts";
import { useFetcherResult } from "./use-fetcher-result.ts";

export type ScreenActionOptions<Data> = {
  /** The path of the action; by default the page's own. */
  action?: string;
  onSuccess?(data: Data): void;
};

/**
 * The result of the last call; `error.message` is in the reader's language, `error.reason` the
 * server's own text.
 */
export function useScreenAction<Data = unknown>(
  intent: string,
  { action, onSuccess }: ScreenActionOptions<Data> = {},
) {
  const fetcher = useFetcher();
  const messageOf = useErrorMessage();
  const { state } = fetcher;
  const answer = fetcher.data as ActionResult<Data> | undefined;
  useFetcherResult({ state, data: answer }, (result) => {
    if (result.ok) onSuccess?.(result.data);
  });
  const result = state === "idle" ? (answer ?? null) : null;
  return {
    submit: (fields: object = {}) =>
      fetcher.submit(JSON.stringify({ intent, ...fields }), {
        method: "post",
        encType: "application/json",
        ...(action && { action }),
      }),
    isBusy: state !== "idle",
    /** The fields of the request that is running. */
    submitted: state === "idle" ? null : (fetcher.json as Record<string, unknown> | undefined),
    result,
    data: result?.ok ? result.data : null,
    error:
      result && !result.ok
        ? { ...result, message: messageOf(result), reason: result.message }
        : null,
  };
}

export function useErrorMessage(): (error: Pick<ActionError, "code" | "http_status">) => string {
  const { t, i18n } = useTranslation("errors");
  return ({ code, http_status: status }) =>
    t(i18n.exists(code, { ns: "errors" }) ? (code as "other") : "other", { status });
}
