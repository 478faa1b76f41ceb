// Keeps a screen and its input when an action fails in the network or is unauthorized.
import {
  isRouteErrorResponse,
  type ClientActionFunction,
  type ShouldRevalidateFunction,
} from "@remix-run/react";
import type { ActionError, ActionResult } from "../../http/screens/screen-actions.ts";

const UNREACHABLE: ActionError = {
  ok: false,
  intent: "",
  code: "unreachable",
  message: "The service was not reached.",
};

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
 * Returns `unreachable` when the service is unreachable; otherwise Remix would replace the page
 * with an error.
 */
export const actionWithOfflineResult: ClientActionFunction = async ({ serverAction }) => {
  try {
    return await serverAction();
  } catch (error) {
    if (error instanceof Response || isRouteErrorResponse(error)) throw error;
    return UNREACHABLE;
  }
};
