import { useEffect, useState, type ReactNode } from "react";

/**
 * For what is still on its way when the page arrives. React gives up hydrating a boundary that is still waiting as soon
 * as anything around it changes, and complains; a boundary that begins in the browser has nothing to hydrate.
 */
export function AfterMount({ fallback, children }: { fallback: ReactNode; children: ReactNode }) {
  const [isMounted, setIsMounted] = useState(false);
  useEffect(() => setIsMounted(true), []);
  return isMounted ? children : fallback;
}
