// Room for text: beside the cards, and inside a table.
import { Box } from "@shopify/polaris";
import type { ReactNode } from "react";

/** On a phone cards reach the edges of the screen, and what stands between them must not. */
export function BesideCards({ children }: { children: ReactNode }) {
  return <Box paddingInline={{ xs: "400", sm: "0" }}>{children}</Box>;
}

/** In a row of a table, which keeps everything on one line: a long name takes more lines, not the other columns' place. */
export function LongText({ children }: { children: ReactNode }) {
  return (
    <div style={{ whiteSpace: "normal", overflowWrap: "anywhere", minWidth: "10rem" }}>
      {children}
    </div>
  );
}
