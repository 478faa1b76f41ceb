// After a refused save: the first wrong field has the focus, or what says why is in sight.
import { useEffect, useRef } from "react";

const WRONG_FIELD = '[aria-invalid="true"]:not(:disabled)';

type Refusal = { fields?: Record<string, string> } | null;

/**
 * The returned ref belongs to the element that says why. `isReady`: the wrong fields are marked; false
 * while something that marks them is still asked for.
 */
export function useShowRefusal(error: Refusal, { isReady = true } = {}) {
  const place = useRef<HTMLDivElement>(null);
  const isShown = useRef(false);
  const isRefused = error !== null;
  const fields = error?.fields;
  useEffect(() => {
    if (!isRefused) isShown.current = false;
    if (!isRefused || !isReady || isShown.current) return;
    isShown.current = true;
    const first = fields && document.querySelector<HTMLElement>(WRONG_FIELD);
    if (first) first.focus();
    else place.current?.scrollIntoView({ block: "nearest" });
  }, [isRefused, fields, isReady]);
  return place;
}
