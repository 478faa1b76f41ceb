import { useEffect, useRef } from "react";

/** Each answer of a fetcher is taken once, by the function of the moment, whatever else changes around it. */
export function useAnswer<Answer>(
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
