import { useTranslation } from "react-i18next";
import { useRevalidator } from "@remix-run/react";
import { EmptySearchResult, IndexTable, Link } from "@shopify/polaris";
import { useState } from "react";
import { useChannelName } from "../i18n/channel-names.ts";
import { useReasonText } from "./failure-text.ts";
import { OutcomeBadge } from "./outcome-badge.tsx";
import type { AttemptFilters } from "../../domain/bus/log/attempt-filters.ts";
import type { ListedAttempt } from "../../domain/bus/log/attempt-list.ts";
import type { DeliveryLogPage } from "../../domain/merchant/delivery-log.ts";
import { usePolling } from "../hooks/use-polling.ts";
import { useEventName } from "../i18n/event-names.ts";
import { formatCount } from "../i18n/format-number.ts";
import type { Filter } from "../ui/filter-bar.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { LogCard, useIsNewest } from "../ui/log-card.tsx";
import { ResponsiveRows, RowCell } from "../ui/responsive-rows.tsx";
import { useLocale } from "../i18n/locale.ts";

type Props = Omit<DeliveryLogPage, "next"> & {
  next: string | null;
  filters: AttemptFilters;
  channels: readonly string[];
};

export function DeliveryLogCard({ attempts, next, isCut, customers, filters, channels }: Props) {
  const { t } = useTranslation(["events", "deliveries"]);
  const [isLive, setIsLive] = useState(false);
  const { revalidate } = useRevalidator();
  const isNewest = useIsNewest();
  usePolling(isLive && isNewest, revalidate);
  const texts = {
    empty: {
      title: t("logEmpty.title"),
      text: t("logEmpty.text"),
      action: t("logEmpty.action"),
      url: "/app/events/destinations",
    },
    noCustomer: t("deliveries:noCustomer"),
    manyCustomers: t("deliveries:manyCustomers"),
    live: t("deliveries:live"),
    cutSearch: t("deliveries:cutSearch"),
  };
  return (
    <LogCard
      texts={texts}
      filters={useFilters(filters, channels)}
      rows={attempts.length}
      customers={customers}
      isCut={isCut}
      isLive={isLive}
      onLive={setIsLive}
      next={next}
    >
      <AttemptTable attempts={attempts} />
    </LogCard>
  );
}

const HTTP_CLASSES = ["2xx", "3xx", "4xx", "5xx"] as const;

function useFilters(filters: AttemptFilters, channels: readonly string[]): Filter[] {
  const { t } = useTranslation(["events", "deliveries", "glossary"]);
  const channelName = useChannelName();

  const http = filters.http;
  const isOwnStatus = http !== undefined && /^\d+$/.test(http);
  return [
    {
      name: "channel",
      label: t("filters.channel"),
      kind: "choice",
      value: filters.channel,
      choices: channels.map((value) => ({ value, label: channelName(value) })),
    },
    {
      name: "status",
      label: t("filters.status"),
      kind: "choice",
      value: filters.status,
      choices: [
        { value: "delivered", label: t("statuses.delivered") },
        { value: "skipped", label: t("glossary:skipped") },
        { value: "failed", label: t("statuses.failed") },
      ],
    },
    {
      name: "http",
      label: t("deliveries:filters.http"),
      kind: "choice",
      value: http,
      choices: [
        ...HTTP_CLASSES.map((value) => ({ value, label: value })),
        ...HTTP_STATUSES.map((value) => ({ value, label: value })),
        ...(isOwnStatus && !HTTP_STATUSES.includes(http) ? [{ value: http, label: http }] : []),
        { value: "none", label: t("deliveries:filters.none") },
      ],
    },
    { name: "type", label: t("deliveries:filters.type"), kind: "text", value: filters.type },
    {
      name: "customer",
      label: t("deliveries:filters.customer"),
      kind: "text",
      value: filters.customer,
    },
    { name: "event", label: t("deliveries:filters.id"), kind: "text", value: filters.event },
    { name: "from", label: t("deliveries:filters.from"), kind: "date", value: filters.from },
    { name: "to", label: t("deliveries:filters.to"), kind: "date", value: filters.to },
  ];
}

/** The statuses that the filter offers; the address may hold any other. */
const HTTP_STATUSES: readonly string[] = [
  "400",
  "401",
  "403",
  "404",
  "409",
  "422",
  "429",
  "500",
  "502",
  "503",
  "504",
];

function AttemptTable({ attempts }: { attempts: readonly ListedAttempt[] }) {
  const { t } = useTranslation("events");
  const reasonText = useReasonText();
  const eventName = useEventName();
  const channelName = useChannelName();

  const locale = useLocale();

  const headings = [
    t("columns.when"),
    t("columns.event"),
    t("columns.channel"),
    t("columns.outcome"),
    t("columns.tries"),
    t("columns.took"),
    t("columns.reason"),
  ];
  return (
    <ResponsiveRows>
      <IndexTable
        selectable={false}
        itemCount={attempts.length}
        resourceName={{ singular: t("log"), plural: t("log") }}
        emptyState={
          <EmptySearchResult title={t("nothingFound.title")} description={t("nothingFound.text")} />
        }
        headings={
          headings.map((title) => ({ title })) as [{ title: string }, ...{ title: string }[]]
        }
      >
        {attempts.map((attempt, at) => (
          <IndexTable.Row key={attempt.id} id={String(attempt.id)} position={at}>
            <RowCell label={t("columns.when")}>
              <DateTime at={attempt.created_at} />
            </RowCell>
            <RowCell label={t("columns.event")}>
              <Link
                url={`/app/events/event/${encodeURIComponent(attempt.event_id)}?attempt=${attempt.id}`}
              >
                {attempt.event_type ? eventName(attempt.event_type) : attempt.event_id.slice(0, 13)}
              </Link>
            </RowCell>
            <RowCell label={t("columns.channel")}>{channelName(attempt.channel)}</RowCell>
            <RowCell label={t("columns.outcome")}>
              <OutcomeBadge status={attempt.status} skip={attempt.skip} />
            </RowCell>
            <RowCell label={t("columns.tries")}>{attempt.attempt}</RowCell>
            <RowCell label={t("columns.took")}>
              {formatCount(locale, attempt.latency_ms)} ms
            </RowCell>
            <RowCell label={t("columns.reason")}>
              <div style={{ whiteSpace: "normal", minWidth: "12rem" }}>{reasonText(attempt)}</div>
            </RowCell>
          </IndexTable.Row>
        ))}
      </IndexTable>
    </ResponsiveRows>
  );
}
