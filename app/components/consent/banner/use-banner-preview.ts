// Asks the service for the preview of the draft as it is being typed. The newest answer is shown; while the draft
// breaks a rule, the last one that did not.
import { useEffect, useState } from "react";
import type { BannerContrast } from "../../../domain/tenants/banner/banner-design.ts";
import type { BannerFields } from "../../../domain/tenants/banner/banner-drafts.ts";
import type { ActionError, ActionResult } from "../../../http/screens/screen-actions.ts";
import { useErrorMessage } from "../../hooks/use-screen-action.ts";

/** `html`: the store's front page in a document of its own; null where it cannot be framed. */
export type StorePage =
  | { state: "frameable"; html: string }
  | { state: "refused" | "password" | "unreachable"; html: null };

type Preview = {
  /** Null while the draft breaks a rule. */
  draft: string | null;
  published: string;
  problems: Record<string, string>;
  contrasts: Record<"light" | "dark", BannerContrast[] | null>;
};

const PATH = "/app/consent/banner/preview";
const TYPING_MS = 200;

export function useBannerPreview(
  fields: BannerFields,
  language: string,
  published: number,
  found: Promise<StorePage>,
) {
  const [scheme, setScheme] = useState<"light" | "dark">("light");
  const [view, setView] = useState<"banner" | "preferences">("banner");
  const store = useStorePage(found);
  const [isNeutral, setNeutral] = useState(false);
  const page: "store" | "neutral" = store?.html && !isNeutral ? "store" : "neutral";
  const [shown, setShown] = useState<Preview | null>(null);
  const [isDraftOld, setDraftOld] = useState(false);
  const [error, setError] = useState<Pick<ActionError, "code"> | null>(null);
  const messageOf = useErrorMessage();
  const asked = JSON.stringify({ intent: "preview", fields, language, scheme, view, page });
  useEffect(() => {
    const leaving = new AbortController();
    const read = async () => {
      const result = await askForPreview(asked, leaving.signal);
      if (leaving.signal.aborted) return;
      setError(result.ok ? null : result);
      if (!result.ok) return;
      setDraftOld(result.data.draft === null);
      setShown((last) => ({ ...result.data, draft: result.data.draft ?? last?.draft ?? null }));
    };
    const timer = setTimeout(() => void read(), TYPING_MS);
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
    // `published` is what the answer shows beside the draft.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [asked, published]);
  const problem = error && { code: error.code, message: messageOf(error) };
  return {
    shown,
    isDraftOld,
    error: problem,
    scheme,
    setScheme,
    view,
    setView,
    store,
    page,
    setNeutral,
  };
}

/** Null until the store answered. */
function useStorePage(found: Promise<StorePage>): StorePage | null {
  const [store, setStore] = useState<StorePage | null>(null);
  useEffect(() => {
    let isCurrent = true;
    found
      .then((answer) => {
        if (isCurrent) setStore(answer);
      })
      // The screen was left before the store answered.
      .catch(() => {});
    return () => {
      isCurrent = false;
    };
  }, [found]);
  return store;
}

/**
 * Not with a fetcher: the router drops the reload after a save when a later call of the same page ends first, and the
 * screen would keep the draft of before the save.
 */
async function askForPreview(
  body: string,
  signal: AbortSignal,
): Promise<ActionResult<Preview> | { ok: false; code: "unreachable" }> {
  try {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(PATH, { method: "POST", headers, body, signal });
    return (await answer.json()) as ActionResult<Preview>;
  } catch {
    return { ok: false, code: "unreachable" };
  }
}

export type BannerPreview = ReturnType<typeof useBannerPreview>;
