// Keeps a screen and its input when an action fails in the network, the session has ended, or the app was
// uninstalled.
import {
  isRouteErrorResponse,
  type ClientActionFunction,
  type ShouldRevalidateFunction,
} from "@remix-run/react";
import type { ActionError, ActionResult } from "../../http/screens/screen-actions.ts";

/** After these the loaders would fail, too. */
const WITHOUT_LOADERS = ["unreachable", "unauthorized", "not_connected"] as const;

const failed = (code: (typeof WITHOUT_LOADERS)[number], message: string): ActionError => ({
  ok: false,
  intent: "",
  code,
  message,
});
const UNREACHABLE = failed("unreachable", "The service was not reached.");
/** What is thrown before an action is called, by status. */
const REFUSALS: Partial<Record<number, ActionError>> = {
  401: failed("unauthorized", "Your session has ended."),
  409: failed("not_connected", "The app is not connected to the store."),
};

/** The error of the loaders would replace the page. */
export const skipRevalidationOnFailure: ShouldRevalidateFunction = ({
  actionResult,
  defaultShouldRevalidate,
}) => {
  const result = actionResult as ActionResult<unknown> | undefined;
  const isFailed = result?.ok === false && WITHOUT_LOADERS.some((code) => code === result.code);
  return isFailed ? false : defaultShouldRevalidate;
};

/**
 * Returns `unreachable` when the service is unreachable, `unauthorized` when it does not accept the session, after
 * App Bridge has tried with a new token, and `not_connected` when the app was uninstalled: otherwise Remix would
 * replace the page with an error.
 */
export const actionWithOfflineResult: ClientActionFunction = async ({ serverAction }) => {
  try {
    return await serverAction();
  } catch (error) {
    const isAnswer = error instanceof Response || isRouteErrorResponse(error);
    if (!isAnswer) return UNREACHABLE;
    const refusal = REFUSALS[error.status];
    if (!refusal) throw error;
    return refusal;
  }
};
