// Asks the service for the preview of the draft as it is being typed. The newest answer is shown; while the draft
// breaks a rule, the last one that did not.
import { useEffect, useState } from "react";
import type { BannerContrast } from "../../../domain/tenants/banner/banner-design.ts";
import type { BannerFields } from "../../../domain/tenants/banner/banner-drafts.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";

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
  const { submit, error } = useScreenAction<Preview>("preview", {
    action: "/app/consent/banner/preview",
    onSuccess: (next) =>
      setShown((last) => ({ ...next, draft: next.draft ?? last?.draft ?? null })),
  });
  const asked = JSON.stringify({ fields, language, scheme, view, page });
  useEffect(() => {
    const timer = setTimeout(() => submit(JSON.parse(asked) as object), TYPING_MS);
    return () => clearTimeout(timer);
    // `submit` is new at every render; `published` is what the answer shows beside the draft.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [asked, published]);
  return { shown, error, scheme, setScheme, view, setView, store, page, setNeutral };
}

/** Null until the store answered. A later answer of the same kind changes nothing: the frame would load anew. */
function useStorePage(found: Promise<StorePage>): StorePage | null {
  const [store, setStore] = useState<StorePage | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void found.then((next) => {
      if (isCurrent) setStore((last) => (last?.html === next.html ? (last ?? next) : next));
    });
    return () => {
      isCurrent = false;
    };
  }, [found]);
  return store;
}

export type BannerPreview = ReturnType<typeof useBannerPreview>;
