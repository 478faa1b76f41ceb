// Rows of a table that keep everything on a phone: there each row is a block, and each value has its
// column's name beside it. By styles alone, so that the page does not move when it hydrates.
import { IndexTable } from "@shopify/polaris";
import type { ReactNode } from "react";

/** Around an `IndexTable` whose rows consist of `RowCell`. */
export function ResponsiveRows({ children }: { children: ReactNode }) {
  return <div className="responsive-rows">{children}</div>;
}

/** `label`: the column's name. Without it the cell leads its row, or holds the row's actions. */
export function RowCell({ label, children }: { label?: string; children?: ReactNode }) {
  return (
    <IndexTable.Cell className={label === undefined ? "row-cell row-lead" : "row-cell"}>
      {label !== undefined && <span className="row-label">{label}</span>}
      <div className="row-value">{children}</div>
    </IndexTable.Cell>
  );
}
