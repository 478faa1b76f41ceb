// A run that goes on behind the page, looked at again and again while it goes, also after the page was loaded anew.
import { useFetcher, useRevalidator } from "@remix-run/react";
import { useEffect, useRef } from "react";

const LOOK_EVERY_MS = 700;

const isGoing = (run: { state: string } | null): boolean => run?.state === "running" || run?.state === "waiting";

/** `path` answers `{ run }`; when the run ends, the page reads its own data once more. */
export function useRun<Run extends { state: string; started_at: string }>(known: Run | null, path: string): Run | null {
  const { load, data, state } = useFetcher<{ run: Run | null }>();
  const { revalidate } = useRevalidator();
  const looked = data?.run ?? null;
  // The page's own answer is newer once it tells of a later run.
  const run = looked && (!known || looked.started_at >= known.started_at) ? looked : known;
  const isRunning = isGoing(run);
  useEffect(() => {
    if (!isRunning || state !== "idle") return;
    const timer = setTimeout(() => load(path), LOOK_EVERY_MS);
    return () => clearTimeout(timer);
  }, [isRunning, state, load, path]);
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) revalidate();
    wasRunning.current = isRunning;
  }, [isRunning, revalidate]);
  return known && looked && known.started_at === looked.started_at && !isGoing(known) ? known : run;
}
