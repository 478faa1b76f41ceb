import { useTranslation } from "react-i18next";
import { Badge, BlockStack, EmptySearchResult, IndexTable, Link, Text } from "@shopify/polaris";
import { useState } from "react";
import type { ActivityFilters } from "../../domain/agent-activity/activity-filters.ts";
import type { ListedActivity } from "../../domain/agent-activity/activity-list.ts";
import type { CallOutcome } from "../../domain/agent-activity/agent-call.ts";
import type { AgentActivityScreen } from "../../domain/merchant/agent-activity.ts";
import { formatAmount } from "../i18n/format-number.ts";
import { labelOf } from "../i18n/label-of.ts";
import { useLocale } from "../i18n/locale.ts";
import { DateTime } from "../ui/date-time.tsx";
import type { Filter } from "../ui/filter-bar.tsx";
import { EmailText, WrappingText } from "../ui/layout.tsx";
import { LogCard, useIsNewest } from "../ui/log-card.tsx";
import { ResponsiveRows, RowCell } from "../ui/responsive-rows.tsx";
import { useActivityNews } from "./use-activity-news.ts";

type Props = Omit<AgentActivityScreen, "next" | "totals"> & {
  next: string | null;
  filters: ActivityFilters;
};

const TONES = { done: "success", refused: "warning", failed: "critical" } as const;

export function ActivityCard({ activity, next, isCut, customers, filters, agents, mark }: Props) {
  const { t } = useTranslation("agent-activity");
  const [isLive, setIsLive] = useState(true);
  const isNewest = useIsNewest();
  useActivityNews(isLive && isNewest, mark);
  const texts = {
    empty: {
      title: t("empty.title"),
      text: t("empty.text"),
      action: t("empty.action"),
      url: "/app/agents",
    },
    noCustomer: t("noCustomer"),
    manyCustomers: t("manyCustomers"),
    live: t("live"),
    cutSearch: t("cutSearch"),
  };
  return (
    <LogCard
      texts={texts}
      filters={useFilters(filters, agents)}
      rows={activity.length}
      customers={customers}
      isCut={isCut}
      isLive={isLive}
      onLive={setIsLive}
      next={next}
    >
      <ActivityTable activity={activity} />
    </LogCard>
  );
}

function useFilters(filters: ActivityFilters, agents: AgentActivityScreen["agents"]): Filter[] {
  const { t } = useTranslation("agent-activity");
  const choices = (labels: Record<string, string>) =>
    Object.entries(labels).map(([value, label]) => ({ value, label }));
  return [
    {
      name: "agent",
      label: t("filters.agent"),
      kind: "choice",
      value: filters.agent,
      choices: [
        ...agents.map(({ client_id: value, name: label }) => ({ value, label })),
        { value: "session", label: t("session") },
        { value: "unknown", label: t("unknown") },
      ],
    },
    { name: "customer", label: t("filters.customer"), kind: "text", value: filters.customer },
    {
      name: "kind",
      label: t("filters.kind"),
      kind: "choice",
      value: filters.kind,
      choices: choices(t("kinds", { returnObjects: true })),
    },
    {
      name: "outcome",
      label: t("filters.outcome"),
      kind: "choice",
      value: filters.outcome,
      choices: choices(t("outcomes", { returnObjects: true })),
    },
    { name: "from", label: t("filters.from"), kind: "date", value: filters.from },
    { name: "to", label: t("filters.to"), kind: "date", value: filters.to },
  ];
}

function ActivityTable({ activity }: { activity: readonly ListedActivity[] }) {
  const { t } = useTranslation("agent-activity");
  return (
    <ResponsiveRows>
      <IndexTable
        selectable={false}
        itemCount={activity.length}
        resourceName={{ singular: t("title"), plural: t("title") }}
        emptyState={
          <EmptySearchResult title={t("nothingFound.title")} description={t("nothingFound.text")} />
        }
        headings={[
          { title: t("columns.when") },
          { title: t("columns.agent") },
          { title: t("columns.customer") },
          { title: t("columns.what") },
          { title: t("columns.outcome") },
          { title: t("columns.amount") },
        ]}
      >
        {activity.map((call, at) => (
          <ActivityRow key={call.id} call={call} at={at} />
        ))}
      </IndexTable>
    </ResponsiveRows>
  );
}

function ActivityRow({ call, at }: { call: ListedActivity; at: number }) {
  const { t } = useTranslation("agent-activity");
  const { calls, code, customer_id: customer } = call;
  return (
    <IndexTable.Row id={String(call.id)} position={at}>
      <RowCell label={t("columns.when")}>
        <DateTime at={call.at} />
      </RowCell>
      <RowCell label={t("columns.agent")}>
        <WrappingText>{call.agent ?? t(customer === null ? "unknown" : "session")}</WrappingText>
      </RowCell>
      <RowCell label={t("columns.customer")}>
        {customer === null ? (
          <Text as="span" tone="subdued">
            {t("nobody")}
          </Text>
        ) : (
          <WrappingText>
            <Link url={`/app/customers/${customer}`}>
              {call.email ? <EmailText email={call.email} /> : t("person", { id: customer })}
            </Link>
          </WrappingText>
        )}
      </RowCell>
      <RowCell label={t("columns.what")}>
        <BlockStack>
          {labelOf(t("operations", { returnObjects: true }), call.operation)}
          {calls > 1 && (
            <Text as="span" variant="bodySm" tone="subdued">
              {t("times", { count: calls })}
            </Text>
          )}
        </BlockStack>
      </RowCell>
      <RowCell label={t("columns.outcome")}>
        <BlockStack gap="100" inlineAlign="start">
          <OutcomeBadge outcome={call.outcome} />
          {code !== null && (
            <WrappingText>
              <Text as="span" variant="bodySm" tone="subdued">
                {labelOf(t("codes", { returnObjects: true }), code)}
              </Text>
            </WrappingText>
          )}
        </BlockStack>
      </RowCell>
      <RowCell label={t("columns.amount")}>
        <Amount call={call} />
      </RowCell>
    </IndexTable.Row>
  );
}

function OutcomeBadge({ outcome }: { outcome: CallOutcome }) {
  const { t } = useTranslation("agent-activity");
  return <Badge tone={TONES[outcome]}>{t(`outcomes.${outcome}`)}</Badge>;
}

/** What the amount of an operation means; other operations have no amount. */
const MONEY: Readonly<Record<string, "paid" | "limit">> = {
  pay_checkout: "paid",
  create_mandate: "limit",
};

function Amount({ call }: { call: ListedActivity }) {
  const { t } = useTranslation("agent-activity");
  const locale = useLocale();
  const { amount, currency, mandate_id: mandate, operation } = call;
  if (amount === null || currency === null) return null;
  const meaning = MONEY[operation] ?? (mandate === null ? null : "reserved");
  return (
    <BlockStack>
      {formatAmount(locale, amount, currency)}
      <Text as="span" variant="bodySm" tone="subdued">
        {[
          meaning && t(`money.${meaning}`),
          mandate !== null && t("mandate", { id: mandate.slice(0, 8) }),
        ]
          .filter(Boolean)
          .join(", ")}
      </Text>
    </BlockStack>
  );
}
