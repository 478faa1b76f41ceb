// What happened at one destination, step by step, with the waits between.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, Card, InlineStack, Text } from "@shopify/polaris";
import type { EventDelivery } from "../../../domain/bus/log/event-view.ts";
import type { TimelineStep } from "../../../domain/bus/log/timeline.ts";
import { useChannelName } from "../../i18n/channel-names.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { useReasonText } from "../failure-text.ts";
import { OutcomeBadge } from "../outcome-badge.tsx";
import { formatWait, EventTime } from "./event-time.tsx";

type Props = {
  delivery: EventDelivery;
  now: number;
  /** The attempts whose request and response are stored, and the chosen one of them. */
  exchanges: readonly number[];
  chosen: number | null;
  onChoose(attemptId: number): void;
  isBusy: boolean;
  onReplay(queueId: number): void;
};

export function EventTimeline({ delivery, now, isBusy, onReplay, ...choice }: Props) {
  const { t } = useTranslation("deliveries");
  const reasonText = useReasonText();
  const channelName = useChannelName();

  const { queue_id: queueId, channel, status, skip, timeline } = delivery;
  const name = channelName(channel);
  const reason = reasonText(delivery);
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading title={name}>
          <InlineStack gap="200" blockAlign="center">
            <OutcomeBadge status={status} skip={skip} />
            {status === "dead_letter" && skip === null && queueId !== null && (
              <Button
                onClick={() => onReplay(queueId)}
                disabled={isBusy}
                accessibilityLabel={t("replayOne", { channel: name })}
              >
                {t("replay")}
              </Button>
            )}
          </InlineStack>
        </CardHeading>
        <Text as="p">
          {t("attempts", { count: delivery.attempts })} {reason !== "-" && reason}
        </Text>
        <ol aria-label={t("timelineOf", { channel: name })} style={LIST}>
          {timeline.map((step, at) => (
            <li key={at} style={ITEM}>
              <Step step={step} now={now} {...choice} />
            </li>
          ))}
        </ol>
      </BlockStack>
    </Card>
  );
}

const LIST = { listStyle: "none", margin: 0, padding: 0 };
const ITEM = {
  borderInlineStart: "2px solid var(--p-color-border)",
  paddingInlineStart: "var(--p-space-300)",
  paddingBlock: "var(--p-space-150)",
};

type StepProps = { step: TimelineStep } & Pick<Props, "now" | "exchanges" | "chosen" | "onChoose">;

function Step({ step, now, exchanges, chosen, onChoose }: StepProps) {
  const { t } = useTranslation("deliveries");
  const locale = useLocale();
  const attempt = step.kind === "attempt" ? step.attempt : null;
  return (
    <BlockStack gap="050">
      {step.waitMs !== null && step.waitMs >= 1_000 && (
        <Text as="span" tone="subdued" variant="bodySm">
          <span suppressHydrationWarning>
            {t("waited", { time: formatWait(locale, step.waitMs) })}
          </span>
        </Text>
      )}
      <InlineStack gap="200" blockAlign="center">
        {attempt ? (
          <AttemptTitle attempt={attempt} />
        ) : (
          <Text as="span" fontWeight="semibold">
            {t(`steps.${step.kind as "received"}`)}
          </Text>
        )}
        {attempt && exchanges.includes(attempt.id) && (
          <Button
            variant="plain"
            pressed={attempt.id === chosen}
            accessibilityLabel={t("viewAttempt", { number: attempt.attempt })}
            onClick={() => onChoose(attempt.id)}
          >
            {t("view")}
          </Button>
        )}
      </InlineStack>
      {step.at !== null && (
        <Text as="span" tone="subdued">
          <EventTime at={step.at} now={now} />
        </Text>
      )}
    </BlockStack>
  );
}

type Attempt = Extract<TimelineStep, { kind: "attempt" }>["attempt"];

function AttemptTitle({ attempt }: { attempt: Attempt }) {
  const { t } = useTranslation("deliveries");
  const locale = useLocale();
  const details = [
    ...(attempt.http_status === null ? [] : [`HTTP ${attempt.http_status}`]),
    `${formatCount(locale, attempt.latency_ms)} ms`,
  ];
  return (
    <>
      <Text as="span" fontWeight="semibold">
        {t("attempt", { number: attempt.attempt })}
      </Text>
      <OutcomeBadge status={attempt.status} skip={attempt.skip} />
      <Text as="span" tone="subdued">
        {details.join(", ")}
      </Text>
    </>
  );
}
