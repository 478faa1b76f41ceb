import { useEffect, useRef } from "react";

const LOOK_EVERY_MS = 1_500;

/**
 * Polls while work is in progress and the page is visible. Checks first whether the service is
 * reachable: the router replaces the whole page when one of its own calls fails.
 */
export function usePolling(isOn: boolean, look: () => void, everyMs = LOOK_EVERY_MS): void {
  const latest = useRef(look);
  useEffect(() => {
    latest.current = look;
  });
  useEffect(() => {
    if (!isOn) return;
    const leaving = new AbortController();
    const ask = async () => {
      const { ok } = await fetch("/health", { signal: leaving.signal });
      if (ok && !leaving.signal.aborted) latest.current();
    };
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") ask().catch(() => {});
    }, everyMs);
    return () => {
      leaving.abort();
      clearInterval(timer);
    };
  }, [isOn, everyMs]);
}
