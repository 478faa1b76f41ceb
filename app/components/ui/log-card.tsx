// A log that may be followed while it grows: its filters, the switch that keeps it current, and its pager.
import type { ReactNode } from "react";
import { useSearchParams } from "@remix-run/react";
import { Banner, Box, Card, Checkbox } from "@shopify/polaris";
import type { CustomersMeant } from "../../domain/merchant/find-customers.ts";
import { EmptyState } from "./empty-state.tsx";
import { FilterBar, type Filter } from "./filter-bar.tsx";
import { Pager } from "./pager.tsx";

type Texts = {
  /** Shown for a log without any row; `url`: the page where rows come from. */
  empty: { title: string; text: string; action: string; url: string };
  noCustomer: string;
  manyCustomers: string;
  live: string;
  /** The search stopped at its bound. */
  cutSearch: string;
};

type Props = {
  texts: Texts;
  filters: readonly Filter[];
  /** Rows on this page. */
  rows: number;
  /** What the customer in the filter means. */
  customers: CustomersMeant;
  isCut: boolean;
  isLive: boolean;
  onLive(isLive: boolean): void;
  next: string | null;
  children: ReactNode;
};

/** Whether this is the page on which new rows appear. */
export function useIsNewest(): boolean {
  const [address] = useSearchParams();
  return !address.has("cursor");
}

export function LogCard({
  texts,
  filters,
  rows,
  customers,
  isCut,
  isLive,
  onLive,
  next,
  children,
}: Props) {
  const isNewest = useIsNewest();
  const isFiltered = filters.some(({ value }) => value !== undefined);
  if (rows === 0 && !isFiltered && isNewest) return <EmptyLog {...texts.empty} />;
  return (
    <Card padding="0">
      <FilterBar filters={filters} />
      {(customers === "none" || customers === "too_many") && (
        <Box padding="400" paddingBlockStart="0">
          <Banner tone="warning">
            <p>{customers === "none" ? texts.noCustomer : texts.manyCustomers}</p>
          </Banner>
        </Box>
      )}
      {isNewest && (
        <Box paddingInline="400" paddingBlockEnd="300">
          <Checkbox label={texts.live} checked={isLive} onChange={onLive} />
        </Box>
      )}
      {children}
      {isCut && (
        <Box padding="400" paddingBlockEnd="0">
          <p>{texts.cutSearch}</p>
        </Box>
      )}
      <Pager next={next} />
    </Card>
  );
}

const EmptyLog = ({ title, text, action, url }: Texts["empty"]) => (
  <Card>
    <EmptyState heading={title} action={{ content: action, url }}>
      <p>{text}</p>
    </EmptyState>
  </Card>
);
