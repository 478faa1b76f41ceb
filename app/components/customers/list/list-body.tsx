// The count, the table, and what can be done to the selected customers.
import { useTranslation } from "react-i18next";
import { useLocation } from "@remix-run/react";
import { Box, Text, useIndexResourceState } from "@shopify/polaris";
import { useState } from "react";
import type { CustomerAction } from "../../../domain/customers/bulk/run-inputs.ts";
import type { BulkRunState } from "../../../domain/customers/bulk/run-row.ts";
import type { Counted } from "../../../domain/customers/list/count-customers.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { clientLazy } from "../../frame/deferred-card.tsx";
import { BulkActionDialog, type OpenAction } from "./bulk-actions.tsx";
import type { ListProps } from "./customers-screen.tsx";
import { DEFAULT_SORT, toQuery, useListAddress } from "./list-address.ts";
import { ListTable } from "./list-table.tsx";
import { useReturnFocus } from "./return-focus.ts";
import { useExport } from "./use-export.ts";

const NoMatch = clientLazy(() => import("./no-match.tsx"));

const ACTIONS: readonly CustomerAction[] = ["suspend", "reactivate", "data_request", "erase"];

type Props = ListProps & { onStarted: (run: BulkRunState) => void };

export function ListBody({ filter, sort, segment, page, counts, ...props }: Props) {
  const { choices, currency, onStarted } = props;
  const { t } = useTranslation("customers");
  const address = useListAddress({ filter, sort, segment });
  const countText = useCountText();
  const [action, setAction] = useState<OpenAction | null>(null);
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
  useReturnFocus();
  const exporting = useExport();
  const exportSelected = () =>
    exporting.start(
      allResourcesSelected
        ? toQuery({ filter, sort: DEFAULT_SORT })
        : new URLSearchParams({ ids: selectedResources.join(",") }),
    );
  const { matching } = counts;
  return (
    <>
      <CountLine {...counts} />
      <ListTable
        customers={page.customers}
        currency={currency}
        selected={selectedResources}
        paginatedSelectAllText={t("bulk.allSelected", { total: countText(matching) })}
        paginatedSelectAllActionText={t("bulk.selectAll", { total: countText(matching) })}
        selectedItemsCount={allResourcesSelected ? "All" : selectedResources.length}
        onSelectionChange={handleSelectionChange}
        hasMoreItems={page.next !== null || page.previous !== null}
        promotedBulkActions={[
          { content: t("bulk.add"), onAction: () => setAction("add") },
          { content: t("bulk.remove"), onAction: () => setAction("remove") },
        ]}
        bulkActions={[
          {
            content: t("exportSelected"),
            onAction: () => void exportSelected(),
            disabled: exporting.isBusy,
          },
          ...ACTIONS.map((kind) => ({
            content: t(`action.${kind}.title`),
            onAction: () => setAction(kind),
          })),
        ]}
        pagination={{
          hasPrevious: page.previous !== null,
          hasNext: page.next !== null,
          onPrevious: () => page.previous && address.turnTo({ before: page.previous }),
          onNext: () => page.next && address.turnTo({ after: page.next }),
          accessibilityLabels: { previous: t("previous"), next: t("next") },
          ...(page.customers.length > 0 && {
            label: t("position", {
              from: countText({ count: page.from, isMore: false }),
              to: countText({ count: page.from + page.customers.length - 1, isMore: false }),
              total: countText(matching),
            }),
          }),
        }}
        emptyState={
          <Box minHeight="20rem">
            <NoMatch onClear={() => address.show({ filter: {}, sort: DEFAULT_SORT })} />
          </Box>
        }
      />
      {action && (
        <BulkActionDialog
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

function CountLine({ matching, total }: ListProps["counts"]) {
  const { t } = useTranslation("customers");
  const countText = useCountText();
  const isAll = matching.count === total.count && matching.isMore === total.isMore;
  return (
    <Box paddingInline="300" paddingBlock="200">
      <Text as="p" tone="subdued">
        <span aria-live="polite">
          {isAll
            ? t("counted", { total: countText(total) })
            : t("countedOf", { matching: countText(matching), total: countText(total) })}
        </span>
      </Text>
    </Box>
  );
}

/** "10,000+" where there are more than are counted. */
function useCountText(): (counted: Counted) => string {
  const locale = useLocale();
  return ({ count, isMore }) => `${formatCount(locale, count)}${isMore ? "+" : ""}`;
}
