import { useEffect, useRef } from "react";

/** Calls `take` once for each result of a fetcher, always the latest `take`. */
export function useFetcherResult<Answer>(
  { state, data }: { state: string; data?: Answer | undefined },
  take: (answer: Answer) => void,
): void {
  const taken = useRef<Answer>();
  useEffect(() => {
    if (state !== "idle" || data === undefined || taken.current === data) return;
    taken.current = data;
    take(data);
  });
}
