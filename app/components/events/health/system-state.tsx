// A system's name, its state, and the reason for it.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, InlineStack, Text } from "@shopify/polaris";
import type { ReactNode } from "react";
import type { SystemHealth } from "../../../domain/channels/delivery-health.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { WrappingText } from "../../ui/layout.tsx";
import { useFailureText } from "../failure-text.ts";

const TONES = {
  healthy: "success",
  degraded: "warning",
  paused: "critical",
  idle: undefined,
} as const;

type Props = { system: SystemHealth; label: string; children?: ReactNode };

export function SystemState({ system, label, children }: Props) {
  const { t } = useTranslation("events");
  const failureText = useFailureText();
  const labelled = useLabelled();
  const { state, reasons, paused_until: until, last_failure: last } = system;
  const tone = TONES[state];
  return (
    <WrappingText>
      <BlockStack gap="100">
        <InlineStack gap="200" blockAlign="center">
          <Text as="span" fontWeight="semibold">
            {label}
          </Text>
          <Badge {...(tone && { tone })}>{t(`health.${state}`)}</Badge>
        </InlineStack>
        {until && (
          <Text as="span" tone="caution">
            {t("pausedUntil")} <DateTime at={until} />
          </Text>
        )}
        {reasons.length > 0 && (
          <Text as="span" variant="bodySm">
            {reasons.map((reason) => t(`reasons.${reason}`)).join(" ")}
          </Text>
        )}
        {last && (
          <Text as="span" variant="bodySm" tone="subdued">
            {labelled(t("lastProblem"))} {failureText(last)} <DateTime at={last.at} />
          </Text>
        )}
        {children}
      </BlockStack>
    </WrappingText>
  );
}
