// The numbers of a period: what was shown and answered, its course, and a table by region, device, language or
// version.
import { useTranslation } from "react-i18next";
import { BlockStack, Card, InlineGrid, InlineStack, Select, Text } from "@shopify/polaris";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useSearchParams } from "@remix-run/react";
import type {
  InsightQuery,
  Insights,
  InsightPeriod,
} from "../../../domain/consent/insights/read-insights.ts";
import type { Series } from "../../charts/series.ts";
import { Sparkline } from "../../charts/sparkline.tsx";
import { TimeChart } from "../../charts/time-chart.tsx";
import { formatCount, formatDecimal, formatRate, pointsBetween } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { formatDay } from "../../ui/date-time.tsx";
import { InsightTable } from "./insight-table.tsx";

const PERIODS = [7, 30, 90] as const;
const ANSWERS = { accepted: "success", customised: "info", refused: "subdued" } as const;

export function InsightScreen({ query, insights }: { query: InsightQuery; insights: Insights }) {
  const { t } = useTranslation("insights");
  const isEmpty = Object.values({ ...insights.now, rate: 0 }).every((count) => count === 0);
  return (
    <BlockStack gap="400">
      <PeriodCard days={query.days} />
      {isEmpty ? (
        <Card>
          <EmptyState
            heading={t("empty.title", { days: query.days })}
            action={{ content: t("empty.action"), url: "/app/consent/banner" }}
          >
            <p>{t("empty.text")}</p>
          </EmptyState>
        </Card>
      ) : (
        <>
          <Metrics insights={insights} days={query.days} />
          <ChartCard insights={insights} />
          <InsightTable rows={insights.rows} by={query.by} />
        </>
      )}
    </BlockStack>
  );
}

function PeriodCard({ days }: { days: number }) {
  const { t } = useTranslation("insights");
  const [, setAddress] = useSearchParams();
  return (
    <Card>
      <InlineStack gap="400" blockAlign="center">
        <Select
          labelInline
          label={t("period.label")}
          options={PERIODS.map((value) => ({
            value: String(value),
            label: t("period.days", { days: value }),
          }))}
          value={String(days)}
          onChange={(value) =>
            setAddress(
              (now) => {
                now.set("days", value);
                return now;
              },
              { preventScrollReset: true },
            )
          }
        />
        <Text as="p" tone="subdued">
          {t("period.text")}
        </Text>
      </InlineStack>
    </Card>
  );
}

function Metrics({ insights, days }: { insights: Insights; days: number }) {
  const { t } = useTranslation("insights");
  const locale = useLocale();
  const { now, before } = insights;
  const rates = insights.days.map(({ accepted, refused, customised }) => {
    const answers = accepted + refused + customised;
    return answers === 0 ? null : accepted / answers;
  });
  return (
    <InlineGrid columns={{ xs: 1, lg: "1fr 4fr" }} gap="400">
      <Card>
        <BlockStack gap="200">
          <Text as="h2" variant="headingSm">
            {t("rate")}
          </Text>
          <Text as="p" variant="headingLg" numeric>
            {now.rate === null ? "–" : formatRate(locale, now.rate)}
          </Text>
          <Sparkline label={t("rateCourse")} values={rates} />
          <Text as="p" variant="bodySm" tone="subdued">
            <RateTrend now={now} before={before} days={days} />
          </Text>
        </BlockStack>
      </Card>
      <InlineGrid columns={{ xs: 2, lg: 4 }} gap="400">
        {(["shown", "accepted", "refused", "customised"] as const).map((step) => (
          <Card key={step}>
            <BlockStack gap="200">
              <Text as="h2" variant="headingSm">
                {t(`steps.${step}`)}
              </Text>
              <Text as="p" variant="headingLg" numeric>
                {formatCount(locale, now[step])}
              </Text>
              <Sparkline
                label={t("course", { name: t(`steps.${step}`) })}
                values={insights.days.map((day) => day[step])}
              />
              <Text as="p" variant="bodySm" tone="subdued">
                {t("before", { number: formatCount(locale, before[step]), days })}
              </Text>
            </BlockStack>
          </Card>
        ))}
      </InlineGrid>
    </InlineGrid>
  );
}

function RateTrend({
  now,
  before,
  days,
}: {
  now: InsightPeriod;
  before: InsightPeriod;
  days: number;
}) {
  const { t } = useTranslation("insights");
  const locale = useLocale();
  if (now.rate === null) return t("trend.none");
  if (before.rate === null) return t("trend.noBefore", { days });
  const points = pointsBetween(now.rate, before.rate);
  if (points === 0) return t("trend.same", { days });
  return t(now.rate > before.rate ? "trend.up" : "trend.down", {
    count: points,
    points: formatDecimal(locale, points),
    days,
  });
}

function ChartCard({ insights: { days, now } }: { insights: Insights }) {
  const { t } = useTranslation("insights");
  const locale = useLocale();
  const series: Series[] = (Object.keys(ANSWERS) as (keyof typeof ANSWERS)[]).map((key) => ({
    key,
    label: t(`steps.${key}`),
    color: ANSWERS[key],
  }));
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("chart.title")} />
        <TimeChart
          title={t("chart.title")}
          when={t("chart.day")}
          series={series}
          summary={t("chart.summary", {
            accepted: formatCount(locale, now.accepted),
            customised: formatCount(locale, now.customised),
            refused: formatCount(locale, now.refused),
            days: days.length,
          })}
          points={days.map(({ day, ...values }) => ({
            key: day,
            label: formatDay(locale, day),
            short: formatDay(locale, day).replace(/ \d{4}$/, ""),
            values,
          }))}
        />
      </BlockStack>
    </Card>
  );
}
