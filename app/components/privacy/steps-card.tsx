// What was done for a request, system by system.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Box, Card, InlineStack, Text } from "@shopify/polaris";
import type { BoardRequest } from "../../domain/compliance/board/request-list.ts";
import type { ShownStep } from "../../domain/compliance/board/shown-steps.ts";
import { useLocale } from "../i18n/locale.ts";
import { formatCount } from "../i18n/format-number.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { DateTime } from "../ui/date-time.tsx";

const TONES = {
  done: "success",
  running: "info",
  waiting: undefined,
  failed: "critical",
  left: "attention",
  unrecorded: undefined,
} as const;

export function StepsCard({ request }: { request: BoardRequest }) {
  const { t } = useTranslation("privacy");
  return (
    <Card padding="0">
      <Box padding="400">
        <CardHeading title={t("steps.title")} />
      </Box>
      <ol style={{ listStyle: "none", margin: 0, padding: 0 }}>
        {request.steps.map((step) => (
          <li key={step.name}>
            <StepRow step={step} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function StepRow({ step }: { step: ShownStep }) {
  const { t } = useTranslation("privacy");
  const locale = useLocale();
  const { result } = step;
  const tone = TONES[step.state];
  return (
    <Box padding="400" borderBlockStartWidth="025" borderColor="border-secondary">
      <InlineStack align="space-between" blockAlign="start" gap="200" wrap={false}>
        <BlockStack gap="050">
          <Text as="span" fontWeight="semibold">
            {t(`steps.names.${step.name}`)}
          </Text>
          {result && (
            <Text as="span">
              {t(`steps.outcomes.${result.outcome}`, {
                count: result.count,
                shown: formatCount(locale, result.count),
              })}
            </Text>
          )}
          {result && (
            <Text as="span" variant="bodySm" tone="subdued">
              <DateTime at={result.at} />
            </Text>
          )}
        </BlockStack>
        <Badge {...(tone && { tone })}>{t(`steps.states.${step.state}`)}</Badge>
      </InlineStack>
    </Box>
  );
}
