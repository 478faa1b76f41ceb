import { useTranslation } from "react-i18next";
import { useLocation } from "@remix-run/react";
import { Card, EmptyState, useIndexResourceState } from "@shopify/polaris";
import { useState } from "react";
import type { SyncProgress } from "../../../domain/customers/sync/sync-request.ts";
import { download } from "../../ui/download.ts";
import { clientLazy } from "../../frame/deferred-card.tsx";
import { ScreenPage } from "../../frame/screen-page.tsx";
import { showToast } from "../../ui/toast.ts";
import { DEFAULT_SORT, FILTERS, toQuery, useListAddress, type ListFilter } from "./list-address.ts";
import { ListFilters, type Choices } from "./list-filters.tsx";
import { ListTable, type ListedCustomer } from "./list-table.tsx";
import type { TagRunState } from "../../../domain/customers/list/tag-runs.ts";

const BulkTags = clientLazy(() => import("./bulk-tags.tsx"));
const FirstSync = clientLazy(() => import("./first-sync.tsx"));
const TagRunBanner = clientLazy(() => import("./tag-run-banner.tsx"));

type Props = {
  filter: ListFilter;
  sort: string;
  page: { customers: ListedCustomer[]; next: string | null; previous: string | null };
  choices: Choices;
  views: { name: string; filter: ListFilter; sort: string }[];
  run: TagRunState | null;
  /** The progress of the first import, while there are no customers. */
  sync: SyncProgress | null;
};

export function CustomersScreen({ run, sync, ...list }: Props) {
  const { filter, page } = list;
  const { t } = useTranslation("customers");
  const [shownRun, setShownRun] = useState(run);
  const isNarrowed = Boolean(filter.q) || FILTERS.some((name) => filter[name]);
  const hasCustomers = page.customers.length > 0 || isNarrowed || page.previous !== null;
  const exporting = useExport(filter);

  return (
    <ScreenPage
      title={t("title")}
      isWide
      actions={
        hasCustomers && (
          <button disabled={exporting.isBusy} onClick={() => void exporting.start()}>
            {exporting.isBusy ? t("exporting") : t("exportAll")}
          </button>
        )
      }
    >
      {shownRun && <TagRunBanner run={shownRun} onDismiss={() => setShownRun(null)} />}
      {hasCustomers ? (
        <Card padding="0">
          <ListFilters {...list} />
          <ListBody {...list} onStarted={setShownRun} />
        </Card>
      ) : (
        <FirstSync sync={sync} />
      )}
    </ScreenPage>
  );
}

function ListBody({
  filter,
  sort,
  page,
  choices,
  onStarted,
}: Omit<Props, "run" | "views" | "sync"> & { onStarted: (run: TagRunState) => void }) {
  const { t } = useTranslation("customers");

  const address = useListAddress({ filter, sort });
  const [action, setAction] = useState<"add" | "remove" | null>(null);
  const { selectedResources, allResourcesSelected, handleSelectionChange, clearSelection } =
    useIndexResourceState(page.customers, { resourceIDResolver: ({ id }) => String(id) });
  const { search } = useLocation();
  const [chosenIn, setChosenIn] = useState(search);
  // A new list resets the selection, so that no invisible customer is selected.
  if (chosenIn !== search) {
    setChosenIn(search);
    setAction(null);
    clearSelection();
  }
  return (
    <>
      <ListTable
        customers={page.customers}
        selected={selectedResources}
        selectedItemsCount={allResourcesSelected ? "All" : selectedResources.length}
        onSelectionChange={handleSelectionChange}
        hasMoreItems={page.next !== null || page.previous !== null}
        promotedBulkActions={[
          { content: t("bulk.add"), onAction: () => setAction("add") },
          { content: t("bulk.remove"), onAction: () => setAction("remove") },
        ]}
        pagination={{
          hasPrevious: page.previous !== null,
          hasNext: page.next !== null,
          onPrevious: () => page.previous && address.turnTo({ before: page.previous }),
          onNext: () => page.next && address.turnTo({ after: page.next }),
          accessibilityLabels: { previous: t("previous"), next: t("next") },
        }}
        emptyState={
          <EmptyState
            heading={t("noMatch")}
            image=""
            action={{
              content: t("clear"),
              onAction: () => address.show({ filter: {}, sort: DEFAULT_SORT }),
            }}
          >
            <p>{t("noMatchText")}</p>
          </EmptyState>
        }
      />
      {action && (
        <BulkTags
          action={action}
          selection={allResourcesSelected ? { filter } : { ids: selectedResources.map(Number) }}
          tags={choices.tags}
          onClose={() => setAction(null)}
          onStarted={(run) => {
            setAction(null);
            clearSelection();
            onStarted(run);
          }}
        />
      )}
    </>
  );
}

function useExport(filter: ListFilter) {
  const { t } = useTranslation("customers");
  const [isBusy, setIsBusy] = useState(false);
  return {
    isBusy,
    start: async () => {
      setIsBusy(true);
      const isDone = await download(
        `/app/customers/export?${toQuery({ filter, sort: DEFAULT_SORT })}`,
        `${t("file")}.csv`,
      );
      setIsBusy(false);
      showToast(isDone ? t("exported") : t("exportFailed"), !isDone);
    },
  };
}
