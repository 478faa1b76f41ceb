import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Button } from "@shopify/polaris";

/** Somebody else saved meanwhile: the changes stay until the reader asks for what is saved. */
export function ConflictBanner({ onShowSaved }: { onShowSaved(): void }) {
  const { t } = useTranslation("conflict");
  return (
    <Banner tone="critical">
      <BlockStack gap="200" inlineAlign="start">
        <p>{t("text")}</p>
        <Button onClick={onShowSaved}>{t("showSaved")}</Button>
      </BlockStack>
    </Banner>
  );
}
