// Loads the scripts of the screens that the open one leads to. When a screen's script cannot be loaded, Remix loads
// the whole document anew, and without a connection that ends the app: with the script there, the frame stays and
// says that there is no connection. It stays with the document also when a deploy removes its file.
import { useLocation } from "@remix-run/react";
import { useEffect } from "react";

/**
 * Long after the screen is usable: its own scripts, its data and the merchant's first steps go first, and a short
 * visit loads nothing for later.
 */
const DELAY_MS = 3_000;
/** In the performance timeline: what comes after it is loaded ahead. */
const MARK = "screens-ahead";

/** Does nothing for a reader whose browser saves data. */
export function usePreloadedScreens(): void {
  const { pathname } = useLocation();
  useEffect(() => {
    const { connection } = navigator as Navigator & { connection?: { saveData?: boolean } };
    // In development it would compile them all.
    if (import.meta.env.DEV || connection?.saveData) return;
    const timer = setTimeout(() => whenIdle(() => void preloadScreens()), DELAY_MS);
    return () => clearTimeout(timer);
    // Each screen leads to others.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [pathname]);
}

/** Safari has no idle callbacks. */
const whenIdle = (work: () => void): unknown =>
  "requestIdleCallback" in window ? requestIdleCallback(work) : setTimeout(work, 0);

/** Loads the routes that Remix knows by now: those of the menu and of the links on the screens so far. */
async function preloadScreens(): Promise<void> {
  performance.mark(MARK);
  for (const route of Object.values(window.__remixManifest.routes))
    // Every screen has an error boundary, no endpoint does. One after the other, so that the screen in use goes
    // first. What cannot be loaded now is loaded when it is opened.
    if (route?.id.startsWith("routes/app.") && route.hasErrorBoundary)
      await import(/* @vite-ignore */ route.module).catch(() => {});
  performance.mark(`${MARK}-done`);
}
