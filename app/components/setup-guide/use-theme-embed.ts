// Asks the store admin whether the app embed is on in the published theme, when the page opens and when the
// merchant returns to it from the theme editor.
import type { useAppBridge } from "@shopify/app-bridge-react";
import { useCallback, useEffect, useRef } from "react";

/** The handle and the block's file name in extensions/. */
const EXTENSION = "consent-footer";
const EMBED = "consent";

type Bridge = ReturnType<typeof useAppBridge>;

/** Null when the admin does not say. */
async function isEmbedActive(): Promise<boolean | null> {
  try {
    // useAppBridge throws outside the store admin, where the setup guide is shown too.
    const { app } = (window as unknown as { shopify: Bridge }).shopify;
    const extensions = await app.extensions();
    for (const { handle, type, activations } of extensions) {
      if (handle !== EXTENSION || type !== "theme_app_extension") continue;
      for (const block of activations)
        if ("handle" in block && block.handle === EMBED) return block.status === "active";
    }
    return false;
  } catch {
    return null;
  }
}

type Options = {
  isEmbedded: boolean;
  /** Whether the step is stored as done. */
  isDone: boolean;
  /** Null only after a button: the admin does not say. */
  report(isActive: boolean | null): void;
};

/** Returns a check for a button, which reports also what is known already. */
export function useThemeEmbed({ isEmbedded, isDone, report }: Options): () => Promise<void> {
  const latest = useRef({ isDone, report });
  useEffect(() => {
    latest.current = { isDone, report };
  });
  const look = useCallback(async ({ isAsked }: { isAsked: boolean }) => {
    const isActive = await isEmbedActive();
    const { isDone: isKnown, report: tell } = latest.current;
    if (isAsked || (isActive !== null && isActive !== isKnown)) tell(isActive);
  }, []);
  useEffect(() => {
    if (!isEmbedded) return;
    const lookWhenVisible = () => {
      if (document.visibilityState === "visible") void look({ isAsked: false });
    };
    lookWhenVisible();
    document.addEventListener("visibilitychange", lookWhenVisible);
    return () => document.removeEventListener("visibilitychange", lookWhenVisible);
  }, [isEmbedded, look]);
  return () => look({ isAsked: true });
}
