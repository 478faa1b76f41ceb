// While the service is not reached, the open screen stays as it is, and a screen that was to be opened says why it
// is not there.
import { useLocation, useMatches } from "@remix-run/react";
import { useEffect } from "react";

/** Shown by `ScreenProblem`. */
export class LostConnection extends Error {}

/** The open screen, and whether its reader knows that the connection is lost. */
let shown: { address: string; data: unknown } | null = null;
let isKnownLost = false;

/** Remembers what the screen shows, for a revalidation that fails. */
export function useShownScreen(): void {
  const { pathname, search } = useLocation();
  const data = useMatches().at(-1)?.data;
  useEffect(() => {
    shown = { address: pathname + search, data };
    return () => {
      shown = null;
    };
  }, [pathname, search, data]);
}

/**
 * Loads a screen's data. When the service is not reached, the open screen keeps the data that it shows, and
 * `onLost` is called once until the service answers again; for another screen it throws `LostConnection`.
 */
export async function loadOrKeep(
  load: () => Promise<unknown>,
  request: Request,
  onLost: () => void,
): Promise<unknown> {
  try {
    const data = await load();
    isKnownLost = false;
    return data;
  } catch (error) {
    // What the service answers with is a response or an Error; only `fetch` itself throws this one.
    if (!(error instanceof TypeError)) throw error;
    const { pathname, search } = new URL(request.url);
    if (shown?.address !== pathname + search) throw new LostConnection();
    if (!isKnownLost) onLost();
    isKnownLost = true;
    return shown.data;
  }
}
