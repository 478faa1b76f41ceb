// Polls a background job until it ends, also after a reload of the page.
import { useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";

const LOOK_EVERY_MS = 700;

const isGoing = (run: { state: string } | null): boolean =>
  run?.state === "running" || run?.state === "waiting";

/** `path` returns `{ run }`; when the run ends, the page reloads its data. */
export function useJobProgress<Run extends { state: string; started_at: string }>(
  known: Run | null,
  path: string,
): Run | null {
  const { revalidate } = useRevalidator();
  const [looked, setLooked] = useState<Run | null>(null);
  // The loader's result is newer when it names a later run.
  const run = looked && (!known || looked.started_at >= known.started_at) ? looked : known;
  const isRunning = isGoing(run);
  useEffect(() => {
    if (!isRunning) return;
    const leaving = new AbortController();
    const look = async () => {
      // Retries when the service is unreachable: the job continues without this page.
      const found = await read<Run>(path, leaving.signal).catch(() => null);
      if (leaving.signal.aborted) return;
      if (found) setLooked(found);
      timer = setTimeout(() => void look(), LOOK_EVERY_MS);
    };
    let timer = setTimeout(() => void look(), LOOK_EVERY_MS);
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [isRunning, path]);
  const wasRunning = useRef(isRunning);
  useEffect(() => {
    if (wasRunning.current && !isRunning) revalidate();
    wasRunning.current = isRunning;
  }, [isRunning, revalidate]);
  return known && looked && known.started_at === looked.started_at && !isGoing(known) ? known : run;
}

/** Not with a fetcher: the router replaces the whole page when one of its calls fails. */
async function read<Run>(path: string, signal: AbortSignal): Promise<Run | null> {
  const answer = await fetch(path, { signal });
  return answer.ok ? ((await answer.json()) as { run: Run | null }).run : null;
}
