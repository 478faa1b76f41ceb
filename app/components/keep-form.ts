// What keeps a form that could not be saved on the screen, with all that was typed into it.
import { isRouteErrorResponse, type ClientActionFunction, type ShouldRevalidateFunction } from "@remix-run/react";

const KEPT: ReadonlySet<unknown> = new Set(["locked", "unreachable"]);

/** After an answer that the session has ended, or none, the page is not read again: it would go, and what was typed with it. */
export const keepWhenLocked: ShouldRevalidateFunction = ({ actionResult, defaultShouldRevalidate }) =>
  KEPT.has((actionResult as { outcome?: string } | undefined)?.outcome) ? false : defaultShouldRevalidate;

/** A service that is not reached, or is just starting, is told in the form instead of in its place. */
export const keepWhenUnreachable: ClientActionFunction = async ({ serverAction }) => {
  try {
    return await serverAction();
  } catch (error) {
    if (error instanceof Response || isRouteErrorResponse(error)) throw error;
    return { outcome: "unreachable" };
  }
};
