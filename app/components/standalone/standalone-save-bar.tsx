import { useTranslation } from "react-i18next";
import { Box, Button, InlineStack, Text } from "@shopify/polaris";
import type { SaveBarProps } from "../settings/save-bar.ts";

export function StandaloneSaveBar({ isOpen, isBusy, onSave, onDiscard }: SaveBarProps) {
  const { t } = useTranslation("settings");
  if (!isOpen) return null;
  return (
    <div
      role="region"
      aria-label={t("unsaved")}
      style={{ position: "fixed", insetInline: 0, bottom: 0, zIndex: 500 }}
    >
      <Box
        background="bg-surface"
        shadow="400"
        padding="300"
        borderBlockStartWidth="025"
        borderColor="border"
      >
        <InlineStack align="center" gap="400" blockAlign="center">
          <Text as="span" variant="headingSm">
            {t("unsaved")}
          </Text>
          <InlineStack gap="200">
            <Button disabled={isBusy} onClick={onDiscard}>
              {t("discard")}
            </Button>
            <Button variant="primary" loading={isBusy} onClick={onSave}>
              {t("save")}
            </Button>
          </InlineStack>
        </InlineStack>
      </Box>
    </div>
  );
}
