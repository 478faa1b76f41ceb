import { Banner, BlockStack, Button, Card, List, ProgressBar, Text } from "@shopify/polaris";
import { CardHeading } from "../card-heading.tsx";
import { CONSENT_WORDS } from "./consent-words.ts";
import { formatCount } from "../figures.ts";
import { Moment } from "../moment.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useRun } from "../use-run.ts";
import { useLocale, useWords } from "../words.tsx";

type Problem = {
  id: number | null;
  seq: number;
  kind: keyof (typeof CONSENT_WORDS)["en"]["verify"]["kinds"];
};
type Verification = {
  state: "running" | "done" | "failed" | "interrupted";
  started_at: string;
  finished_at: string | null;
  progress: { rows: number; of: number } | null;
  result: { ok: boolean; rows: number; problems: Problem[]; problem_count: number } | null;
};

export function ConsentVerifyCard({ verification }: { verification: Verification | null }) {
  const words = useWords(CONSENT_WORDS).verify;
  const { run: start, isBusy, refused } = useDeed();
  const problem = useRefusal(refused);
  const run = useRun(verification, "/app/consent/verification");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.title}>
          <Button
            onClick={() => start("verify")}
            loading={isBusy}
            disabled={run?.state === "running"}
          >
            {words.button}
          </Button>
        </CardHeading>
        <Text as="p" tone="subdued">
          {words.text}
        </Text>
        <div aria-live="polite">
          {problem && (
            <Banner tone="critical">
              <p>{problem}</p>
            </Banner>
          )}
          {run && <Outcome run={run} />}
        </div>
      </BlockStack>
    </Card>
  );
}

function Outcome({ run }: { run: Verification }) {
  const words = useWords(CONSENT_WORDS).verify;
  const locale = useLocale();
  const count = (value: number) => formatCount(locale, value);
  if (run.state === "running") {
    const { rows, of } = run.progress ?? { rows: 0, of: 0 };
    return (
      <BlockStack gap="200">
        <ProgressBar
          progress={of > 0 ? Math.round((rows / of) * 100) : 0}
          size="small"
          ariaLabelledBy="verify-progress"
        />
        <Text
          as="p"
          id="verify-progress"
        >{`${words.running}: ${words.progress(count(rows), count(of))}`}</Text>
      </BlockStack>
    );
  }
  if (run.state !== "done" || !run.result)
    return (
      <Banner tone="warning">
        <p>{run.state === "interrupted" ? words.interrupted : words.failed}</p>
      </Banner>
    );
  const { ok, rows, problems, problem_count: all } = run.result;
  const when = (
    <Text as="span" variant="bodySm" tone="subdued">
      {words.last}: <Moment at={run.finished_at ?? run.started_at} />
    </Text>
  );
  if (ok)
    return (
      <BlockStack gap="200">
        <Banner tone="success">
          <p>{words.good(count(rows))}</p>
        </Banner>
        {when}
      </BlockStack>
    );
  return (
    <BlockStack gap="200">
      <Banner tone="critical" title={words.bad(count(all), count(rows))}>
        <List>
          {problems.map(({ seq, kind }) => (
            <List.Item
              key={`${kind}-${seq}`}
            >{`${words.place} ${count(seq)} ${words.kinds[kind]}`}</List.Item>
          ))}
        </List>
        {all > problems.length && <p>{words.more(count(all - problems.length))}</p>}
      </Banner>
      {when}
    </BlockStack>
  );
}
