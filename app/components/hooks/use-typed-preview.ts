// Asks the service for a preview of what is being typed, and hands over the newest answer.
import { useEffect, useState } from "react";
import type { ActionError, ActionResult } from "../../http/screens/screen-actions.ts";
import { useErrorMessage } from "./use-screen-action.ts";

const TYPING_MS = 200;

type Options<Data> = {
  /** The action `preview` of this path answers. */
  path: string;
  input: Record<string, unknown>;
  /** A further input of the preview, which is requested again when this changes. */
  also?: unknown;
  onAnswer(data: Data): void;
};

/** `isCurrent`: what is typed now was answered, by a preview or an error. */
export function useTypedPreview<Data>({ path, input, also, onAnswer }: Options<Data>) {
  const [error, setError] = useState<Pick<ActionError, "code"> | null>(null);
  const [answered, setAnswered] = useState<string | null>(null);
  const messageOf = useErrorMessage();
  const asked = JSON.stringify({ intent: "preview", ...input });
  useEffect(() => {
    const leaving = new AbortController();
    const read = async () => {
      const result = await ask<Data>(path, asked, leaving.signal);
      if (leaving.signal.aborted) return;
      setAnswered(asked);
      setError(result.ok ? null : result);
      if (result.ok) onAnswer(result.data);
    };
    const timer = setTimeout(() => void read(), TYPING_MS);
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
    // `onAnswer` is another function at each render, and does the same.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [path, asked, also]);
  return {
    error: error && { code: error.code, message: messageOf(error) },
    isCurrent: answered === asked,
  };
}

/**
 * Not with a fetcher: the router drops the reload after a save when a later call of the same page ends first, and the
 * screen would keep the draft of before the save.
 */
async function ask<Data>(
  path: string,
  body: string,
  signal: AbortSignal,
): Promise<ActionResult<Data> | { ok: false; code: "unauthorized" | "unreachable" }> {
  try {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(path, { method: "POST", headers, body, signal });
    if (answer.status === 401) return { ok: false, code: "unauthorized" };
    return (await answer.json()) as ActionResult<Data>;
  } catch {
    return { ok: false, code: "unreachable" };
  }
}
