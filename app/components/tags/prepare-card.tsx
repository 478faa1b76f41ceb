// Prepares the tag system step by step and shows each result: a failed step does not block the others.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Button, Card, InlineStack, Text } from "@shopify/polaris";
import { useState } from "react";
import { CardHeading } from "../ui/card-heading.tsx";
import { formatCount } from "../i18n/format-number.ts";
import { useFetcherResult } from "../hooks/use-fetcher-result.ts";
import type { ActionResult } from "../../http/screens/screen-actions.ts";
import { useErrorMessage, useScreenAction } from "../hooks/use-screen-action.ts";
import { useLocale } from "../i18n/locale.ts";

const STEPS = ["backend", "storefront", "cms"] as const;
type Step = (typeof STEPS)[number];
type Counts = { created: number; existing: number };
type Answer = ActionResult<Counts>;

export function PrepareCard({ isEmpty }: { isEmpty: boolean }) {
  const { t } = useTranslation("tags");
  const { answers, running, start } = useSteps();
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={isEmpty ? t("emptyTitle") : t("prepareTitle")}>
          <Button
            onClick={start}
            loading={running !== null}
            {...(isEmpty && { variant: "primary" as const })}
          >
            {t("prepare")}
          </Button>
        </CardHeading>
        <Text as="p">{t("prepareText")}</Text>
        <div aria-live="polite">
          {(running !== null || answers.backend) && (
            <BlockStack gap="200">
              {STEPS.map((step) => (
                <StepRow
                  key={step}
                  step={step}
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
  const { submit, isBusy, result } = useScreenAction<Counts>("prepare");
  const [answers, setAnswers] = useState<Partial<Record<Step, Answer>>>({});
  const [running, setRunning] = useState<Step | null>(null);
  const run = (step: Step) => {
    setRunning(step);
    submit({ step });
  };
  useFetcherResult(
    { state: isBusy ? "busy" : "idle", data: result ?? undefined },
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
  step,
  answer,
  isRunning,
}: {
  step: Step;
  answer: Answer | undefined;
  isRunning: boolean;
}) {
  const { t } = useTranslation("tags");
  const locale = useLocale();
  const messageOf = useErrorMessage();
  const isSkipped = answer?.ok === false && answer.fields?.cms_api_token !== undefined;
  const badge = (): { text: string; tone?: "success" | "warning" | "info" } => {
    if (!answer) return isRunning ? { text: t("running"), tone: "info" } : { text: t("waiting") };
    if (isSkipped) return { text: t("skippedCms") };
    if (!answer.ok) return { text: messageOf(answer), tone: "warning" };
    const { created, existing } = answer.data;
    const counts = {
      created: formatCount(locale, created),
      existing: formatCount(locale, existing),
    };
    return { text: t("done", counts), tone: "success" };
  };
  const { text, ...tone } = badge();
  return (
    <InlineStack align="space-between" gap="200">
      <Text as="span">{t(`steps.${step}`)}</Text>
      <Badge {...tone}>{text}</Badge>
    </InlineStack>
  );
}
