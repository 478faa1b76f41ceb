import { BlockStack, Text } from "@shopify/polaris";
import type { ReactNode } from "react";

/** A number under its name. */
export function Metric({ name, value }: { name: string; value: ReactNode }) {
  return (
    <BlockStack gap="100">
      <Text as="span" tone="subdued">
        {name}
      </Text>
      <Text as="span" variant="headingLg" numeric>
        {value}
      </Text>
    </BlockStack>
  );
}
