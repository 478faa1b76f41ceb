// Keeps a screen and its input when an action fails in the network or the session has ended.
import {
  isRouteErrorResponse,
  type ClientActionFunction,
  type ShouldRevalidateFunction,
} from "@remix-run/react";
import type { ActionError, ActionResult } from "../../http/screens/screen-actions.ts";

const failed = (code: "unreachable" | "unauthorized", message: string): ActionError => ({
  ok: false,
  intent: "",
  code,
  message,
});
const UNREACHABLE = failed("unreachable", "The service was not reached.");
const SESSION_ENDED = failed("unauthorized", "Your session has ended.");

/**
 * After an ended session or a network error the loaders are not called: their error would replace
 * the page.
 */
export const skipRevalidationOnFailure: ShouldRevalidateFunction = ({
  actionResult,
  defaultShouldRevalidate,
}) => {
  const result = actionResult as ActionResult<unknown> | undefined;
  const isFailed =
    result?.ok === false && (result.code === "unauthorized" || result.code === "unreachable");
  return isFailed ? false : defaultShouldRevalidate;
};

/**
 * Returns `unreachable` when the service is unreachable, and `unauthorized` when it does not accept the
 * session, after App Bridge has tried with a new token: otherwise Remix would replace the page with an error.
 */
export const actionWithOfflineResult: ClientActionFunction = async ({ serverAction }) => {
  try {
    return await serverAction();
  } catch (error) {
    const isAnswer = error instanceof Response || isRouteErrorResponse(error);
    if (isAnswer && error.status === 401) return SESSION_ENDED;
    if (isAnswer) throw error;
    return UNREACHABLE;
  }
};
