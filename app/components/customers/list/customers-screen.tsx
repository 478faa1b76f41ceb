import { useTranslation } from "react-i18next";
import { useNavigate } from "@remix-run/react";
import { Card } from "@shopify/polaris";
import { useState } from "react";
import type { CustomerPage } from "../../../domain/customers/list/list-customers.ts";
import type { Segment } from "../../../domain/customers/segments/segment.ts";
import type { BulkRunState } from "../../../domain/customers/bulk/run-row.ts";
import type { CustomerCounts } from "../../../domain/customers/list/count-customers.ts";
import type { SyncProgress } from "../../../domain/customers/sync/sync-request.ts";
import { clientLazy } from "../../frame/deferred-card.tsx";
import { ScreenPage } from "../../frame/screen-page.tsx";
import type { Choices } from "./filter-groups.ts";
import { DEFAULT_SORT, FILTERS, toQuery, type ListFilter } from "./list-address.ts";
import { ListBody } from "./list-body.tsx";
import { ListFilters } from "./list-filters.tsx";
import type { Currency } from "./money.ts";
import { rememberOpened } from "./return-focus.ts";
import { useExport } from "./use-export.ts";

const FirstSync = clientLazy(() => import("./first-sync.tsx"));
const BulkRunBanners = clientLazy(() => import("./bulk-run-banners.tsx"));

export type ListProps = {
  filter: ListFilter;
  sort: string;
  segment: string | null;
  page: CustomerPage;
  counts: CustomerCounts;
  choices: Choices;
  currency: Currency | null;
};
type Props = ListProps & {
  segments: Segment[];
  runs: BulkRunState[];
  /** The progress of the first import, while there are no customers. */
  sync: SyncProgress | null;
};

export function CustomersScreen({ runs, sync, ...list }: Props) {
  const { filter, page } = list;
  const { t } = useTranslation("customers");
  const [opened] = useState(runs);
  const [started, setStarted] = useState<BulkRunState[]>([]);
  const isNarrowed = Boolean(filter.q) || FILTERS.some((name) => filter[name] !== undefined);
  const hasCustomers = page.customers.length > 0 || isNarrowed || page.previous !== null;
  const exporting = useExport();
  const navigate = useNavigate();

  return (
    <ScreenPage
      title={t("title")}
      actions={
        <>
          {hasCustomers && (
            <button
              disabled={exporting.isBusy}
              onClick={() => void exporting.start(toQuery({ filter, sort: DEFAULT_SORT }))}
            >
              {exporting.isBusy ? t("exporting") : t("exportAll")}
            </button>
          )}
          <button onClick={() => navigate("/app/customers/changes")}>{t("bulk.list")}</button>
        </>
      }
    >
      {opened.length + started.length > 0 && <BulkRunBanners opened={opened} started={started} />}
      {hasCustomers ? (
        <div onClickCapture={({ target }) => rememberOpened(target)}>
          <Card padding="0">
            <ListFilters {...list} />
            <ListBody {...list} onStarted={(run) => setStarted([...started, run])} />
          </Card>
        </div>
      ) : (
        <FirstSync sync={sync} />
      )}
    </ScreenPage>
  );
}
