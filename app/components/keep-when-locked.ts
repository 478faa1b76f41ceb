import type { ShouldRevalidateFunction } from "@remix-run/react";

/** After an answer that the session has ended the page is not read again: it would go, and what was typed with it. */
export const keepWhenLocked: ShouldRevalidateFunction = ({ actionResult, defaultShouldRevalidate }) =>
  (actionResult as { outcome?: string } | undefined)?.outcome === "locked" ? false : defaultShouldRevalidate;
