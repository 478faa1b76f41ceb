import { useTranslation } from "react-i18next";
import { BlockStack, Button, Card, InlineStack, Text } from "@shopify/polaris";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { showToast } from "../ui/toast.ts";

/** The way back to the setup guide, also after it was dismissed on Home. */
export function GuideCard({ isDismissed }: { isDismissed: boolean }) {
  const { t } = useTranslation("connection");
  const { submit, isBusy, error } = useScreenAction("show_guide", {
    onSuccess: () => showToast(t("guide.shown")),
  });
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading title={t("guide.title")} />
        <Text as="p">{t("guide.text")}</Text>
        <InlineStack gap="200">
          <Button url="/app/setup">{t("guide.open")}</Button>
          {isDismissed && (
            <Button loading={isBusy} onClick={() => submit()}>
              {t("guide.show")}
            </Button>
          )}
        </InlineStack>
        <div aria-live="polite">
          {error && (
            <Text as="p" tone="critical">
              {error.message}
            </Text>
          )}
        </div>
      </BlockStack>
    </Card>
  );
}
