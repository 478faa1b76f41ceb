// The merchant's list of customers.
import { useLocation, useRevalidator } from "@remix-run/react";
import { BlockStack, Card, EmptyState, Page, useIndexResourceState } from "@shopify/polaris";
import { TitleBar } from "@shopify/app-bridge-react";
import { useState } from "react";
import { formatCount } from "../figures.ts";
import { download } from "../download.ts";
import { loadedLater } from "../later.tsx";
import { showToast } from "../toast.ts";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useLooking } from "../use-looking.ts";
import { useLocale, useWords } from "../words.tsx";
import { BULK_WORDS } from "./bulk-words.ts";
import { DEFAULT_SORT, FILTERS, toQuery, useListAddress, type ListFilter } from "./list-address.ts";
import { ListFilters, type Choices } from "./list-filters.tsx";
import { ListTable, type ListedCustomer } from "./list-table.tsx";
import { LIST_WORDS } from "./list-words.ts";
import type { TagRun } from "./tag-run-banner.tsx";

const BulkTags = loadedLater(() => import("./bulk-tags.tsx"));
const TagRunBanner = loadedLater(() => import("./tag-run-banner.tsx"));

type Props = {
  filter: ListFilter;
  sort: string;
  page: { customers: ListedCustomer[]; next: string | null; previous: string | null };
  choices: Choices;
  views: { name: string; filter: ListFilter; sort: string }[];
  run: TagRun | null;
  /** Of the copying of customers, while none are here. */
  sync: Sync | null;
};

type Sync = { state: "never" | "running" | "done" | "failed"; read: number };

export function CustomersScreen({ run, sync, ...list }: Props) {
  const { filter, page } = list;
  const words = useWords(LIST_WORDS);
  const [shownRun, setShownRun] = useState(run);
  const isNarrowed = Boolean(filter.q) || FILTERS.some((name) => filter[name]);
  const hasCustomers = page.customers.length > 0 || isNarrowed || page.previous !== null;
  const exporting = useExport(filter);

  return (
    <>
      <TitleBar title={words.title} />
      <Page
        title={words.title}
        fullWidth
        secondaryActions={
          hasCustomers
            ? [
                {
                  content: exporting.isBusy ? words.exporting : words.exportAll,
                  onAction: () => void exporting.start(),
                  loading: exporting.isBusy,
                },
              ]
            : []
        }
      >
        <BlockStack gap="400">
          {shownRun && <TagRunBanner run={shownRun} onDismiss={() => setShownRun(null)} />}
          {hasCustomers ? (
            <Card padding="0">
              <ListFilters {...list} />
              <ListBody {...list} onStarted={setShownRun} />
            </Card>
          ) : (
            <FirstSync sync={sync} />
          )}
        </BlockStack>
      </Page>
    </>
  );
}

function ListBody({
  filter,
  sort,
  page,
  choices,
  onStarted,
}: Omit<Props, "run" | "views" | "sync"> & { onStarted: (run: TagRun) => void }) {
  const words = useWords(LIST_WORDS);
  const bulk = useWords(BULK_WORDS);
  const address = useListAddress({ filter, sort });
  const [action, setAction] = useState<"add" | "remove" | null>(null);
  const { selectedResources, allResourcesSelected, handleSelectionChange, clearSelection } =
    useIndexResourceState(page.customers, { resourceIDResolver: ({ id }) => String(id) });
  const { search } = useLocation();
  const [chosenIn, setChosenIn] = useState(search);
  // Another list is another choice: nobody is changed who is not seen to be chosen.
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
          { content: bulk.add, onAction: () => setAction("add") },
          { content: bulk.remove, onAction: () => setAction("remove") },
        ]}
        pagination={{
          hasPrevious: page.previous !== null,
          hasNext: page.next !== null,
          onPrevious: () => page.previous && address.turnTo({ before: page.previous }),
          onNext: () => page.next && address.turnTo({ after: page.next }),
          accessibilityLabels: { previous: words.previous, next: words.next },
        }}
        emptyState={
          <EmptyState
            heading={words.noMatch}
            image=""
            action={{
              content: words.clear,
              onAction: () => address.show({ filter: {}, sort: DEFAULT_SORT }),
            }}
          >
            <p>{words.noMatchText}</p>
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
  const words = useWords(LIST_WORDS);
  const [isBusy, setIsBusy] = useState(false);
  return {
    isBusy,
    start: async () => {
      setIsBusy(true);
      const isDone = await download(
        `/app/customers/export?${toQuery({ filter, sort: DEFAULT_SORT })}`,
        `${words.file}.csv`,
      );
      setIsBusy(false);
      showToast(isDone ? words.exported : words.exportFailed, !isDone);
    },
  };
}

function FirstSync({ sync }: { sync: Sync | null }) {
  const words = useWords(LIST_WORDS);
  const locale = useLocale();
  const { run, isBusy, refused } = useDeed();
  const problem = useRefusal(refused);
  const { revalidate, state } = useRevalidator();
  const isRunning = sync?.state === "running";
  useLooking(isRunning, () => {
    if (state === "idle") revalidate();
  });
  const told = {
    running: words.syncing(formatCount(locale, sync?.read ?? 0)),
    failed: words.syncFailed,
    done: words.nobodyYet,
    never: null,
  }[sync?.state ?? "never"];
  return (
    <Card>
      <EmptyState
        heading={words.empty}
        image=""
        action={{ content: words.sync, onAction: () => run("sync"), loading: isBusy || isRunning }}
      >
        <p>{words.emptyText}</p>
        <div aria-live="polite">
          {told && <p>{told}</p>}
          {problem && <p>{problem}</p>}
        </div>
      </EmptyState>
    </Card>
  );
}
