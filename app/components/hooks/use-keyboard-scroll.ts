// A wide table whose rows hold nothing to focus: a keyboard still reaches its hidden columns.
import { useEffect, useRef } from "react";

const SCROLLER = ".Polaris-IndexTable-ScrollContainer";

/** The returned ref belongs to an element around the table. It is a stop of the Tab key while it scrolls. */
export function useKeyboardScroll(label: string) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const scroller = place.current?.querySelector<HTMLElement>(SCROLLER);
    if (!scroller) return;
    const attributes = { tabindex: "0", role: "group", "aria-label": label };
    const observer = new ResizeObserver(() => {
      const isWider = scroller.scrollWidth > scroller.clientWidth;
      for (const [name, value] of Object.entries(attributes))
        if (isWider) scroller.setAttribute(name, value);
        else scroller.removeAttribute(name);
    });
    for (const element of [scroller, ...scroller.children]) observer.observe(element);
    return () => observer.disconnect();
  }, [label]);
  return place;
}
