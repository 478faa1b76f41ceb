import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Button } from "@shopify/polaris";

/** Somebody else saved in the meantime: the edits stay until the reader asks for the saved values. */
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
