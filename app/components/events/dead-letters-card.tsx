import { useTranslation } from "react-i18next";
import {
  Banner,
  BlockStack,
  Card,
  EmptySearchResult,
  IndexTable,
  Link,
  Text,
  useIndexResourceState,
} from "@shopify/polaris";
import { EmptyState } from "../ui/empty-state.tsx";
import { useChannelName } from "../i18n/channel-names.ts";
import { useFailureText } from "./failure-text.ts";
import type { DeadLetter } from "../../domain/bus/log/dead-letter-list.ts";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { useEventName } from "../i18n/event-names.ts";
import { formatCount } from "../i18n/format-number.ts";
import { FilterBar } from "../ui/filter-bar.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { Pager } from "../ui/pager.tsx";
import { PageGutter } from "../ui/layout.tsx";
import { ResponsiveRows, RowCell } from "../ui/responsive-rows.tsx";
import type { Replay, ReplayStart } from "../../domain/bus/dead-letters/replay-run.ts";
import { ReplayStatus } from "./replay-status.tsx";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useJobProgress } from "../hooks/use-job-progress.ts";
import { useLocale } from "../i18n/locale.ts";

type Props = {
  letters: readonly DeadLetter[];
  next: string | null;
  channel: string | null;
  counts: readonly { channel: string; count: number }[];
  replay: Replay | null;
};

/** The chosen destination keeps its name in the filter when its last event is gone. */
const withChosen = (counts: Props["counts"], channel: string | null): Props["counts"] =>
  channel === null || counts.some((one) => one.channel === channel)
    ? counts
    : [...counts, { channel, count: 0 }];

export function DeadLettersCard({ letters, next, channel, counts, replay }: Props) {
  const { t } = useTranslation("events");
  const locale = useLocale();
  const run = useJobProgress(replay, "/app/events/replay");
  const replayAll = useReplay("replay_all");
  const replayChosen = useReplay("replay");
  const total = counts
    .filter((one) => channel === null || one.channel === channel)
    .reduce((sum, { count }) => sum + count, 0);
  const isRunning = replayAll.isBusy || replayChosen.isBusy || run?.state === "running";
  return (
    <BlockStack gap="400">
      <div aria-live="polite">
        <ReplayMessages run={run} replays={[replayAll, replayChosen]} />
      </div>
      {total > 0 && (
        <PageGutter>
          <BlockStack gap="200">
            <Text as="p">
              {t("deadIntro")} {t("replay.pausedNote")}
            </Text>
            <div>
              <ConfirmButton
                label={t("replay.all", { total: formatCount(locale, total) })}
                title={t("replay.allTitle")}
                confirm={t("replay.confirm")}
                isBusy={isRunning}
                onConfirm={() => replayAll.submit({ channel })}
              >
                <Text as="p">{t("replay.allText")}</Text>
              </ConfirmButton>
            </div>
          </BlockStack>
        </PageGutter>
      )}
      <Card padding="0">
        {counts.length > 0 && <ChannelFilter counts={counts} channel={channel} />}
        {letters.length === 0 ? (
          <NoLetters isFiltered={counts.length > 0} />
        ) : (
          <Letters
            key={letters.map(({ queue_id: id }) => id).join()}
            letters={letters}
            isBusy={isRunning}
            onReplay={(ids) => replayChosen.submit({ ids })}
          />
        )}
        <Pager next={next} />
      </Card>
    </BlockStack>
  );
}

type MessagesProps = { run: Replay | null; replays: readonly ReturnType<typeof useReplay>[] };

/** How the replay goes, and why one did not start. */
function ReplayMessages({ run, replays }: MessagesProps) {
  const { t } = useTranslation("events");
  const error = replays.find((replay) => replay.error)?.error;
  const starts = replays.map(({ data }) => data?.start);
  return (
    <BlockStack gap="200">
      {run && <ReplayStatus run={run} />}
      {error && (
        <Banner tone="critical">
          <p>{error.message}</p>
        </Banner>
      )}
      {starts.includes("busy") && (
        <Banner tone="warning">
          <p>{t("replay.busy")}</p>
        </Banner>
      )}
      {starts.includes("nothing") && (
        <Banner tone="info">
          <p>{t("replay.nothing")}</p>
        </Banner>
      )}
    </BlockStack>
  );
}

function ChannelFilter({ counts, channel }: Pick<Props, "counts" | "channel">) {
  const { t } = useTranslation("events");
  const channelName = useChannelName();
  const locale = useLocale();
  return (
    <FilterBar
      filters={[
        {
          name: "channel",
          label: t("filters.channel"),
          kind: "choice",
          value: channel ?? undefined,
          choices: withChosen(counts, channel).map((one) => ({
            value: one.channel,
            label: `${channelName(one.channel)} (${formatCount(locale, one.count)})`,
          })),
        },
      ]}
    />
  );
}

function NoLetters({ isFiltered }: { isFiltered: boolean }) {
  const { t } = useTranslation("events");
  return isFiltered ? (
    <EmptySearchResult title={t("nothingFound.title")} description={t("nothingFound.text")} />
  ) : (
    <EmptyState
      heading={t("deadEmpty.title")}
      action={{ content: t("log"), url: "/app/events/log" }}
    >
      <p>{t("deadEmpty.text")}</p>
    </EmptyState>
  );
}

const useReplay = (intent: "replay" | "replay_all") =>
  useScreenAction<{ start: ReplayStart }>(intent, { action: "/app/events/dead-letters" });

function Letters({
  letters,
  isBusy,
  onReplay,
}: {
  letters: readonly DeadLetter[];
  isBusy: boolean;
  onReplay(ids: number[]): void;
}) {
  const { t } = useTranslation("events");
  const { selectedResources, allResourcesSelected, handleSelectionChange } = useIndexResourceState(
    letters.map(({ queue_id: id }) => ({ id: String(id) })),
  );
  return (
    <ResponsiveRows>
      <IndexTable
        itemCount={letters.length}
        resourceName={{ singular: t("event"), plural: t("title") }}
        selectedItemsCount={allResourcesSelected ? "All" : selectedResources.length}
        onSelectionChange={handleSelectionChange}
        promotedBulkActions={[
          {
            content: t("replay.button"),
            disabled: isBusy,
            onAction: () => onReplay(selectedResources.map(Number)),
          },
        ]}
        headings={[
          { title: t("columns.kind") },
          { title: t("columns.channel") },
          { title: t("columns.reason") },
          { title: t("columns.tries") },
          { title: t("columns.since") },
        ]}
      >
        {letters.map((letter, at) => (
          <LetterRow
            key={letter.queue_id}
            letter={letter}
            at={at}
            isSelected={selectedResources.includes(String(letter.queue_id))}
          />
        ))}
      </IndexTable>
    </ResponsiveRows>
  );
}

type RowProps = { letter: DeadLetter; at: number; isSelected: boolean };

function LetterRow({ letter, at, isSelected }: RowProps) {
  const { t } = useTranslation("events");
  const failureText = useFailureText();
  const eventName = useEventName();
  const channelName = useChannelName();
  return (
    <IndexTable.Row
      id={String(letter.queue_id)}
      position={at}
      selected={isSelected}
      accessibilityLabel={`${eventName(letter.event_type)}, ${channelName(letter.channel)}, ${letter.queue_id}`}
    >
      <RowCell>
        <Link url={`/app/events/event/${encodeURIComponent(letter.event_id)}`}>
          {eventName(letter.event_type)}
        </Link>
      </RowCell>
      <RowCell label={t("columns.channel")}>{channelName(letter.channel)}</RowCell>
      <RowCell label={t("columns.reason")}>
        <div style={{ whiteSpace: "normal", minWidth: "14rem" }}>{failureText(letter.failure)}</div>
      </RowCell>
      <RowCell label={t("columns.tries")}>{letter.attempts}</RowCell>
      <RowCell label={t("columns.since")}>
        <DateTime at={letter.dead_since} />
      </RowCell>
    </IndexTable.Row>
  );
}
