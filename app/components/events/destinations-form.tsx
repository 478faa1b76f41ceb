// The destinations of a store's events: which are enabled, and the routes that send event types to
// some of them.
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Button, Card, ChoiceList, Text } from "@shopify/polaris";
import { useState } from "react";
import { useChannelName } from "../i18n/channel-names.ts";
import type { DestinationsView } from "../../domain/bus/log/destinations.ts";
import { ConflictBanner } from "../versioned-form/conflict-banner.tsx";
import { EmbeddedSaveBar } from "../settings/embedded-save-bar.tsx";
import { useVersionedSave } from "../versioned-form/use-versioned-save.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { RouteFields, type Route } from "./route-fields.tsx";
import { nextKey, useFocusAfterRemoval, type Keyed } from "../ui/row-keys.ts";
import { showToast } from "../ui/toast.ts";

type Draft = { isChosen: boolean; chosen: string[]; routes: (Route & Keyed)[] };

const draftOf = ({
  event_routes: routes,
  enabled_channels: chosen,
  channels,
}: DestinationsView): Draft => ({
  isChosen: chosen !== null,
  chosen: [...(chosen ?? channels.filter(({ enabled }) => enabled).map(({ name }) => name))],
  routes: routes.map((route, key) => ({ ...toRoute(route), key })),
});

/** Sorted keys, so that the stored and the edited value can be compared. */
const toRoute = ({ event_type, channels, priority }: Route): Route => ({
  event_type,
  channels: [...channels],
  ...(priority !== undefined && { priority }),
});
const textOf = ({ routes, ...rest }: Draft): string =>
  JSON.stringify({ ...rest, routes: routes.map(toRoute) });

type CardProps = {
  draft: Draft;
  /** The channels of the service, and those that are chosen though they are gone. */
  channels: readonly string[];
  isRefused: boolean;
  onChange(changes: Partial<Draft>): void;
};

export function DestinationsForm({ saved }: { saved: DestinationsView }) {
  const { t } = useTranslation("events");
  const [draft, setDraft] = useState(() => draftOf(saved));
  const isDirty = textOf(draft) !== textOf(draftOf(saved));
  const form = useVersionedSave({
    intent: "save",
    version: saved.version,
    isDirty,
    onSaved: () => showToast(t("edit.saved")),
    onDiscard: () => setDraft(draftOf(saved)),
  });
  const { error, isConflict } = form;
  const refused = isConflict ? {} : (error?.fields ?? {});
  const change = (changes: Partial<Draft>) => setDraft((known) => ({ ...known, ...changes }));
  const channels = [...new Set([...saved.channels.map(({ name }) => name), ...draft.chosen])];
  const save = () =>
    form.save({
      event_routes: draft.routes.map(toRoute),
      enabled_channels: draft.isChosen ? draft.chosen : null,
    });
  return (
    <>
      <EmbeddedSaveBar
        isOpen={isDirty}
        isBusy={form.isBusy}
        onSave={save}
        onDiscard={form.discard}
      />
      {isConflict && <ConflictBanner onShowSaved={form.discard} />}
      {error && !isConflict && !refused.event_routes && !refused.enabled_channels && (
        <Banner tone="critical">
          <p>{error.message}</p>
        </Banner>
      )}
      <ChannelsCard
        draft={draft}
        channels={channels}
        isRefused={Boolean(refused.enabled_channels)}
        onChange={change}
      />
      <RoutesCard
        draft={draft}
        channels={channels}
        isRefused={Boolean(refused.event_routes)}
        onChange={change}
      />
    </>
  );
}

/** Which channels get events at all. */
function ChannelsCard({ draft, channels, isRefused, onChange }: CardProps) {
  const { t } = useTranslation("events");
  const choices = useChannelChoices(channels);
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading title={t("edit.which")} />
        <Text as="p" tone="subdued">
          {t("edit.intro")}
        </Text>
        <ChoiceList
          title={t("edit.which")}
          titleHidden
          choices={[
            { value: "all", label: t("edit.everyone") },
            { value: "chosen", label: t("edit.chosen") },
          ]}
          selected={[draft.isChosen ? "chosen" : "all"]}
          onChange={([value]) => onChange({ isChosen: value === "chosen" })}
        />
        {draft.isChosen && (
          <ChoiceList
            allowMultiple
            title={t("edit.chosen")}
            titleHidden
            choices={choices}
            selected={draft.chosen}
            onChange={(chosen) => onChange({ chosen })}
            error={isRefused ? t("edit.wrongChannels") : ""}
          />
        )}
      </BlockStack>
    </Card>
  );
}

/** The event types that go to some of the channels only. */
function RoutesCard({ draft: { routes }, channels, isRefused, onChange }: CardProps) {
  const { t } = useTranslation("events");
  const choices = useChannelChoices(channels);
  const { adding, focusAdding } = useFocusAfterRemoval();
  const addRoute = () =>
    onChange({ routes: [...routes, { key: nextKey(routes), event_type: "", channels: [] }] });
  const changeRoute = (key: number, changed: Route) =>
    onChange({ routes: routes.map((one) => (one.key === key ? { ...changed, key } : one)) });
  const removeRoute = (key: number) => {
    onChange({ routes: routes.filter((one) => one.key !== key) });
    focusAdding();
  };
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("edit.routes")} />
        <Text as="p" tone="subdued">
          {t("edit.routesHint")}
        </Text>
        {isRefused && (
          <Banner tone="critical">
            <p>{t("edit.wrongRoutes")}</p>
          </Banner>
        )}
        {routes.length === 0 && <Text as="p">{t("edit.noRoutes")}</Text>}
        {routes.map((route, at) => (
          <RouteFields
            key={route.key}
            place={at + 1}
            route={route}
            choices={choices}
            onChange={(changed) => changeRoute(route.key, changed)}
            onRemove={() => removeRoute(route.key)}
          />
        ))}
        <div ref={adding}>
          <Button onClick={addRoute}>{t("edit.add")}</Button>
        </div>
      </BlockStack>
    </Card>
  );
}

function useChannelChoices(channels: readonly string[]) {
  const channelName = useChannelName();
  return channels.map((value) => ({ value, label: channelName(value) }));
}
