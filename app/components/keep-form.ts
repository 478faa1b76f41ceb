// What keeps a screen where it is, with all that was typed into it, when something could not be saved or done.
import {
  isRouteErrorResponse,
  type ClientActionFunction,
  type ShouldRevalidateFunction,
} from "@remix-run/react";
import type { Refused } from "./use-deed.ts";

/** As a screen's deeds are refused (use-deed.ts). */
const UNREACHED: Refused = { intent: "", isDone: false, code: "unreachable", fields: {} };
const KEPT: ReadonlySet<unknown> = new Set(["locked", "unreachable"]);

/** After an answer that the session has ended, or none, the page is not read again: it would go, and what was typed with it. */
export const keepWhenLocked: ShouldRevalidateFunction = ({
  actionResult,
  defaultShouldRevalidate,
}) =>
  KEPT.has((actionResult as { outcome?: string } | undefined)?.outcome)
    ? false
    : defaultShouldRevalidate;

/** A service that is not reached, or is just starting, is told in the form, or beside the button, instead of in its place. */
export const keepWhenUnreachable: ClientActionFunction = async ({ serverAction }) => {
  try {
    return await serverAction();
  } catch (error) {
    if (error instanceof Response || isRouteErrorResponse(error)) throw error;
    return { outcome: "unreachable", ...UNREACHED };
  }
};
