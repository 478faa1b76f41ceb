// The state of the customer list is in its URL, so that a view can be shared and reloaded, and the
// browser's back button works.
import { useSearchParams } from "@remix-run/react";

export const FILTERS = [
  "tag",
  "tag_any",
  "tag_none",
  "consent",
  "email_subscription",
  "sms_subscription",
  "orders_min",
  "orders_max",
  "spent_min",
  "spent_max",
  "joined_from",
  "joined_to",
  "signed_in",
  "active",
  "country",
  "language",
  "provider",
  "status",
] as const;
export type FilterName = (typeof FILTERS)[number];
export type ListFilter = { q?: string | undefined } & {
  [K in FilterName]?: string | number | string[] | undefined;
};
export const DEFAULT_SORT = "updated desc";

/** `segment`: the one that was opened; it stays while its filter is changed here. */
export type ListState = { filter: ListFilter; sort: string; segment?: string | null };

/** Omits default values, so that equal lists have equal URLs. */
export function toQuery(
  { filter, sort, segment }: ListState,
  place: { after?: string; before?: string } = {},
): URLSearchParams {
  const entries = [
    ["q", filter.q],
    ...FILTERS.map((name) => [name, filter[name]]),
    ["sort", sort === DEFAULT_SORT ? undefined : sort],
    ["segment", segment ?? undefined],
    ["after", place.after],
    ["before", place.before],
  ] as const;
  return new URLSearchParams(
    entries.flatMap(([name, value]) =>
      value === undefined || String(value) === "" ? [] : [[name as string, String(value)]],
    ),
  );
}

/** Changes the list: a new filter or order starts at the first page. */
export function useListAddress(now: ListState) {
  const [, setQuery] = useSearchParams();
  return {
    narrow: (change: ListFilter) =>
      setQuery(toQuery({ ...now, filter: { ...now.filter, ...change } }), {
        preventScrollReset: true,
      }),
    show: (state: ListState) => setQuery(toQuery(state), { preventScrollReset: true }),
    sortBy: (sort: string) => setQuery(toQuery({ ...now, sort }), { preventScrollReset: true }),
    turnTo: (place: { after: string } | { before: string }) => setQuery(toQuery(now, place)),
  };
}
