import { Badge, Card, EmptySearchResult, EmptyState, IndexTable, Link } from "@shopify/polaris";
import { CHANNEL_WORDS, channelLabel, failureText, type ShownFailure } from "./channel-words.ts";
import { EVENT_WORDS, statusLabel } from "./event-words.ts";
import { formatCount } from "../figures.ts";
import { FilterBar, type Filter } from "../filter-bar.tsx";
import { Moment } from "../moment.tsx";
import { Pager } from "../pager.tsx";
import { useLocale, useWords } from "../words.tsx";

export type Attempt = {
  id: number;
  event_id: string;
  event_type: string | null;
  channel: string;
  status: string;
  latency_ms: number;
  attempt: number;
  created_at: string;
  failure: ShownFailure | null;
};
type Filters = {
  channel?: string | undefined;
  status?: string | undefined;
  event?: string | undefined;
};

export function DeliveryLogCard({
  attempts,
  next,
  filters,
  channels,
}: {
  attempts: readonly Attempt[];
  next: string | null;
  filters: Filters;
  channels: readonly string[];
}) {
  const words = useWords(EVENT_WORDS);
  const labels = useWords(CHANNEL_WORDS);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const offered: Filter[] = [
    {
      name: "channel",
      label: words.filters.channel,
      kind: "choice",
      value: filters.channel,
      choices: channels.map((value) => ({ value, label: channelLabel(labels, value) })),
    },
    {
      name: "status",
      label: words.filters.status,
      kind: "choice",
      value: filters.status,
      choices: (["delivered", "failed"] as const).map((value) => ({
        value,
        label: words.statuses[value],
      })),
    },
    { name: "event", label: words.filters.event, kind: "text", value: filters.event },
  ];
  if (attempts.length === 0 && !isFiltered)
    return (
      <Card>
        <EmptyState
          heading={words.logEmpty.title}
          image=""
          action={{ content: words.logEmpty.action, url: "/app/events/destinations" }}
        >
          <p>{words.logEmpty.text}</p>
        </EmptyState>
      </Card>
    );
  return (
    <Card padding="0">
      <FilterBar filters={offered} />
      <AttemptTable attempts={attempts} withEvent />
      <Pager next={next} />
    </Card>
  );
}

export function AttemptTable({
  attempts,
  withEvent = false,
}: {
  attempts: readonly Attempt[];
  withEvent?: boolean;
}) {
  const words = useWords(EVENT_WORDS);
  const labels = useWords(CHANNEL_WORDS);
  const locale = useLocale();
  const { columns, nothingFound } = words;
  const headings = [
    columns.when,
    ...(withEvent ? [columns.event] : []),
    columns.channel,
    columns.outcome,
    columns.tries,
    columns.took,
    columns.reason,
  ];
  return (
    <IndexTable
      selectable={false}
      itemCount={attempts.length}
      resourceName={{ singular: words.log, plural: words.log }}
      emptyState={<EmptySearchResult title={nothingFound.title} description={nothingFound.text} />}
      headings={headings.map((title) => ({ title })) as [{ title: string }, ...{ title: string }[]]}
    >
      {attempts.map((attempt, at) => (
        <IndexTable.Row key={attempt.id} id={String(attempt.id)} position={at}>
          <IndexTable.Cell>
            <Moment at={attempt.created_at} />
          </IndexTable.Cell>
          {withEvent && (
            <IndexTable.Cell>
              <Link url={`/app/events/event/${encodeURIComponent(attempt.event_id)}`}>
                {attempt.event_type ?? attempt.event_id.slice(0, 13)}
              </Link>
            </IndexTable.Cell>
          )}
          <IndexTable.Cell>{channelLabel(labels, attempt.channel)}</IndexTable.Cell>
          <IndexTable.Cell>
            <Badge tone={attempt.status === "delivered" ? "success" : "critical"}>
              {statusLabel(words, attempt.status)}
            </Badge>
          </IndexTable.Cell>
          <IndexTable.Cell>{attempt.attempt}</IndexTable.Cell>
          <IndexTable.Cell>{formatCount(locale, attempt.latency_ms)} ms</IndexTable.Cell>
          <IndexTable.Cell>
            <div style={{ whiteSpace: "normal", minWidth: "12rem" }}>
              {attempt.failure ? failureText(labels, attempt.failure) : "-"}
            </div>
          </IndexTable.Cell>
        </IndexTable.Row>
      ))}
    </IndexTable>
  );
}
