// Views of the customer list, the usual ones and those that the merchant saved, a click away.
import { useFetcher } from "@remix-run/react";
import { Box, Button, InlineStack } from "@shopify/polaris";
import { useEffect, useRef, useState } from "react";
import { loadedLater } from "../later.tsx";
import { showToast } from "../toast.ts";
import { useWords } from "../words.tsx";
import { DEFAULT_SORT, toQuery, useListAddress, type ListFilter } from "./list-address.ts";
import { LIST_WORDS } from "./list-words.ts";

export type View = { name: string; filter: ListFilter; sort: string };

const SaveView = loadedLater(() => import("./save-view.tsx"));

export function Views({ filter, sort, saved }: { filter: ListFilter; sort: string; saved: View[] }) {
  const words = useWords(LIST_WORDS).views;
  const address = useListAddress({ filter, sort });
  const [isNaming, setIsNaming] = useState(false);
  const change = useViewChange();
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
          <Button key={view.name} size="slim" variant="tertiary" pressed={isShown(view)} onClick={() => address.show(view)}>
            {view.name}
          </Button>
        ))}
        {!views.some(isShown) && (
          <Button size="slim" onClick={() => setIsNaming(true)}>
            {words.save}
          </Button>
        )}
        {own && (
          <Button size="slim" tone="critical" variant="tertiary" onClick={() => void change({ intent: "view.delete", name: own.name })}>
            {words.delete}
          </Button>
        )}
      </InlineStack>
      {isNaming && (
        <SaveView
          onClose={() => setIsNaming(false)}
          onSave={async (name) => {
            const isDone = await change({ intent: "view.save", view: { name, ...shown } });
            if (isDone) showToast(words.searchNotKept);
            return isDone;
          }}
        />
      )}
    </Box>
  );
}

/** Whether it was done. */
function useViewChange(): (body: object) => Promise<boolean> {
  const fetcher = useFetcher<{ ok: boolean }>();
  const waiting = useRef<(isDone: boolean) => void>();
  useEffect(() => {
    if (fetcher.state !== "idle" || !fetcher.data) return;
    waiting.current?.(fetcher.data.ok);
    waiting.current = undefined;
  }, [fetcher.state, fetcher.data]);
  return (body) =>
    new Promise((resolve) => {
      waiting.current = resolve;
      fetcher.submit(JSON.stringify(body), { method: "post", action: "/app/customers?index", encType: "application/json" });
    });
}
