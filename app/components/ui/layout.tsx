// Layout of a screen, and for text: beside the cards, and inside a table.
import { Box } from "@shopify/polaris";
import { Fragment, type ReactNode } from "react";

/**
 * The one width of every screen and the edges of the design system's page, without the script of
 * its header: title and buttons are in the admin's title bar.
 */
export function ScreenBody({ children }: { children: ReactNode }) {
  return (
    <div className="screen-width">
      <Box
        paddingInline={{ xs: "0", sm: "600" }}
        paddingBlockStart={{ xs: "200", md: "500" }}
        paddingBlockEnd="200"
      >
        {children}
      </Box>
    </div>
  );
}

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

/** An email address, which breaks after its @ and before its dots, not inside a word. */
export function EmailText({ email }: { email: string }) {
  return (email.match(/\.?[^.@]+@?|[.@]/g) ?? []).map((part, at) => (
    // The parts of one address keep their order.
    // oxlint-disable-next-line react/no-array-index-key
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
