// Prepares the tag system step by step, and says of each how it went: one that cannot run stops no other.
import { useFetcher } from "@remix-run/react";
import { Badge, BlockStack, Button, Card, InlineStack, Text } from "@shopify/polaris";
import { useState } from "react";
import { CardHeading } from "../card-heading.tsx";
import { formatCount } from "../figures.ts";
import { useRefusal } from "../refusal-words.ts";
import { useAnswer } from "../use-answer.ts";
import { useLocale, useWords } from "../words.tsx";
import { TAG_WORDS } from "./tag-words.ts";

const STEPS = ["backend", "storefront", "cms"] as const;
type Step = (typeof STEPS)[number];
type Answer = { ok: true; result: { created: number; existing: number } } | { ok: false; code: string };

export function PrepareCard({ isEmpty }: { isEmpty: boolean }) {
  const words = useWords(TAG_WORDS);
  const { answers, running, start } = useSteps();
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={isEmpty ? words.emptyTitle : words.prepareTitle}>
          <Button onClick={start} loading={running !== null} {...(isEmpty && { variant: "primary" as const })}>
            {words.prepare}
          </Button>
        </CardHeading>
        <Text as="p">{words.prepareText}</Text>
        <div aria-live="polite">
          {(running !== null || answers.backend) && (
            <BlockStack gap="200">
              {STEPS.map((step) => (
                <StepRow key={step} name={words.steps[step]} answer={answers[step]} isRunning={running === step} />
              ))}
            </BlockStack>
          )}
        </div>
      </BlockStack>
    </Card>
  );
}

function useSteps() {
  const fetcher = useFetcher<Answer>();
  const [answers, setAnswers] = useState<Partial<Record<Step, Answer>>>({});
  const [running, setRunning] = useState<Step | null>(null);
  const run = (step: Step) => {
    setRunning(step);
    fetcher.submit(JSON.stringify({ intent: "prepare", step }), { method: "post", action: "/app/tags", encType: "application/json" });
  };
  useAnswer(fetcher, (answer) => {
    if (running === null) return;
    setAnswers((before) => ({ ...before, [running]: answer }));
    const next = STEPS[STEPS.indexOf(running) + 1];
    if (next) run(next);
    else setRunning(null);
  });
  return {
    answers,
    running,
    start: () => {
      setAnswers({});
      run(STEPS[0]);
    },
  };
}

function StepRow({ name, answer, isRunning }: { name: string; answer: Answer | undefined; isRunning: boolean }) {
  const words = useWords(TAG_WORDS);
  const locale = useLocale();
  const refusal = useRefusal();
  const text = answer ? (answer.ok ? words.done(formatCount(locale, answer.result.created), formatCount(locale, answer.result.existing)) : refusal(answer.code)) : isRunning ? words.running : words.waiting;
  return (
    <InlineStack align="space-between" gap="200">
      <Text as="span">{name}</Text>
      <Badge {...(answer ? { tone: answer.ok ? "success" : "warning" } : isRunning ? { tone: "info" } : {})}>{text}</Badge>
    </InlineStack>
  );
}
