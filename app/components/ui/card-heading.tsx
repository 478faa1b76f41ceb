import { Badge, InlineStack, Text } from "@shopify/polaris";
import type { ReactNode } from "react";

type Status = { tone: "success" | "warning" | "critical" | "info"; text: string };

export function CardHeading({
  title,
  status,
  children,
}: {
  title: string;
  status?: Status | undefined;
  children?: ReactNode;
}) {
  return (
    <InlineStack align="space-between" blockAlign="center" gap="200">
      <InlineStack gap="200" blockAlign="center">
        <Text as="h2" variant="headingMd">
          {title}
        </Text>
        {status && <Badge tone={status.tone}>{status.text}</Badge>}
      </InlineStack>
      {children}
    </InlineStack>
  );
}
