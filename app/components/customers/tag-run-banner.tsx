// How far a change of many customers' tags is.
import { Banner, BlockStack, ProgressBar } from "@shopify/polaris";
import { formatCount } from "../figures.ts";
import { useRun } from "../use-run.ts";
import { useLocale, useWords } from "../words.tsx";
import { BULK_WORDS } from "./bulk-words.ts";

export type TagRun = {
  id: string;
  state: "waiting" | "running" | "done" | "failed";
  started_at: string;
  total: number;
  processed: number;
  changed: number;
  refused: number;
};

export default function TagRunBanner({
  run: started,
  onDismiss,
}: {
  run: TagRun;
  onDismiss: () => void;
}) {
  const words = useWords(BULK_WORDS);
  const locale = useLocale();
  const run = useRun(started, `/app/customers/tag-run?id=${started.id}`) ?? started;
  const count = (value: number) => formatCount(locale, value);
  if (run.state === "failed")
    return <Banner tone="critical" title={words.failed} onDismiss={onDismiss} />;
  if (run.state === "done")
    return (
      <Banner
        tone={run.refused > 0 ? "warning" : "success"}
        title={words.done(count(run.changed))}
        onDismiss={onDismiss}
      >
        {run.refused > 0 && <p>{words.refused(count(run.refused))}</p>}
      </Banner>
    );
  return (
    <Banner tone="info" title={words.running(count(run.processed), count(run.total))}>
      <BlockStack gap="200">
        <p>{words.runningText}</p>
        <ProgressBar
          progress={Math.min(100, Math.round((run.processed / Math.max(1, run.total)) * 100))}
          size="small"
          ariaLabelledBy={undefined}
        />
      </BlockStack>
    </Banner>
  );
}
