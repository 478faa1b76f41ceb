// Why an action failed, beside its button or in its dialog: a screen reader speaks it when it appears.
import { Text } from "@shopify/polaris";
import type { ReactNode } from "react";

export function ActionAlert({ children }: { children: ReactNode }) {
  return (
    <div role="alert">
      <Text as="p" tone="critical">
        {children}
      </Text>
    </div>
  );
}
