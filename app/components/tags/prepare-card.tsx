// Prepares the tag system step by step, and says of each how it went: one that cannot run stops no other.
import { Badge, BlockStack, Button, Card, InlineStack, Text } from "@shopify/polaris";
import { useState } from "react";
import { CardHeading } from "../card-heading.tsx";
import { formatCount } from "../figures.ts";
import { useAnswer } from "../use-answer.ts";
import { useDeed, useRefusal, type Answered } from "../use-deed.ts";
import { useLocale, useWords } from "../words.tsx";
import { TAG_WORDS } from "./tag-words.ts";

const STEPS = ["backend", "storefront", "cms"] as const;
type Step = (typeof STEPS)[number];
type Counts = { created: number; existing: number };
type Answer = Answered<Counts>;

export function PrepareCard({ isEmpty }: { isEmpty: boolean }) {
  const words = useWords(TAG_WORDS);
  const { answers, running, start } = useSteps();
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={isEmpty ? words.emptyTitle : words.prepareTitle}>
          <Button
            onClick={start}
            loading={running !== null}
            {...(isEmpty && { variant: "primary" as const })}
          >
            {words.prepare}
          </Button>
        </CardHeading>
        <Text as="p">{words.prepareText}</Text>
        <div aria-live="polite">
          {(running !== null || answers.backend) && (
            <BlockStack gap="200">
              {STEPS.map((step) => (
                <StepRow
                  key={step}
                  name={words.steps[step]}
                  answer={answers[step]}
                  isRunning={running === step}
                />
              ))}
            </BlockStack>
          )}
        </div>
      </BlockStack>
    </Card>
  );
}

function useSteps() {
  const { run: send, isBusy, done, refused } = useDeed<Counts>();
  const [answers, setAnswers] = useState<Partial<Record<Step, Answer>>>({});
  const [running, setRunning] = useState<Step | null>(null);
  const run = (step: Step) => {
    setRunning(step);
    send("prepare", { step });
  };
  useAnswer(
    { state: isBusy ? "busy" : "idle", data: done ?? refused ?? undefined },
    (answer: Answer) => {
      if (running === null) return;
      setAnswers((before) => ({ ...before, [running]: answer }));
      const next = STEPS[STEPS.indexOf(running) + 1];
      if (next) run(next);
      else setRunning(null);
    },
  );
  return {
    answers,
    running,
    start: () => {
      setAnswers({});
      run(STEPS[0]);
    },
  };
}

function StepRow({
  name,
  answer,
  isRunning,
}: {
  name: string;
  answer: Answer | undefined;
  isRunning: boolean;
}) {
  const words = useWords(TAG_WORDS);
  const locale = useLocale();
  const problem = useRefusal(answer?.isDone === false ? answer : null);
  const text = answer?.isDone
    ? words.done(formatCount(locale, answer.created), formatCount(locale, answer.existing))
    : problem
      ? problem
      : isRunning
        ? words.running
        : words.waiting;
  return (
    <InlineStack align="space-between" gap="200">
      <Text as="span">{name}</Text>
      <Badge
        {...(answer
          ? { tone: answer.isDone ? "success" : "warning" }
          : isRunning
            ? { tone: "info" }
            : {})}
      >
        {text}
      </Badge>
    </InlineStack>
  );
}
