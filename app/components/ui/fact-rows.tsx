// Rows of a name and its value, in the layout of the admin's cards.
import { BlockStack, InlineGrid, Text } from "@shopify/polaris";
import type { ReactNode } from "react";

export function FactRows({ rows }: { rows: readonly { name: string; value: ReactNode }[] }) {
  return (
    <BlockStack gap="200">
      {rows.map(({ name, value }) => (
        <InlineGrid
          key={name}
          columns={{ xs: "1fr", sm: "minmax(6rem, 9rem) minmax(0, 1fr)" }}
          gap={{ xs: "0", sm: "400" }}
        >
          <Text as="span" tone="subdued">
            {name}
          </Text>
          <Text as="span" breakWord>
            {value}
          </Text>
        </InlineGrid>
      ))}
    </BlockStack>
  );
}
