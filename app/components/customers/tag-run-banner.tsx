// How far a change of many customers' tags is; asks again every second until it has ended.
import { useFetcher, useRevalidator } from "@remix-run/react";
import { Banner, BlockStack, ProgressBar } from "@shopify/polaris";
import { useEffect, useState } from "react";
import { formatCount } from "../figures.ts";
import { useLocale, useWords } from "../words.tsx";
import { BULK_WORDS } from "./bulk-words.ts";

export type TagRun = { id: string; state: "waiting" | "running" | "done" | "failed"; total: number; processed: number; changed: number; refused: number };

const ASK_MS = 1_000;

export default function TagRunBanner({ run: started, onDismiss }: { run: TagRun; onDismiss: () => void }) {
  const words = useWords(BULK_WORDS);
  const locale = useLocale();
  const run = useProgress(started);
  const count = (value: number) => formatCount(locale, value);
  if (run.state === "failed")
    return <Banner tone="critical" title={words.failed} onDismiss={onDismiss} />;
  if (run.state === "done")
    return (
      <Banner tone={run.refused > 0 ? "warning" : "success"} title={words.done(count(run.changed))} onDismiss={onDismiss}>
        {run.refused > 0 && <p>{words.refused(count(run.refused))}</p>}
      </Banner>
    );
  return (
    <Banner tone="info" title={words.running(count(run.processed), count(run.total))}>
      <BlockStack gap="200">
        <p>{words.runningText}</p>
        <ProgressBar progress={Math.min(100, Math.round((run.processed / Math.max(1, run.total)) * 100))} size="small" ariaLabelledBy={undefined} />
      </BlockStack>
    </Banner>
  );
}

function useProgress(started: TagRun): TagRun {
  const fetcher = useFetcher<{ ok: boolean; result?: { run: TagRun | null } }>();
  const { revalidate } = useRevalidator();
  const [run, setRun] = useState(started);
  const isOver = run.state === "done" || run.state === "failed";
  useEffect(() => setRun(started), [started]);
  useEffect(() => {
    if (isOver) return revalidate();
    const timer = setTimeout(() => {
      fetcher.submit(JSON.stringify({ intent: "tags.state", id: run.id }), { method: "post", action: "/app/customers?index", encType: "application/json" });
    }, ASK_MS);
    return () => clearTimeout(timer);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- asked again after each answer, and once more when it is over
  }, [run, isOver]);
  useEffect(() => {
    const news = fetcher.state === "idle" && fetcher.data?.ok ? fetcher.data.result?.run : null;
    if (news) setRun(news);
  }, [fetcher.state, fetcher.data]);
  return run;
}
