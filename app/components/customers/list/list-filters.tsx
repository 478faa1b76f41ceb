// Search, filters and sort order above the customer list.
import { useTranslation } from "react-i18next";
import { useNavigation } from "@remix-run/react";
import { Box, Filters, Select, useBreakpoints } from "@shopify/polaris";
import { clientLazy } from "../../frame/deferred-card.tsx";
import { useDebouncedSearch } from "../../hooks/use-debounced-search.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import {
  isRange,
  useAppliedText,
  useFilterGroups,
  type Choices,
  type FilterGroup,
} from "./filter-groups.ts";
import type { Segment } from "../../../domain/customers/segments/segment.ts";
import { useListAddress, type ListState } from "./list-address.ts";
import { ListSegments } from "./list-segments.tsx";
import type { Currency } from "./money.ts";

const FilterField = clientLazy(() => import("./filter-field.tsx"));

type Props = ListState & {
  choices: Choices;
  segments: Segment[];
  currency: Currency | null;
};

const PINNED: readonly FilterGroup["name"][] = ["tag", "consent"];
const namesOf = (group: FilterGroup) => (isRange(group) ? [group.from, group.to] : [group.name]);

export function ListFilters({ filter, sort, segment, segments, choices, currency }: Props) {
  const { t } = useTranslation("customers");
  const labelled = useLabelled();
  const address = useListAddress({ filter, sort, segment });
  const navigation = useNavigation();
  const [typed, setTyped] = useDebouncedSearch(filter.q ?? "", (q) => address.narrow({ q }));
  const groups = useFilterGroups(choices, currency);
  const textOf = useAppliedText(currency);
  const { mdDown } = useBreakpoints();
  const order = (
    <Select
      label={t("sort")}
      labelHidden
      options={sortOptions(t("sorts", { returnObjects: true }), labelled)}
      value={sort}
      onChange={address.sortBy}
    />
  );
  return (
    <>
      <ListSegments filter={filter} sort={sort} segment={segment} segments={segments} />
      <Filters
        loading={navigation.state === "loading"}
        queryValue={typed}
        queryPlaceholder={t("search")}
        onQueryChange={setTyped}
        onQueryClear={() => setTyped("")}
        filters={groups.map((group) => ({
          key: group.name,
          label: group.label,
          pinned: PINNED.includes(group.name),
          filter: <FilterField group={group} filter={filter} onChange={address.narrow} />,
        }))}
        appliedFilters={groups.flatMap((group) => {
          const label = textOf(group, filter);
          const none = Object.fromEntries(namesOf(group).map((name) => [name, undefined]));
          return label === null
            ? []
            : [{ key: group.name, label, onRemove: () => address.narrow(none) }];
        })}
        onClearAll={() => address.show({ filter: {}, sort })}
      >
        {/* On a phone, and at 200 % of a small window, the field would be too narrow next to it. */}
        {!mdDown && <Box paddingInlineStart="200">{order}</Box>}
      </Filters>
      {mdDown && <Box padding="200">{order}</Box>}
    </>
  );
}

const sortOptions = (
  sorts: Record<string, { label: string; asc: string; desc: string }>,
  labelled: (label: string, value: string) => string,
) =>
  Object.entries(sorts).flatMap(([name, { label, asc, desc }]) => [
    { value: `${name} desc`, label: labelled(label, desc) },
    { value: `${name} asc`, label: labelled(label, asc) },
  ]);
