import { useNavigation } from "@remix-run/react";
import { useEffect } from "react";

/** A screen that is there sooner needs no sign of progress. */
const SLOW_MS = 200;

/** The admin's own progress bar while the next screen loads. */
export function useProgress(): void {
  const isLoading = useNavigation().state !== "idle";
  useEffect(() => {
    if (!isLoading) return;
    const timer = setTimeout(() => window.shopify?.loading?.(true), SLOW_MS);
    return () => {
      clearTimeout(timer);
      window.shopify?.loading?.(false);
    };
  }, [isLoading]);
}
