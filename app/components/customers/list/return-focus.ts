// Back from a customer's page, the focus is on that customer's link again.
import { useEffect } from "react";

/** Lives as long as the app is open; a reload starts at the top. */
let opened: string | null = null;

export const rememberOpened = (target: EventTarget): void => {
  const link = target instanceof Element ? target.closest("a[data-primary-link]") : null;
  if (link) opened = link.getAttribute("href");
};

export function useReturnFocus(): void {
  useEffect(() => {
    const link = opened && document.querySelector<HTMLElement>(`a[href="${CSS.escape(opened)}"]`);
    opened = null;
    if (link) link.focus();
  }, []);
}
