import {
  Banner,
  BlockStack,
  Card,
  EmptySearchResult,
  EmptyState,
  IndexTable,
  Link,
  Text,
  useIndexResourceState,
} from "@shopify/polaris";
import { CHANNEL_WORDS, channelLabel, failureText, type ShownFailure } from "./channel-words.ts";
import { ConfirmButton } from "../confirm-button.tsx";
import { EVENT_WORDS } from "./event-words.ts";
import { formatCount } from "../figures.ts";
import { FilterBar } from "../filter-bar.tsx";
import { Moment } from "../moment.tsx";
import { Pager } from "../pager.tsx";
import { BesideCards } from "../room.tsx";
import { ReplayStatus, type ReplayRun } from "./replay-status.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useRun } from "../use-run.ts";
import { useLocale, useWords } from "../words.tsx";

type Letter = {
  queue_id: number;
  event_id: string;
  event_type: string;
  channel: string;
  tries: number;
  dead_since: string;
  failure: ShownFailure;
};
type Props = {
  letters: readonly Letter[];
  next: string | null;
  channel: string | null;
  counts: readonly { channel: string; count: number }[];
  replay: ReplayRun | null;
};

export function DeadLettersCard({ letters, next, channel, counts, replay }: Props) {
  const words = useWords(EVENT_WORDS);
  const channels = useWords(CHANNEL_WORDS);
  const locale = useLocale();
  const run = useRun(replay, "/app/events/replay");
  const {
    run: start,
    isBusy,
    refused,
    done,
  } = useDeed<{ isStarted: boolean }>({ action: "/app/events/dead-letters" });
  const problem = useRefusal(refused);
  const all = counts
    .filter((one) => channel === null || one.channel === channel)
    .reduce((sum, { count }) => sum + count, 0);
  const isRunning = isBusy || run?.state === "running";
  return (
    <BlockStack gap="400">
      <div aria-live="polite">
        <BlockStack gap="200">
          {run && <ReplayStatus run={run} />}
          {problem && (
            <Banner tone="critical">
              <p>{problem}</p>
            </Banner>
          )}
          {done && !done.isStarted && (
            <Banner tone="warning">
              <p>{words.replay.busy}</p>
            </Banner>
          )}
        </BlockStack>
      </div>
      {all > 0 && (
        <BesideCards>
          <BlockStack gap="200">
            <Text as="p">
              {words.deadIntro} {words.replay.pausedNote}
            </Text>
            <div>
              <ConfirmButton
                label={words.replay.all(formatCount(locale, all))}
                title={words.replay.allTitle}
                confirm={words.replay.confirm}
                isBusy={isRunning}
                onConfirm={() => start("replay_all", { channel })}
              >
                <Text as="p">{words.replay.allText}</Text>
              </ConfirmButton>
            </div>
          </BlockStack>
        </BesideCards>
      )}
      <Card padding="0">
        {counts.length > 0 && (
          <FilterBar
            filters={[
              {
                name: "channel",
                label: words.filters.channel,
                kind: "choice",
                value: channel ?? undefined,
                choices: counts.map((one) => ({
                  value: one.channel,
                  label: `${channelLabel(channels, one.channel)} (${formatCount(locale, one.count)})`,
                })),
              },
            ]}
          />
        )}
        {letters.length === 0 && counts.length > 0 ? (
          <EmptySearchResult
            title={words.nothingFound.title}
            description={words.nothingFound.text}
          />
        ) : letters.length === 0 ? (
          <EmptyState
            heading={words.deadEmpty.title}
            image=""
            action={{ content: words.log, url: "/app/events/log" }}
          >
            <p>{words.deadEmpty.text}</p>
          </EmptyState>
        ) : (
          <Letters
            key={letters.map(({ queue_id: id }) => id).join()}
            letters={letters}
            isBusy={isRunning}
            onReplay={(ids) => start("replay", { ids })}
          />
        )}
        <Pager next={next} />
      </Card>
    </BlockStack>
  );
}

function Letters({
  letters,
  isBusy,
  onReplay,
}: {
  letters: readonly Letter[];
  isBusy: boolean;
  onReplay(ids: number[]): void;
}) {
  const words = useWords(EVENT_WORDS);
  const channels = useWords(CHANNEL_WORDS);
  const { columns } = words;
  const { selectedResources, allResourcesSelected, handleSelectionChange } = useIndexResourceState(
    letters.map(({ queue_id: id }) => ({ id: String(id) })),
  );
  return (
    <IndexTable
      itemCount={letters.length}
      resourceName={{ singular: words.event, plural: words.title }}
      selectedItemsCount={allResourcesSelected ? "All" : selectedResources.length}
      onSelectionChange={handleSelectionChange}
      promotedBulkActions={[
        {
          content: words.replay.button,
          disabled: isBusy,
          onAction: () => onReplay(selectedResources.map(Number)),
        },
      ]}
      headings={[
        { title: columns.kind },
        { title: columns.channel },
        { title: columns.reason },
        { title: columns.tries },
        { title: columns.since },
      ]}
    >
      {letters.map((letter, at) => (
        <IndexTable.Row
          key={letter.queue_id}
          id={String(letter.queue_id)}
          position={at}
          selected={selectedResources.includes(String(letter.queue_id))}
          accessibilityLabel={`${letter.event_type}, ${channelLabel(channels, letter.channel)}, ${letter.queue_id}`}
        >
          <IndexTable.Cell>
            <Link url={`/app/events/event/${encodeURIComponent(letter.event_id)}`}>
              {letter.event_type}
            </Link>
          </IndexTable.Cell>
          <IndexTable.Cell>{channelLabel(channels, letter.channel)}</IndexTable.Cell>
          <IndexTable.Cell>
            <div style={{ whiteSpace: "normal", minWidth: "14rem" }}>
              {failureText(channels, letter.failure)}
            </div>
          </IndexTable.Cell>
          <IndexTable.Cell>{letter.tries}</IndexTable.Cell>
          <IndexTable.Cell>
            <Moment at={letter.dead_since} />
          </IndexTable.Cell>
        </IndexTable.Row>
      ))}
    </IndexTable>
  );
}
