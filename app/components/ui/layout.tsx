// Layout for text: beside the cards, and inside a table.
import { Box } from "@shopify/polaris";
import type { ReactNode } from "react";

/** On a phone cards reach the edges of the screen; the content between them gets padding. */
export function PageGutter({ children }: { children: ReactNode }) {
  return <Box paddingInline={{ xs: "400", sm: "0" }}>{children}</Box>;
}

/**
 * In a table row, which does not wrap: a long name breaks into lines and does not narrow the other
 * columns.
 */
export function WrappingText({ children }: { children: ReactNode }) {
  return (
    <div style={{ whiteSpace: "normal", overflowWrap: "anywhere", minWidth: "10rem" }}>
      {children}
    </div>
  );
}
