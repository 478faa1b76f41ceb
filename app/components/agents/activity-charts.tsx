// The agents' calls per day, and what their orders took.
import { useTranslation } from "react-i18next";
import { BlockStack, Card, InlineGrid, InlineStack, Text } from "@shopify/polaris";
import type { ActivityTotals, Spender } from "../../domain/agent-activity/activity-totals.ts";
import type { CallOutcome } from "../../domain/agent-activity/agent-call.ts";
import type { Series } from "../charts/series.ts";
import { TimeChart } from "../charts/time-chart.tsx";
import { formatAmount, formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { formatDay } from "../ui/date-time.tsx";

const COLORS = { done: "success", refused: "caution", failed: "critical" } as const;
const NAMES = Object.keys(COLORS) as CallOutcome[];

export function ActivityCharts({ days, spenders }: Omit<ActivityTotals, "agents">) {
  const { t } = useTranslation("agent-activity");
  const locale = useLocale();
  const series: Series[] = NAMES.map((key) => ({
    key,
    label: t(`outcomes.${key}`),
    color: COLORS[key],
  }));
  const sum = (of: CallOutcome) =>
    formatCount(
      locale,
      days.reduce((total, day) => total + day[of], 0),
    );
  const points = days.map(({ day, ...values }) => ({
    key: day,
    label: formatDay(locale, day),
    short: formatDay(locale, day).replace(/ \d{4}$/, ""),
    values,
  }));
  return (
    <InlineGrid columns={{ xs: 1, lg: "2fr 1fr" }} gap="400">
      <Card>
        <BlockStack gap="400">
          <CardHeading title={t("chart.title")} />
          <TimeChart
            title={t("chart.title")}
            summary={t("chart.summary", {
              done: sum("done"),
              refused: sum("refused"),
              failed: sum("failed"),
            })}
            when={t("chart.day")}
            series={series}
            points={points}
          />
        </BlockStack>
      </Card>
      <Card>
        <BlockStack gap="400">
          <CardHeading title={t("spent.title")} />
          {spenders.length === 0 ? (
            <Text as="p" tone="subdued">
              {t("spent.empty")}
            </Text>
          ) : (
            <Spenders spenders={spenders} />
          )}
        </BlockStack>
      </Card>
    </InlineGrid>
  );
}

/** Bars of one currency are compared with each other. */
function Spenders({ spenders }: { spenders: readonly Spender[] }) {
  const { t } = useTranslation("agent-activity");
  const locale = useLocale();
  const most = new Map<string, number>();
  for (const { currency, amount } of spenders)
    most.set(currency, Math.max(most.get(currency) ?? 0, Number(amount)));
  return (
    <ul style={{ listStyle: "none", margin: 0, padding: 0 }}>
      {spenders.map(({ client_id: id, name, currency, amount, orders }) => (
        <li key={`${id} ${currency}`} style={{ marginBlockEnd: "var(--p-space-300)" }}>
          <InlineStack align="space-between" gap="200">
            <Text as="span" breakWord>
              {name ?? t("spent.own")}
            </Text>
            <Text as="span" fontWeight="semibold">
              {formatAmount(locale, amount, currency)}
            </Text>
          </InlineStack>
          <Bar share={Number(amount) / (most.get(currency) || 1)} />
          <Text as="span" variant="bodySm" tone="subdued">
            {t("spent.orders", { count: orders })}
          </Text>
        </li>
      ))}
    </ul>
  );
}

/** The amount beside it says the same. */
function Bar({ share }: { share: number }) {
  return (
    <div
      aria-hidden
      style={{
        height: "var(--p-space-200)",
        marginBlock: "var(--p-space-100)",
        borderRadius: "var(--p-border-radius-100)",
        background: "var(--p-color-bg-surface-secondary)",
      }}
    >
      <div
        style={{
          width: `${Math.max(1, Math.round(share * 100))}%`,
          height: "100%",
          borderRadius: "inherit",
          background: "var(--p-color-bg-fill-success)",
        }}
      />
    </div>
  );
}
