// Search, filters and order above the customer list.
import { useNavigation } from "@remix-run/react";
import { Box, ChoiceList, Filters, Select, useBreakpoints } from "@shopify/polaris";
import { useTyped } from "../use-typed.ts";
import { useLocale, useWords } from "../words.tsx";
import { CUSTOMER_NAMES } from "./customer-words.ts";
import { useListAddress, type FilterName, type ListFilter } from "./list-address.ts";
import { LIST_WORDS } from "./list-words.ts";
import { Views, type View } from "./list-views.tsx";

export type Choices = {
  tags: { slug: string; name: string }[];
  countries: { code: string; names: Record<"en" | "es" | "fr", string> }[];
};
type Props = { filter: ListFilter; sort: string; choices: Choices; views: View[] };

export function ListFilters({ filter, sort, choices, views: saved }: Props) {
  const words = useWords(LIST_WORDS);
  const address = useListAddress({ filter, sort });
  const navigation = useNavigation();
  const [typed, setTyped] = useTyped(filter.q ?? "", (q) => address.narrow({ q }));
  const groups = useGroups(choices);
  const { smDown } = useBreakpoints();
  const order = (
    <Select
      label={words.sort}
      labelHidden
      options={sortOptions(words.sorts)}
      value={sort}
      onChange={address.sortBy}
    />
  );
  return (
    <>
      <Views filter={filter} sort={sort} saved={saved} />
      <Filters
        loading={navigation.state === "loading"}
        queryValue={typed}
        queryPlaceholder={words.search}
        onQueryChange={setTyped}
        onQueryClear={() => setTyped("")}
        filters={groups.map(({ name, label, choices: list }) => ({
          key: name,
          label,
          pinned: name === "tag" || name === "consent",
          filter: (
            <ChoiceList
              title={label}
              titleHidden
              choices={list}
              selected={filter[name] ? [filter[name]] : []}
              onChange={([value]) => address.narrow({ [name]: value })}
            />
          ),
        }))}
        appliedFilters={groups.flatMap(({ name, label, choices: list }) => {
          const value = filter[name];
          return value
            ? [
                {
                  key: name,
                  label: `${label}: ${list.find((choice) => choice.value === value)?.label ?? value}`,
                  onRemove: () => address.narrow({ [name]: undefined }),
                },
              ]
            : [];
        })}
        onClearAll={() => address.show({ filter: {}, sort })}
      >
        {/* Beside it on a phone, nobody could read what they search for. */}
        {!smDown && <Box paddingInlineStart="200">{order}</Box>}
      </Filters>
      {smDown && <Box padding="200">{order}</Box>}
    </>
  );
}

type Group = { name: FilterName; label: string; choices: { label: string; value: string }[] };

function useGroups(choices: Choices): Group[] {
  const words = useWords(LIST_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  const locale = useLocale();
  const listed = (values: Record<string, string>) =>
    Object.entries(values).map(([value, label]) => ({ value, label }));
  return [
    {
      name: "tag",
      label: words.filters.tag,
      choices: choices.tags.map(({ slug, name }) => ({ value: slug, label: name })),
    },
    {
      name: "consent",
      label: words.filters.consent,
      choices: listed(names.consent).flatMap(({ value, label }) => [
        { value, label },
        { value: `-${value}`, label: words.not(label) },
      ]),
    },
    { name: "provider", label: words.filters.provider, choices: listed(names.provider) },
    { name: "status", label: words.filters.status, choices: listed(names.status) },
    {
      name: "country",
      label: words.filters.country,
      choices: choices.countries.map((country) => ({
        value: country.code,
        label: country.names[locale],
      })),
    },
    {
      name: "signed_in",
      label: words.filters.signedIn,
      choices: ["7", "30", "90", "older", "never"].map((value) => ({
        value,
        label: words.signedIn[value as "never"],
      })),
    },
  ];
}

const sortOptions = (sorts: Record<string, { label: string; asc: string; desc: string }>) =>
  Object.entries(sorts).flatMap(([name, { label, asc, desc }]) => [
    { value: `${name} desc`, label: `${label}: ${desc}` },
    { value: `${name} asc`, label: `${label}: ${asc}` },
  ]);
