import { useEffect, useRef } from "react";

const LOOK_EVERY_MS = 1_500;

/**
 * Looks again and again while something goes on and the page is seen. The service is asked first whether it is there: the
 * router shows the whole page as failed when one of its own calls does.
 */
export function useLooking(isOn: boolean, look: () => void): void {
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
    }, LOOK_EVERY_MS);
    return () => {
      leaving.abort();
      clearInterval(timer);
    };
  }, [isOn]);
}
