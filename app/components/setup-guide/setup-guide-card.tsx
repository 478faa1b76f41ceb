// The setup guide: on the app's home, and as the whole onboarding page. Its buttons post to
// `action`, whose loader returns `{ guide }` while work is in progress.
import { useTranslation } from "react-i18next";
import { useFetcher } from "@remix-run/react";
import {
  Badge,
  BlockStack,
  Button,
  Card,
  Divider,
  InlineStack,
  ProgressBar,
  Text,
} from "@shopify/polaris";
import { useRef, useState, type ComponentProps } from "react";
import type {
  GuideStep,
  GuideStepName,
  SetupGuide,
} from "../../domain/merchant/setup-guide/read-guide.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { HydrationGate } from "../frame/hydration-gate.tsx";
import { useGuideActions } from "./guide-actions.ts";
import { StepButtons } from "./step-buttons.tsx";
import { InProgress, StepResult } from "./step-result.tsx";
import { useThemeEmbed } from "./use-theme-embed.ts";
import { usePolling } from "../hooks/use-polling.ts";

type Props = {
  guide: SetupGuide;
  /** The route of the actions, whose loader returns the guide. */
  action: string;
  settingsUrl: string;
  /**
   * Inside the store admin the whole window navigates to the store, elsewhere the page stays and
   * polls for the connection.
   */
  isEmbedded: boolean;
  /** Beside the other cards of a page: the guide is collapsed once it was begun. */
  onDismiss?(): void;
};

/** How long a check may take before the next one replaces it. */
const MAX_WAIT_MS = 10_000;
const TONES = { done: "success", running: "info", failed: "critical", todo: undefined } as const;

export function SetupGuideCard(props: Props) {
  const { action, isEmbedded, onDismiss } = props;
  const { t } = useTranslation("setup-guide");
  const actions = useGuideActions(action);
  const live = useLiveGuide(action);
  const guide = live.guide ?? props.guide;
  const isConnected = guide.steps[0]?.state === "done";
  // The connection alone is no beginning: the app was opened with it.
  const [areStepsShown, showSteps] = useState(onDismiss === undefined || props.guide.done <= 1);
  const checkEmbed = useThemeEmbed({
    isEmbedded,
    isDone: guide.steps.some(({ name, state }) => name === "embed" && state === "done"),
    report: (isActive) =>
      isActive === null ? actions.check_embed.submit() : actions.report_embed.submit({ isActive }),
  });
  const [isTrying, setIsTrying] = useState(false);
  const waitsForDecision =
    isTrying && guide.steps.some(({ name, state }) => name === "decision" && state === "todo");
  const waitsForInstall = !isEmbedded && !isConnected;
  usePolling(guide.isRunning || waitsForDecision || waitsForInstall, live.reload);
  const next = guide.steps.find(({ state }) => state === "failed" || state === "todo")?.name;
  // A step that was opened manually closes when the next step becomes current.
  const [opened, setOpened] = useState<{
    name: GuideStepName;
    before: GuideStepName | undefined;
  } | null>(null);
  const isOpen = ({ name, state }: GuideStep) =>
    (opened && opened.before === next ? opened.name : next) === name || state === "running";
  return (
    <HydrationGate>
      <Card>
        <BlockStack gap="400">
          <CardHeading title={t("title")}>
            {onDismiss && (
              <GuideButtons
                areStepsShown={areStepsShown}
                onToggle={() => showSteps(!areStepsShown)}
                onDismiss={onDismiss}
              />
            )}
          </CardHeading>
          <GuideProgress guide={guide} />
          {guide.isDone && <Text as="p">{t("all")}</Text>}
          {areStepsShown && (
            <BlockStack gap="300">
              {guide.steps.map((step) => (
                <BlockStack key={step.name} gap="300">
                  <Divider />
                  <StepHeading
                    step={step}
                    isOpen={isOpen(step)}
                    onOpen={() => setOpened({ name: step.name, before: next })}
                  />
                  {isOpen(step) && (
                    <OpenStep
                      {...props}
                      step={step}
                      guide={guide}
                      actions={actions}
                      checkEmbed={checkEmbed}
                      isWaiting={step.name === "decision" && waitsForDecision}
                      onTry={() => setIsTrying(true)}
                    />
                  )}
                </BlockStack>
              ))}
            </BlockStack>
          )}
        </BlockStack>
      </Card>
    </HydrationGate>
  );
}

type OpenStepProps = ComponentProps<typeof StepButtons> & {
  /** The shopper's decision, which this step is about, has not arrived yet. */
  isWaiting: boolean;
};

function OpenStep({ isWaiting, ...buttons }: OpenStepProps) {
  const { t } = useTranslation("setup-guide");
  const { step, actions } = buttons;
  return (
    <BlockStack gap="300">
      <Text as="p">{t(`steps.${step.name}.text`)}</Text>
      <div aria-live="polite">
        {isWaiting ? (
          <InProgress text={t("waitingForDecision")} />
        ) : (
          <StepResult step={step} actions={actions} />
        )}
      </div>
      <InlineStack gap="200">
        <StepButtons {...buttons} />
      </InlineStack>
    </BlockStack>
  );
}

type ButtonsProps = { areStepsShown: boolean; onToggle(): void; onDismiss(): void };

function GuideButtons({ areStepsShown, onToggle, onDismiss }: ButtonsProps) {
  const { t } = useTranslation("setup-guide");
  return (
    <InlineStack gap="200">
      <Button
        variant="tertiary"
        ariaExpanded={areStepsShown}
        disclosure={areStepsShown ? "up" : "down"}
        onClick={onToggle}
      >
        {areStepsShown ? t("hideSteps") : t("showSteps")}
      </Button>
      <Button variant="tertiary" onClick={onDismiss}>
        {t("dismiss")}
      </Button>
    </InlineStack>
  );
}

function GuideProgress({ guide: { done, steps } }: { guide: SetupGuide }) {
  const { t } = useTranslation("setup-guide");
  return (
    <BlockStack gap="200">
      <Text as="p" tone="subdued" id="setup-progress">
        {t("progress", { count: done, of: steps.length })}
      </Text>
      <ProgressBar
        progress={Math.round((done / steps.length) * 100)}
        size="small"
        tone="success"
        ariaLabelledBy="setup-progress"
      />
    </BlockStack>
  );
}

/** Reads the guide again while it changes. `guide` is undefined before the first answer. */
function useLiveGuide(action: string) {
  const live = useFetcher<{ guide: SetupGuide }>();
  const askedAt = useRef(0);
  return {
    guide: live.data?.guide,
    reload() {
      // A request that got lost on its way must not be the last one.
      if (live.state !== "idle" && Date.now() - askedAt.current < MAX_WAIT_MS) return;
      askedAt.current = Date.now();
      live.load(action);
    },
  };
}

function StepHeading({
  step,
  isOpen,
  onOpen,
}: {
  step: GuideStep;
  isOpen: boolean;
  onOpen(): void;
}) {
  const { t } = useTranslation("setup-guide");
  return (
    <InlineStack align="space-between" blockAlign="center" gap="200">
      {isOpen ? (
        <Text as="h3" variant="headingSm">
          {t(`steps.${step.name}.title`)}
        </Text>
      ) : (
        <Button variant="monochromePlain" textAlign="start" onClick={onOpen}>
          {t(`steps.${step.name}.title`)}
        </Button>
      )}
      <StepBadge {...step} />
    </InlineStack>
  );
}

/** What the check found stays in sight when the guide goes on to the next step. */
function StepBadge({ name, state, count }: GuideStep) {
  const { t } = useTranslation("setup-guide");
  if (name === "scripts" && state === "done" && count)
    return <Badge tone="warning">{t("earlyScriptsBadge", { count })}</Badge>;
  const tone = TONES[state];
  return <Badge {...(tone && { tone })}>{t(`states.${state}`)}</Badge>;
}
