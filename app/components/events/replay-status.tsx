import { Banner, BlockStack, ProgressBar, Text } from "@shopify/polaris";
import { EVENT_WORDS } from "./event-words.ts";
import { formatCount } from "../figures.ts";
import { Moment } from "../moment.tsx";
import { useLocale, useWords } from "../words.tsx";

type Counts = { requeued: number; of: number };
export type ReplayRun = {
  state: "running" | "done" | "failed" | "interrupted";
  started_at: string;
  finished_at: string | null;
  progress: Counts | null;
  result: Counts | null;
};

export function ReplayStatus({ run }: { run: ReplayRun }) {
  const words = useWords(EVENT_WORDS).replay;
  const locale = useLocale();
  const { requeued, of } = run.result ?? run.progress ?? { requeued: 0, of: 0 };
  const [done, all] = [formatCount(locale, requeued), formatCount(locale, of)];
  if (run.state === "running")
    return (
      <BlockStack gap="200">
        <ProgressBar
          progress={of > 0 ? Math.round((requeued / of) * 100) : 0}
          size="small"
          ariaLabelledBy="replay-progress"
        />
        <Text as="p" id="replay-progress">
          {words.running(done, all)}
        </Text>
      </BlockStack>
    );
  if (run.state !== "done")
    return (
      <Banner tone="critical">
        <p>{run.state === "failed" ? words.failed(done, all) : words.interrupted(done, all)}</p>
      </Banner>
    );
  const left = of - requeued;
  return (
    <Banner tone={left > 0 ? "warning" : "success"}>
      <p>
        {words.last}, <Moment at={run.finished_at ?? run.started_at} />: {words.done(done, all)}{" "}
        {left > 0 && words.partly(formatCount(locale, left))}
      </p>
    </Banner>
  );
}
