// The state of the customer list is in its URL, so that a view can be shared and reloaded, and the
// browser's back button works.
import { useSearchParams } from "@remix-run/react";
import type { CustomerFilter } from "../../../domain/customers/list/customer-filter.ts";

export type FilterName = Exclude<keyof CustomerFilter, "q">;

/** Every filter: one that is not here would be lost in the URL. */
const IN_ADDRESS: Record<FilterName, true> = {
  tag: true,
  tag_any: true,
  tag_none: true,
  consent: true,
  email_subscription: true,
  sms_subscription: true,
  orders_min: true,
  orders_max: true,
  spent_min: true,
  spent_max: true,
  joined_from: true,
  joined_to: true,
  signed_in: true,
  active: true,
  country: true,
  language: true,
  provider: true,
  status: true,
};
export const FILTERS = Object.keys(IN_ADDRESS) as FilterName[];

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
