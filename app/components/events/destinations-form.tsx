// Where a store's events go: which destinations are in use, and the routes that send a kind of event to some of them.
import { SaveBar } from "@shopify/app-bridge-react";
import { Banner, BlockStack, Button, Card, ChoiceList, Text } from "@shopify/polaris";
import { useState } from "react";
import { CardHeading } from "../card-heading.tsx";
import { CHANNEL_WORDS, channelLabel } from "./channel-words.ts";
import { EVENT_WORDS } from "./event-words.ts";
import { RouteFields, type Route } from "./route-fields.tsx";
import { nextKey, useFocusAfterRemoval, type Keyed } from "../row-keys.ts";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useWords } from "../words.tsx";

type Saved = {
  event_routes: readonly Route[];
  enabled_channels: readonly string[] | null;
  channels: readonly { name: string; enabled: boolean }[];
};
type Draft = { isChosen: boolean; chosen: string[]; routes: (Route & Keyed)[] };

const draftOf = ({ event_routes: routes, enabled_channels: chosen, channels }: Saved): Draft => ({
  isChosen: chosen !== null,
  chosen: [...(chosen ?? channels.filter(({ enabled }) => enabled).map(({ name }) => name))],
  routes: routes.map((route, key) => ({ ...toRoute(route), key })),
});

/** In one order of its parts, so that what is stored and what is on the screen can be compared. */
const toRoute = ({ event_type, channels, priority }: Route): Route => ({
  event_type,
  channels: [...channels],
  ...(priority !== undefined && { priority }),
});
const textOf = ({ routes, ...rest }: Draft): string =>
  JSON.stringify({ ...rest, routes: routes.map(toRoute) });

export function DestinationsForm({ saved }: { saved: Saved }) {
  const words = useWords(EVENT_WORDS).edit;
  const labels = useWords(CHANNEL_WORDS);
  const [draft, setDraft] = useState(() => draftOf(saved));
  const { run, isBusy, refused } = useDeed({ onDone: () => words.saved });
  const general = useRefusal(refused);
  const { adding, focusAdding } = useFocusAfterRemoval();
  const isDirty = textOf(draft) !== textOf(draftOf(saved));
  const change = (changes: Partial<Draft>) => setDraft((known) => ({ ...known, ...changes }));
  const choices = [...new Set([...saved.channels.map(({ name }) => name), ...draft.chosen])].map(
    (value) => ({ value, label: channelLabel(labels, value) }),
  );
  const save = () =>
    run("save", {
      event_routes: draft.routes.map(toRoute),
      enabled_channels: draft.isChosen ? draft.chosen : null,
    });
  return (
    <>
      <SaveBar open={isDirty}>
        <button variant="primary" onClick={save} disabled={isBusy}>
          {words.save}
        </button>
        <button onClick={() => setDraft(draftOf(saved))}>{words.discard}</button>
      </SaveBar>
      {refused && !refused.fields.event_routes && !refused.fields.enabled_channels && (
        <Banner tone="critical">
          <p>{general}</p>
        </Banner>
      )}
      <Card>
        <BlockStack gap="300">
          <CardHeading title={words.which} />
          <Text as="p" tone="subdued">
            {words.intro}
          </Text>
          <ChoiceList
            title={words.which}
            titleHidden
            choices={[
              { value: "all", label: words.everyone },
              { value: "chosen", label: words.chosen },
            ]}
            selected={[draft.isChosen ? "chosen" : "all"]}
            onChange={([value]) => change({ isChosen: value === "chosen" })}
          />
          {draft.isChosen && (
            <ChoiceList
              allowMultiple
              title={words.chosen}
              titleHidden
              choices={choices}
              selected={draft.chosen}
              onChange={(chosen) => change({ chosen })}
              error={refused?.fields.enabled_channels ? words.wrongChannels : ""}
            />
          )}
        </BlockStack>
      </Card>
      <Card>
        <BlockStack gap="400">
          <CardHeading title={words.routes} />
          <Text as="p" tone="subdued">
            {words.routesHint}
          </Text>
          {refused?.fields.event_routes && (
            <Banner tone="critical">
              <p>{words.wrongRoutes}</p>
            </Banner>
          )}
          {draft.routes.length === 0 && <Text as="p">{words.noRoutes}</Text>}
          {draft.routes.map((route, at) => (
            <RouteFields
              key={route.key}
              place={at + 1}
              route={route}
              choices={choices}
              onChange={(changed) =>
                change({
                  routes: draft.routes.map((one) =>
                    one.key === route.key ? { ...changed, key: one.key } : one,
                  ),
                })
              }
              onRemove={() => {
                change({ routes: draft.routes.filter(({ key }) => key !== route.key) });
                focusAdding();
              }}
            />
          ))}
          <div ref={adding}>
            <Button
              onClick={() =>
                change({
                  routes: [
                    ...draft.routes,
                    { key: nextKey(draft.routes), event_type: "", channels: [] },
                  ],
                })
              }
            >
              {words.add}
            </Button>
          </div>
        </BlockStack>
      </Card>
    </>
  );
}
