import { useTranslation } from "react-i18next";
import { Badge, Card, EmptySearchResult, EmptyState, IndexTable, Link } from "@shopify/polaris";
import { useChannelName } from "../i18n/channel-names.ts";
import { useFailureText } from "./failure-text.ts";
import type { AttemptFilters } from "../../domain/bus/log/attempt-list.ts";
import type { ListedAttempt } from "../../domain/bus/log/attempt-list.ts";
import { labelOf } from "../i18n/label-of.ts";
import { formatCount } from "../i18n/format-number.ts";
import { FilterBar, type Filter } from "../ui/filter-bar.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { Pager } from "../ui/pager.tsx";
import { useLocale } from "../i18n/locale.ts";

export function DeliveryLogCard({
  attempts,
  next,
  filters,
  channels,
}: {
  attempts: readonly ListedAttempt[];
  next: string | null;
  filters: AttemptFilters;
  channels: readonly string[];
}) {
  const { t } = useTranslation("events");
  const channelName = useChannelName();

  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const offered: Filter[] = [
    {
      name: "channel",
      label: t("filters.channel"),
      kind: "choice",
      value: filters.channel,
      choices: channels.map((value) => ({
        value,
        label: channelName(value),
      })),
    },
    {
      name: "status",
      label: t("filters.status"),
      kind: "choice",
      value: filters.status,
      choices: (["delivered", "failed"] as const).map((value) => ({
        value,
        label: t(`statuses.${value}`),
      })),
    },
    { name: "event", label: t("filters.event"), kind: "text", value: filters.event },
  ];
  if (attempts.length === 0 && !isFiltered)
    return (
      <Card>
        <EmptyState
          heading={t("logEmpty.title")}
          image=""
          action={{ content: t("logEmpty.action"), url: "/app/events/destinations" }}
        >
          <p>{t("logEmpty.text")}</p>
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
  attempts: readonly ListedAttempt[];
  withEvent?: boolean;
}) {
  const { t } = useTranslation("events");
  const failureText = useFailureText();
  const channelName = useChannelName();

  const locale = useLocale();

  const headings = [
    t("columns.when"),
    ...(withEvent ? [t("columns.event")] : []),
    t("columns.channel"),
    t("columns.outcome"),
    t("columns.tries"),
    t("columns.took"),
    t("columns.reason"),
  ];
  return (
    <IndexTable
      selectable={false}
      itemCount={attempts.length}
      resourceName={{ singular: t("log"), plural: t("log") }}
      emptyState={
        <EmptySearchResult title={t("nothingFound.title")} description={t("nothingFound.text")} />
      }
      headings={headings.map((title) => ({ title })) as [{ title: string }, ...{ title: string }[]]}
    >
      {attempts.map((attempt, at) => (
        <IndexTable.Row key={attempt.id} id={String(attempt.id)} position={at}>
          <IndexTable.Cell>
            <DateTime at={attempt.created_at} />
          </IndexTable.Cell>
          {withEvent && (
            <IndexTable.Cell>
              <Link url={`/app/events/event/${encodeURIComponent(attempt.event_id)}`}>
                {attempt.event_type ?? attempt.event_id.slice(0, 13)}
              </Link>
            </IndexTable.Cell>
          )}
          <IndexTable.Cell>{channelName(attempt.channel)}</IndexTable.Cell>
          <IndexTable.Cell>
            <Badge tone={attempt.status === "delivered" ? "success" : "critical"}>
              {labelOf(t("statuses", { returnObjects: true }), attempt.status)}
            </Badge>
          </IndexTable.Cell>
          <IndexTable.Cell>{attempt.attempt}</IndexTable.Cell>
          <IndexTable.Cell>{formatCount(locale, attempt.latency_ms)} ms</IndexTable.Cell>
          <IndexTable.Cell>
            <div style={{ whiteSpace: "normal", minWidth: "12rem" }}>
              {attempt.failure ? failureText(attempt.failure) : "-"}
            </div>
          </IndexTable.Cell>
        </IndexTable.Row>
      ))}
    </IndexTable>
  );
}
