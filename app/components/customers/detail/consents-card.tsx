// The customer's consents and their history.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Button, Card, Divider, InlineStack, Text } from "@shopify/polaris";
import { labelOf } from "../../i18n/label-of.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { DateTime } from "../../ui/date-time.tsx";
import type { ConsentView, RecordView } from "./detail-shape.ts";

export function ConsentsCard({ consents }: { consents: ConsentView[] }) {
  const { t } = useTranslation(["customer", "glossary"]);

  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("consents")} />
        <BlockStack gap="200">
          {consents.map(({ type, isGiven, decision }) => (
            <InlineStack key={type} align="space-between" blockAlign="center" gap="200">
              <BlockStack>
                <Text as="span">
                  {labelOf(t("glossary:consent", { returnObjects: true }), type)}
                </Text>
                <Text as="span" tone="subdued">
                  {decision ? <ConsentState {...decision} /> : t("never")}
                </Text>
              </BlockStack>
              <Badge {...(isGiven && { tone: "success" as const })}>
                {isGiven ? t("given") : t("notGiven")}
              </Badge>
            </InlineStack>
          ))}
        </BlockStack>
      </BlockStack>
    </Card>
  );
}

type Props = { records: RecordView[]; older: number | null; isNewest: boolean; path: string };

export function TimelineCard({ records, older, isNewest, path }: Props) {
  const { t } = useTranslation(["customer", "glossary"]);

  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("timeline")} />
        {records.length === 0 && (
          <Text as="p" tone="subdued">
            {t("timelineEmpty")}
          </Text>
        )}
        <BlockStack gap="200">
          {records.map((record, place) => (
            <BlockStack key={record.id} gap="200">
              {place > 0 && <Divider />}
              <BlockStack>
                <Text as="span">{`${labelOf(t("glossary:consent", { returnObjects: true }), record.type)}: ${labelOf(t("actions", { returnObjects: true }), record.action)}`}</Text>
                <Text as="span" tone="subdued">
                  <ConsentState {...record} />
                </Text>
              </BlockStack>
            </BlockStack>
          ))}
        </BlockStack>
        {(older !== null || !isNewest) && (
          <InlineStack gap="200">
            {!isNewest && <Button url={path}>{t("newest")}</Button>}
            {older !== null && <Button url={`${path}?before=${older}`}>{t("older")}</Button>}
          </InlineStack>
        )}
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
