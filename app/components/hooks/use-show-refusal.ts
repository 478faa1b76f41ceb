// After a refused save: the first wrong field has the focus, or what says why is in sight.
import { useEffect, useRef } from "react";

const WRONG_FIELD = '[aria-invalid="true"]:not(:disabled)';

type Refusal = { fields?: Record<string, string> } | null;

/** The returned ref belongs to the element that says why. */
export function useShowRefusal(error: Refusal) {
  const place = useRef<HTMLDivElement>(null);
  const isRefused = error !== null;
  const fields = error?.fields;
  useEffect(() => {
    if (!isRefused) return;
    const first = fields && document.querySelector<HTMLElement>(WRONG_FIELD);
    if (first) first.focus();
    else place.current?.scrollIntoView({ block: "nearest" });
  }, [isRefused, fields]);
  return place;
}
