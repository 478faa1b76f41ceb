// The default views of the customer list, and the store's segments.
import { useTranslation } from "react-i18next";
import { Box, Button, InlineStack, Link, Text } from "@shopify/polaris";
import { useState } from "react";
import type { Segment } from "../../../domain/customers/segments/segment.ts";
import { clientLazy } from "../../frame/deferred-card.tsx";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { showToast } from "../../ui/toast.ts";
import { DEFAULT_SORT, toQuery, useListAddress, type ListState } from "./list-address.ts";

const NameSegment = clientLazy(() => import("./name-segment.tsx"));

/** The others are on the screen of segments. */
const MAX_SHOWN = 6;

type DefaultView = ListState & { id: "all" | "marketing" | "recent" | "suspended" };

const DEFAULT_VIEWS: readonly DefaultView[] = [
  { id: "all", filter: {}, sort: DEFAULT_SORT },
  { id: "marketing", filter: { consent: ["marketing"] }, sort: DEFAULT_SORT },
  { id: "recent", filter: { signed_in: "30" }, sort: "signed_in desc" },
  { id: "suspended", filter: { status: "suspended" }, sort: DEFAULT_SORT },
];

export function ListSegments({
  filter,
  sort,
  segment,
  segments,
}: ListState & { segments: Segment[] }) {
  const { t } = useTranslation("customers");
  const labelled = useLabelled();
  const shown = { filter: { ...filter, q: undefined }, sort };
  const address = useListAddress({ filter, sort, segment });
  const [isNaming, setIsNaming] = useState(false);
  const change = useScreenAction("change_segment", {
    onSuccess: () => showToast(t("segments.changed")),
  });
  const query = toQuery(shown).toString();
  const views = DEFAULT_VIEWS.map((view) => ({ ...view, name: t(`views.${view.id}`) }));
  const isShown = (view: ListState) => toQuery({ ...view, segment: null }).toString() === query;
  const opened = segments.find(({ id }) => id === segment) ?? segments.find(isShown);
  const first = segments.slice(0, MAX_SHOWN);
  const buttons = opened && !first.includes(opened) ? [...first, opened] : first;
  const isChanged = opened !== undefined && !isShown(opened);
  const problem = change.error?.fields?.version
    ? t("segments.changedMeanwhile")
    : change.error?.message;
  return (
    <Box padding="200" borderBlockEndWidth="025" borderColor="border">
      <InlineStack gap="100" blockAlign="center">
        {views.map((view) => (
          <ViewButton
            key={view.id}
            name={view.name}
            isShown={!opened && isShown(view)}
            onShow={() => address.show(view)}
          />
        ))}
        {buttons.map(({ id, name, ...state }) => (
          <ViewButton
            key={id}
            name={name}
            isShown={id === opened?.id}
            onShow={() => address.show({ ...state, segment: id })}
          />
        ))}
        {isChanged && (
          <Button
            size="slim"
            loading={change.isBusy}
            accessibilityLabel={labelled(t("segments.change"), opened.name)}
            onClick={() => change.submit({ id: opened.id, version: opened.version, ...shown })}
          >
            {t("segments.change")}
          </Button>
        )}
        {(isChanged || (!opened && !views.some(isShown))) && (
          <Button size="slim" onClick={() => setIsNaming(true)}>
            {t("segments.save")}
          </Button>
        )}
        {segments.length > 0 && <Link url="/app/segments">{t("segments.all")}</Link>}
      </InlineStack>
      <div aria-live="polite">
        {problem && (
          <Box paddingBlockStart="200">
            <Text as="p" tone="critical">
              {problem}
            </Text>
          </Box>
        )}
      </div>
      {isNaming && (
        <NameSegment
          shown={shown}
          hasSearch={Boolean(filter.q)}
          onClose={() => setIsNaming(false)}
          onSaved={(id) => {
            setIsNaming(false);
            address.show({ ...shown, segment: id });
          }}
        />
      )}
    </Box>
  );
}

function ViewButton({ name, isShown, onShow }: { name: string; isShown: boolean; onShow(): void }) {
  return (
    <Button size="slim" variant="tertiary" pressed={isShown} onClick={onShow}>
      {name}
    </Button>
  );
}
