// Views of the customer list, the usual ones and those that the merchant saved, a click away.
import { Box, Button, InlineStack } from "@shopify/polaris";
import { useState } from "react";
import { loadedLater } from "../later.tsx";
import { useDeed } from "../use-deed.ts";
import { useWords } from "../words.tsx";
import { DEFAULT_SORT, toQuery, useListAddress, type ListFilter } from "./list-address.ts";
import { LIST_WORDS } from "./list-words.ts";

export type View = { name: string; filter: ListFilter; sort: string };

const SaveView = loadedLater(() => import("./save-view.tsx"));

export function Views({
  filter,
  sort,
  saved,
}: {
  filter: ListFilter;
  sort: string;
  saved: View[];
}) {
  const words = useWords(LIST_WORDS).views;
  const address = useListAddress({ filter, sort });
  const [isNaming, setIsNaming] = useState(false);
  const { run, isBusy } = useDeed();
  const shown = { filter: { ...filter, q: undefined }, sort };
  const query = toQuery(shown).toString();
  const ours: View[] = [
    { name: words.all, filter: {}, sort: DEFAULT_SORT },
    { name: words.marketing, filter: { consent: "marketing" }, sort: DEFAULT_SORT },
    { name: words.recent, filter: { signed_in: "30" }, sort: "signed_in desc" },
    { name: words.suspended, filter: { status: "suspended" }, sort: DEFAULT_SORT },
  ];
  const views = [...ours, ...saved];
  const isShown = (view: View) => toQuery(view).toString() === query;
  const own = saved.find(isShown);
  return (
    <Box padding="200" borderBlockEndWidth="025" borderColor="border">
      <InlineStack gap="100" blockAlign="center">
        {views.map((view) => (
          <Button
            key={view.name}
            size="slim"
            variant="tertiary"
            pressed={isShown(view)}
            onClick={() => address.show(view)}
          >
            {view.name}
          </Button>
        ))}
        {!views.some(isShown) && (
          <Button size="slim" onClick={() => setIsNaming(true)}>
            {words.save}
          </Button>
        )}
        {own && (
          <Button
            size="slim"
            tone="critical"
            variant="tertiary"
            loading={isBusy}
            onClick={() => run("delete_view", { name: own.name })}
          >
            {words.delete}
          </Button>
        )}
      </InlineStack>
      {isNaming && <SaveView shown={shown} onClose={() => setIsNaming(false)} />}
    </Box>
  );
}
