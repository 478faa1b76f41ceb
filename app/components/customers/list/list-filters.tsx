// Search, filters and sort order above the customer list.
import { useTranslation } from "react-i18next";
import { useNavigation } from "@remix-run/react";
import { Box, ChoiceList, Filters, Select, useBreakpoints } from "@shopify/polaris";
import { useDebouncedSearch } from "../../hooks/use-debounced-search.ts";
import { useLocale } from "../../i18n/locale.ts";
import { useListAddress, type FilterName, type ListFilter } from "./list-address.ts";
import { Views, type View } from "./list-views.tsx";

export type Choices = {
  tags: { slug: string; name: string }[];
  countries: { code: string; names: Record<"en" | "es" | "fr", string> }[];
};
type Props = { filter: ListFilter; sort: string; choices: Choices; views: View[] };

export function ListFilters({ filter, sort, choices, views: saved }: Props) {
  const { t } = useTranslation("customers");
  const address = useListAddress({ filter, sort });
  const navigation = useNavigation();
  const [typed, setTyped] = useDebouncedSearch(filter.q ?? "", (q) => address.narrow({ q }));
  const groups = useGroups(choices);
  const { smDown } = useBreakpoints();
  const order = (
    <Select
      label={t("sort")}
      labelHidden
      options={sortOptions(t("sorts", { returnObjects: true }))}
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
        queryPlaceholder={t("search")}
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
        {/* On a phone the field would be too narrow next to it. */}
        {!smDown && <Box paddingInlineStart="200">{order}</Box>}
      </Filters>
      {smDown && <Box padding="200">{order}</Box>}
    </>
  );
}

type Group = { name: FilterName; label: string; choices: { label: string; value: string }[] };

function useGroups(choices: Choices): Group[] {
  const { t } = useTranslation(["customers", "glossary"]);

  const locale = useLocale();
  const listed = (values: Record<string, string>) =>
    Object.entries(values).map(([value, label]) => ({ value, label }));
  return [
    {
      name: "tag",
      label: t("filters.tag"),
      choices: choices.tags.map(({ slug, name }) => ({ value: slug, label: name })),
    },
    {
      name: "consent",
      label: t("filters.consent"),
      choices: listed(t("glossary:consent", { returnObjects: true })).flatMap(
        ({ value, label }) => [
          { value, label },
          { value: `-${value}`, label: t("not", { consent: label }) },
        ],
      ),
    },
    {
      name: "provider",
      label: t("filters.provider"),
      choices: listed(t("glossary:provider", { returnObjects: true })),
    },
    {
      name: "status",
      label: t("filters.status"),
      choices: listed(t("glossary:status", { returnObjects: true })),
    },
    {
      name: "country",
      label: t("filters.country"),
      choices: choices.countries.map((country) => ({
        value: country.code,
        label: country.names[locale],
      })),
    },
    {
      name: "signed_in",
      label: t("filters.signedIn"),
      choices: ["7", "30", "90", "older", "never"].map((value) => ({
        value,
        label: t(`signedIn.${value as "never"}`),
      })),
    },
  ];
}

const sortOptions = (sorts: Record<string, { label: string; asc: string; desc: string }>) =>
  Object.entries(sorts).flatMap(([name, { label, asc, desc }]) => [
    { value: `${name} desc`, label: `${label}: ${desc}` },
    { value: `${name} asc`, label: `${label}: ${asc}` },
  ]);
