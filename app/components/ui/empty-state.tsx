// What a card shows that has nothing to list yet. Polaris' own EmptyState draws a placeholder for its
// image until the page's script runs, also without an image, and the text then jumps.
import { BlockStack, Box, Button, Text } from "@shopify/polaris";
import type { ReactNode } from "react";

type Props = {
  heading: string;
  children: ReactNode;
  action?: {
    content: string;
    url?: string;
    target?: "_blank";
    onAction?(): void;
    loading?: boolean;
  };
};

export function EmptyState({ heading, children, action }: Props) {
  return (
    <Box paddingInline="500" paddingBlock="1200">
      <BlockStack gap="400" inlineAlign="center">
        <Box maxWidth="25rem">
          <BlockStack gap="150">
            <Text as="p" variant="headingMd" alignment="center">
              {heading}
            </Text>
            <Text as="span" variant="bodySm" alignment="center">
              {children}
            </Text>
          </BlockStack>
        </Box>
        {action && <ActionButton {...action} />}
      </BlockStack>
    </Box>
  );
}

function ActionButton({ content, onAction, ...button }: NonNullable<Props["action"]>) {
  return (
    <Button variant="primary" {...button} {...(onAction && { onClick: onAction })}>
      {content}
    </Button>
  );
}
