// The filters of a list: a button per filter, a chip per applied one, and "Clear all". They are in
// the URL, so that a filtered list can be bookmarked, shared and returned to.
import { clientLazy } from "../frame/deferred-card.tsx";

/** `search`: the field above the other filters, at most one per list. */
export type Filter = { name: string; label: string; value: string | undefined } & (
  | { kind: "choice"; choices: readonly { value: string; label: string }[] }
  | { kind: "text" | "date" | "email" | "search" }
);

export type FilterBarProps = { filters: readonly Filter[] };

const FilterControls = clientLazy<FilterBarProps>(
  () => import("./filter-controls.tsx"),
  ({ filters }) => {
    const isSearched = filters.some(({ kind }) => kind === "search");
    return <div className={isSearched ? "filter-space-searched" : "filter-space"} />;
  },
);

export function FilterBar({ filters }: FilterBarProps) {
  return (
    <div role="search">
      <FilterControls filters={filters} />
    </div>
  );
}
