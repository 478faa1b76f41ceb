// The filters of a list. They are in the URL, so that a filtered list can be bookmarked, shared and
// returned to.
import { useTranslation } from "react-i18next";
import { useSearchParams, useNavigation } from "@remix-run/react";
import { Box, Button, InlineGrid, InlineStack, Select, TextField } from "@shopify/polaris";
import { useEffect, useState } from "react";

export type Filter = { name: string; label: string; value: string | undefined } & (
  | { kind: "choice"; choices: readonly { value: string; label: string }[] }
  | { kind: "text" | "date" | "email" }
);

export function FilterBar({ filters }: { filters: readonly Filter[] }) {
  const { t } = useTranslation("frame");
  const [, setAddress] = useSearchParams();
  const isLoading = useNavigation().state === "loading";
  const shown = JSON.stringify(
    Object.fromEntries(filters.map(({ name, value }) => [name, value ?? ""])),
  );
  const [values, setValues] = useState<Record<string, string>>(
    JSON.parse(shown) as Record<string, string>,
  );
  // Back in the browser changes the fields.
  useEffect(() => setValues(JSON.parse(shown) as Record<string, string>), [shown]);
  const isFiltered = filters.some(({ value }) => value !== undefined);
  const set = (name: string) => (value: string) =>
    setValues((known) => ({ ...known, [name]: value }));
  const apply = (next: Record<string, string>) =>
    setAddress(Object.entries(next).filter(([, value]) => value !== ""));
  return (
    <Box padding="400">
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          apply(values);
        }}
      >
        <InlineGrid columns={{ xs: 1, sm: 2, md: Math.min(3, filters.length) as 2 | 3 }} gap="300">
          {filters.map((filter) =>
            filter.kind === "choice" ? (
              <Select
                key={filter.name}
                label={filter.label}
                name={filter.name}
                options={[{ value: "", label: t("list.all") }, ...filter.choices]}
                value={values[filter.name] ?? ""}
                onChange={set(filter.name)}
              />
            ) : (
              <TextField
                key={filter.name}
                label={filter.label}
                name={filter.name}
                type={filter.kind}
                autoComplete="off"
                value={values[filter.name] ?? ""}
                onChange={set(filter.name)}
              />
            ),
          )}
        </InlineGrid>
        <Box paddingBlockStart="300">
          <InlineStack gap="200">
            <Button submit loading={isLoading}>
              {t("list.filter")}
            </Button>
            {isFiltered && (
              <Button variant="plain" onClick={() => apply({})}>
                {t("list.clear")}
              </Button>
            )}
          </InlineStack>
        </Box>
      </form>
    </Box>
  );
}
