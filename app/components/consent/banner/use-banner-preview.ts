// Asks the service for the preview of the draft as it is being typed. The newest answer is shown; while the draft
// breaks a rule, the last one that did not.
import { useEffect, useState } from "react";
import type { BannerContrast } from "../../../domain/tenants/banner/banner-design.ts";
import type { BannerFields } from "../../../domain/tenants/banner/banner-drafts.ts";
import { useTypedPreview } from "../../hooks/use-typed-preview.ts";

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
  const { error, isCurrent } = useTypedPreview<Preview>({
    path: "/app/consent/banner/preview",
    input: { fields, language, scheme, view, page },
    // The answer shows the published banner beside the draft.
    also: published,
    onAnswer(next) {
      setDraftOld(next.draft === null);
      setShown((last) => ({ ...next, draft: next.draft ?? last?.draft ?? null }));
    },
  });
  return {
    shown,
    isDraftOld,
    error,
    isCurrent,
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

export type BannerPreview = ReturnType<typeof useBannerPreview>;
