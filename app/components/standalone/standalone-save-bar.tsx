import { Box, Button, InlineStack, Text } from "@shopify/polaris";
import type { SaveBarProps } from "../settings/save-bar.ts";

export function StandaloneSaveBar({ isOpen, isBusy, words, onSave, onDiscard }: SaveBarProps) {
  if (!isOpen) return null;
  return (
    <div
      role="region"
      aria-label={words.unsaved}
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
            {words.unsaved}
          </Text>
          <InlineStack gap="200">
            <Button disabled={isBusy} onClick={onDiscard}>
              {words.discard}
            </Button>
            <Button variant="primary" loading={isBusy} onClick={onSave}>
              {words.save}
            </Button>
          </InlineStack>
        </InlineStack>
      </Box>
    </div>
  );
}
