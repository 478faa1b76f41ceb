// The design system's filters, for `filter-bar.tsx`.
import { useTranslation } from "react-i18next";
import { useLocation, useNavigation, useSearchParams } from "@remix-run/react";
import { ChoiceList, Filters, TextField } from "@shopify/polaris";
import { useDebouncedSearch } from "../hooks/use-debounced-search.ts";
import { useLocale } from "../i18n/locale.ts";
import { formatPlainDay } from "./date-time.tsx";
import type { Filter, FilterBarProps } from "./filter-bar.tsx";

type Change = (value: string | undefined) => void;

export default function FilterControls({ filters }: FilterBarProps) {
  const { t } = useTranslation("frame");
  const locale = useLocale();
  const { state, location: coming } = useNavigation();
  const isLoading = state === "loading";
  const { pathname } = useLocation();
  const [, setAddress] = useSearchParams();
  // A change that is still loading is part of what the next one starts from.
  const loading = coming?.pathname === pathname ? new URLSearchParams(coming.search) : null;
  const apply = (changed: Record<string, string | undefined>) => {
    const known = Object.fromEntries(
      filters.map(({ name, value }) => [name, loading ? (loading.get(name) ?? undefined) : value]),
    );
    const values = Object.entries({ ...known, ...changed });
    setAddress(
      values.filter((entry): entry is [string, string] => Boolean(entry[1])),
      // The page does not jump, and the filter keeps the focus.
      { preventScrollReset: true },
    );
  };
  const changeOf =
    (name: string): Change =>
    (value) =>
      apply({ [name]: value });
  const search = filters.find(({ kind }) => kind === "search");
  const others = filters.filter((filter) => filter !== search);
  const [typed, type] = useDebouncedSearch(search?.value ?? "", changeOf(search?.name ?? ""));
  return (
    <Filters
      loading={isLoading}
      hideQueryField={!search}
      queryValue={typed}
      queryPlaceholder={search?.label ?? ""}
      onQueryChange={type}
      onQueryClear={() => type("")}
      filters={others.map((filter) => ({
        key: filter.name,
        label: filter.label,
        pinned: true,
        filter: <Control filter={filter} change={changeOf(filter.name)} />,
      }))}
      appliedFilters={others.flatMap((filter) =>
        filter.value === undefined
          ? []
          : [
              {
                key: filter.name,
                label: t("labelled", {
                  label: filter.label,
                  value: textOf(filter, (day) => formatPlainDay(locale, day)),
                }),
                onRemove: () => apply({ [filter.name]: undefined }),
              },
            ],
      )}
      onClearAll={() => apply(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
    />
  );
}

function textOf(filter: Filter, toDay: (day: string) => string): string {
  const { value = "" } = filter;
  if (filter.kind === "date") return toDay(value);
  if (filter.kind !== "choice") return value;
  return filter.choices.find((choice) => choice.value === value)?.label ?? value;
}

function Control({ filter, change }: { filter: Filter; change: Change }) {
  if (filter.kind === "choice")
    return (
      <ChoiceList
        title={filter.label}
        titleHidden
        choices={[...filter.choices]}
        selected={filter.value === undefined ? [] : [filter.value]}
        onChange={([value]) => change(value)}
      />
    );
  return <TextControl filter={filter} change={change} />;
}

function TextControl({ filter, change }: { filter: Filter; change: Change }) {
  const [typed, type] = useDebouncedSearch(filter.value ?? "", change);
  return (
    <TextField
      label={filter.label}
      labelHidden
      type={filter.kind === "date" || filter.kind === "email" ? filter.kind : "text"}
      autoComplete="off"
      value={typed}
      onChange={type}
    />
  );
}
