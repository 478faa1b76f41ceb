// Whether agents may act and pay at all; the switches are in the settings.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Button, Card, InlineStack, Text } from "@shopify/polaris";

type Props = Record<"access" | "payments", boolean>;

export function AgentSwitchesCard(isOn: Props) {
  const { t } = useTranslation("agents");
  return (
    <Card>
      <InlineStack align="space-between" blockAlign="center" gap="400">
        <BlockStack gap="200">
          {(["access", "payments"] as const).map((name) => (
            <InlineStack key={name} gap="200" blockAlign="center">
              <Text as="h2" variant="headingSm">
                {t(`${name}.title`)}
              </Text>
              <Badge tone={isOn[name] ? "success" : "warning"}>
                {isOn[name] ? t("states.on") : t("states.off")}
              </Badge>
            </InlineStack>
          ))}
        </BlockStack>
        <Button url="/app/settings/agents">{t("change")}</Button>
      </InlineStack>
    </Card>
  );
}
