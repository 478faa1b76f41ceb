// Whether each connected system has the current state of this customer.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Button, Card, InlineStack, Text } from "@shopify/polaris";
import { ActionAlert } from "../../frame/action-alert.tsx";
import { useChannelName } from "../../i18n/channel-names.ts";
import { useSkipText } from "../../i18n/skip-text.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import { showToast } from "../../ui/toast.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import type { SystemView } from "./detail-shape.ts";

const TONES = {
  none: undefined,
  delivered: "success",
  skipped: undefined,
  waiting: "info",
  dead: "critical",
} as const;

export function SystemsCard({ systems }: { systems: SystemView[] }) {
  const { t } = useTranslation("customer");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("systems")} />
        {systems.length === 0 && (
          <Text as="p" tone="subdued">
            {t("noSystems")}
          </Text>
        )}
        {systems.map((system) => (
          <System key={system.channel} system={system} />
        ))}
      </BlockStack>
    </Card>
  );
}

function System({
  system: { channel, isOn, status, at, httpStatus, reason, skip },
}: {
  system: SystemView;
}) {
  const { t } = useTranslation(["customer", "glossary"]);
  const { submit, isBusy, error } = useScreenAction<{ requeued: number }>("retry", {
    onSuccess: ({ requeued }) => showToast(requeued > 0 ? t("queuedAgain") : t("nothingToRetry")),
  });
  const nameOf = useChannelName();
  const skipText = useSkipText();
  const note = skip ? skipText(skip) : reason;
  const labelled = useLabelled();
  const tone = TONES[status];
  return (
    <BlockStack gap="100">
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Text as="span">{nameOf(channel)}</Text>
        <InlineStack gap="200" blockAlign="center">
          {!isOn && <Badge>{t("off")}</Badge>}
          <Badge {...(tone && { tone })}>
            {status === "skipped" ? t("glossary:skipped") : t(`states.${status}`)}
          </Badge>
        </InlineStack>
      </InlineStack>
      {at && (
        <Text as="span" tone="subdued" breakWord>
          <DateTime at={at} />
          {httpStatus !== null && `, HTTP ${httpStatus}`}
          {note && `: ${note}`}
        </Text>
      )}
      {status === "dead" && (
        <InlineStack gap="200" blockAlign="center">
          <Button
            size="slim"
            loading={isBusy}
            onClick={() => submit({ channel })}
            accessibilityLabel={labelled(t("tryAgain"), nameOf(channel))}
          >
            {t("tryAgain")}
          </Button>
          {error && <ActionAlert>{error.message}</ActionAlert>}
        </InlineStack>
      )}
    </BlockStack>
  );
}
