// The default and saved views of the customer list.
import { useTranslation } from "react-i18next";
import { Box, Button, InlineStack } from "@shopify/polaris";
import { useState } from "react";
import { clientLazy } from "../../frame/deferred-card.tsx";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { DEFAULT_SORT, toQuery, useListAddress, type ListFilter } from "./list-address.ts";

export type View = { name: string; filter: ListFilter; sort: string };

const NameView = clientLazy(() => import("./name-view.tsx"));

const FIRST_VIEW = "customers-first-view";
/** The button that had the focus is gone. */
const focusFirstView = () => document.getElementById(FIRST_VIEW)?.focus();

export function Views({
  filter,
  sort,
  saved,
}: {
  filter: ListFilter;
  sort: string;
  saved: View[];
}) {
  const { t } = useTranslation("customers");
  const address = useListAddress({ filter, sort });
  const [naming, setNaming] = useState<"new" | "rename" | null>(null);
  const deleteView = useScreenAction("delete_view", { onSuccess: focusFirstView });
  const shown = { filter: { ...filter, q: undefined }, sort };
  const query = toQuery(shown).toString();
  const ours: View[] = [
    { name: t("views.all"), filter: {}, sort: DEFAULT_SORT },
    { name: t("views.marketing"), filter: { consent: "marketing" }, sort: DEFAULT_SORT },
    { name: t("views.recent"), filter: { signed_in: "30" }, sort: "signed_in desc" },
    { name: t("views.suspended"), filter: { status: "suspended" }, sort: DEFAULT_SORT },
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
            {...(view === ours[0] && { id: FIRST_VIEW })}
            onClick={() => address.show(view)}
          >
            {view.name}
          </Button>
        ))}
        {!views.some(isShown) && (
          <Button size="slim" onClick={() => setNaming("new")}>
            {t("views.save")}
          </Button>
        )}
        {own && (
          <>
            <Button size="slim" variant="tertiary" onClick={() => setNaming("rename")}>
              {t("views.rename")}
            </Button>
            <Button
              size="slim"
              tone="critical"
              variant="tertiary"
              loading={deleteView.isBusy}
              onClick={() => deleteView.submit({ name: own.name })}
            >
              {t("views.delete")}
            </Button>
          </>
        )}
      </InlineStack>
      {naming === "new" && <NameView shown={shown} onClose={() => setNaming(null)} />}
      {naming === "rename" && own && (
        <NameView renamed={own.name} onClose={() => setNaming(null)} />
      )}
    </Box>
  );
}
