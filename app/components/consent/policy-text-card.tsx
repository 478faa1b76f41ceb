// One version of a policy, as people read it.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Card, InlineStack, Text } from "@shopify/polaris";
import type { ShownPolicy } from "../../domain/consent/show-policy.ts";
import { labelOf } from "../i18n/label-of.ts";
import { DateTime } from "../ui/date-time.tsx";
import { ReadingBox } from "./reading-box.tsx";

export function PolicyTextCard({ policy, isCurrent }: { policy: ShownPolicy; isCurrent: boolean }) {
  const { t } = useTranslation("consent");
  return (
    <Card>
      <BlockStack gap="400">
        <BlockStack gap="200">
          <InlineStack gap="200" blockAlign="center">
            <Text as="h2" variant="headingMd">
              {policy.version}
            </Text>
            {isCurrent && <Badge tone="success">{t("policy.current")}</Badge>}
          </InlineStack>
          <Text as="p" tone="subdued">
            {labelOf(t("policy.languages", { returnObjects: true }), policy.locale)},{" "}
            <DateTime at={policy.effective_from} />
          </Text>
          <Text as="p" tone="subdued" breakWord>
            {t("policy.fingerprint")} <code>{policy.sha256}</code>
          </Text>
        </BlockStack>
        <ReadingBox label={t("policy.text")} lang={policy.locale}>
          {policy.text}
        </ReadingBox>
      </BlockStack>
    </Card>
  );
}
