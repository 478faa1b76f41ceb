import { useRevalidator } from "@remix-run/react";
import { usePolling } from "../hooks/use-polling.ts";

/** Reloads the page's data when an agent has called; the page keeps its focus and place. */
export function useActivityNews(isOn: boolean, mark: string): void {
  const { revalidate, state } = useRevalidator();
  usePolling(isOn && state === "idle", () => {
    readMark().then(
      (now) => {
        if (now !== null && now !== mark) revalidate();
      },
      () => {},
    );
  });
}

/** Not with a fetcher: the router replaces the whole page when one of its calls fails. */
async function readMark(): Promise<string | null> {
  const answer = await fetch("/app/agents/activity/mark");
  return answer.ok ? ((await answer.json()) as { mark: string }).mark : null;
}
