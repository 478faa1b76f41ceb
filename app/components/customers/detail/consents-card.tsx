// The customer's consents as they are now.
import { useTranslation } from "react-i18next";
import { BlockStack, Card, InlineStack, Text } from "@shopify/polaris";
import { DecisionBadge } from "../../consent/decision-badge.tsx";
import { labelOf } from "../../i18n/label-of.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import type { ConsentView } from "./detail-shape.ts";

export function ConsentsCard({ consents }: { consents: ConsentView[] }) {
  const { t } = useTranslation(["customer", "glossary"]);

  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("consents")} />
        <BlockStack gap="200">
          {consents.map(({ type, state, decision }) => (
            <InlineStack key={type} align="space-between" blockAlign="center" gap="200">
              <BlockStack>
                <Text as="span">
                  {labelOf(t("glossary:consent", { returnObjects: true }), type)}
                </Text>
                {decision && (
                  <Text as="span" tone="subdued">
                    <ConsentState {...decision} />
                  </Text>
                )}
              </BlockStack>
              <DecisionBadge decision={state} />
            </InlineStack>
          ))}
        </BlockStack>
      </BlockStack>
    </Card>
  );
}

/** When, how and under which policy. */
function ConsentState({
  at,
  method,
  version,
}: {
  at: string;
  method: string;
  version: string | null;
}) {
  const { t } = useTranslation(["customer", "glossary"]);
  return (
    <>
      <DateTime at={at} />, {labelOf(t("glossary:methods", { returnObjects: true }), method)}
      {version && `, ${t("policy", { version })}`}
    </>
  );
}
