// Search, filters, order and saved views above the customer list.
import { useFetcher, useNavigation } from "@remix-run/react";
import { ChoiceList, IndexFilters, IndexFiltersMode, useSetIndexFiltersMode, type IndexFiltersProps } from "@shopify/polaris";
import { useEffect, useRef, useState } from "react";
import { showToast } from "../toast.ts";
import { useLocale, useWords } from "../words.tsx";
import { CUSTOMER_NAMES } from "./customer-words.ts";
import { DEFAULT_SORT, toQuery, useListAddress, type FilterName, type ListFilter } from "./list-address.ts";
import { LIST_WORDS } from "./list-words.ts";

export type Choices = { tags: { slug: string; name: string }[]; countries: { code: string; names: Record<"en" | "es" | "fr", string> }[] };
type View = { name: string; filter: ListFilter; sort: string };
type Props = { filter: ListFilter; sort: string; choices: Choices; views: View[] };

const TYPING_MS = 300;

export function ListFilters({ filter, sort, choices, views: saved }: Props) {
  const words = useWords(LIST_WORDS);
  const address = useListAddress({ filter, sort });
  const navigation = useNavigation();
  const [typed, setTyped] = useTyped(filter.q ?? "", (q) => address.narrow({ q }));
  const views = useViews(saved);
  const groups = useGroups(choices);
  const query = toQuery({ filter: { ...filter, q: undefined }, sort }).toString();
  const selected = views.list.findIndex((view) => toQuery(view).toString() === query);
  // What an address narrows the list to is shown at once, where no view says it.
  const { mode, setMode } = useSetIndexFiltersMode(selected < 0 || filter.q ? IndexFiltersMode.Filtering : IndexFiltersMode.Default);

  return (
    <IndexFilters
      mode={mode}
      setMode={setMode}
      loading={navigation.state === "loading"}
      tabs={views.list.map(({ name, isOwn, ...view }, index) => ({
        id: `view-${index}`,
        content: name,
        isLocked: !isOwn,
        onAction: () => address.show(view),
        actions: isOwn ? [{ type: "delete" as const, onPrimaryAction: async () => views.remove(name) }] : [],
      }))}
      selected={selected}
      canCreateNewView
      primaryAction={{ type: "save-as", onAction: async (name) => views.save({ name, filter: { ...filter, q: undefined }, sort }), disabled: query === "", loading: false }}
      onCreateNewView={async (name) => views.save({ name, filter: { ...filter, q: undefined }, sort })}
      cancelAction={{ onAction: () => address.show({ filter: {}, sort: DEFAULT_SORT }) }}
      queryValue={typed}
      queryPlaceholder={words.search}
      onQueryChange={setTyped}
      onQueryClear={() => setTyped("")}
      sortOptions={sortOptions(words.sorts)}
      sortSelected={[sort]}
      onSort={([next]) => next && address.sortBy(next)}
      filters={groups.map(({ name, label, choices: list }) => ({
        key: name,
        label,
        shortcut: name === "tag" || name === "consent",
        filter: <ChoiceList title={label} titleHidden choices={list} selected={filter[name] ? [filter[name]] : []} onChange={([value]) => address.narrow({ [name]: value })} />,
      }))}
      appliedFilters={groups.flatMap(({ name, label, choices: list }) => {
        const value = filter[name];
        return value ? [{ key: name, label: `${label}: ${list.find((choice) => choice.value === value)?.label ?? value}`, onRemove: () => address.narrow({ [name]: undefined }) }] : [];
      })}
      onClearAll={() => address.show({ filter: {}, sort })}
    />
  );
}

/** What is typed is shown at once and looked for when the fingers rest. */
function useTyped(shown: string, search: (text: string | undefined) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  useEffect(() => setTyped(shown), [shown]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return [
    typed,
    (text) => {
      setTyped(text);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => search(text.trim() || undefined), text === "" ? 0 : TYPING_MS);
    },
  ];
}

function useViews(saved: readonly View[]) {
  const words = useWords(LIST_WORDS).views;
  const fetcher = useFetcher<{ ok: boolean }>();
  const waiting = useRef<(isDone: boolean) => void>();
  useEffect(() => {
    if (fetcher.state !== "idle" || !fetcher.data) return;
    waiting.current?.(fetcher.data.ok);
    waiting.current = undefined;
  }, [fetcher.state, fetcher.data]);
  const send = (body: object) =>
    new Promise<boolean>((resolve) => {
      waiting.current = resolve;
      fetcher.submit(JSON.stringify(body), { method: "post", action: "/app/customers?index", encType: "application/json" });
    });
  const ours: View[] = [
    { name: words.all, filter: {}, sort: DEFAULT_SORT },
    { name: words.marketing, filter: { consent: "marketing" }, sort: DEFAULT_SORT },
    { name: words.recent, filter: { signed_in: "30" }, sort: "signed_in desc" },
    { name: words.suspended, filter: { status: "suspended" }, sort: DEFAULT_SORT },
  ];
  return {
    list: [...ours.map((view) => ({ ...view, isOwn: false })), ...saved.map((view) => ({ ...view, isOwn: true }))],
    async save(view: View): Promise<boolean> {
      const isDone = await send({ intent: "view.save", view });
      showToast(isDone ? words.searchNotKept : words.notSaved, !isDone);
      return isDone;
    },
    remove: (name: string) => send({ intent: "view.delete", name }),
  };
}

type Group = { name: FilterName; label: string; choices: { label: string; value: string }[] };

function useGroups(choices: Choices): Group[] {
  const words = useWords(LIST_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  const locale = useLocale();
  const listed = (values: Record<string, string>) => Object.entries(values).map(([value, label]) => ({ value, label }));
  return [
    { name: "tag", label: words.filters.tag, choices: choices.tags.map(({ slug, name }) => ({ value: slug, label: name })) },
    { name: "consent", label: words.filters.consent, choices: listed(names.consent).flatMap(({ value, label }) => [{ value, label }, { value: `-${value}`, label: words.not(label) }]) },
    { name: "provider", label: words.filters.provider, choices: listed(names.provider) },
    { name: "status", label: words.filters.status, choices: listed(names.status) },
    { name: "country", label: words.filters.country, choices: choices.countries.map((country) => ({ value: country.code, label: country.names[locale] })) },
    { name: "signed_in", label: words.filters.signedIn, choices: ["7", "30", "90", "older", "never"].map((value) => ({ value, label: words.signedIn[value as "never"] })) },
  ];
}

type SortOptions = NonNullable<IndexFiltersProps["sortOptions"]>;

function sortOptions(sorts: Record<string, { label: string; asc: string; desc: string }>): SortOptions {
  return Object.entries(sorts).flatMap<SortOptions[number]>(([name, { label, asc, desc }]) => [
    { label, value: `${name} asc`, directionLabel: asc },
    { label, value: `${name} desc`, directionLabel: desc },
  ]);
}
