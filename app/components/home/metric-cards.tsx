// The store's metrics of 30 days, each with its course and its change against the 30 days before.
import { useTranslation } from "react-i18next";
import { BlockStack, Card, InlineGrid, Link, Text } from "@shopify/polaris";
import type { HomeMetric, HomeMetrics } from "../../domain/merchant/home/home-metrics.ts";
import { Sparkline } from "../charts/sparkline.tsx";
import { formatCount, formatDecimal, formatRate, pointsBetween } from "../i18n/format-number.ts";
import { useLocale, type Locale } from "../i18n/locale.ts";

const METRICS = [
  { name: "customers", kind: "count", url: "/app/customers" },
  { name: "signUps", kind: "count", url: "/app/customers" },
  { name: "optIn", kind: "rate", url: "/app/consent" },
  { name: "delivery", kind: "rate", url: "/app/events?period=30d" },
] as const;
type Kind = (typeof METRICS)[number]["kind"];

/** `metrics`: null while they load; the cards have their height already. */
export function MetricCards({ metrics }: { metrics: HomeMetrics | null }) {
  const { t } = useTranslation("home");
  return (
    <InlineGrid columns={{ xs: 1, sm: 2, lg: 4 }} gap="400">
      {METRICS.map(({ name, kind, url }) => (
        <Card key={name}>
          <BlockStack gap="200">
            <Text as="h2" variant="headingSm">
              <Link url={url} monochrome removeUnderline>
                {t(`metrics.${name}`)}
              </Link>
            </Text>
            <Numbers
              kind={kind}
              metric={metrics?.[name] ?? null}
              label={t("metrics.course", { name: t(`metrics.${name}`) })}
            />
          </BlockStack>
        </Card>
      ))}
    </InlineGrid>
  );
}

function Numbers({
  kind,
  metric,
  label,
}: {
  kind: Kind;
  metric: HomeMetric | null;
  label: string;
}) {
  const locale = useLocale();
  const trend = useTrend(kind, metric);
  const value = metric?.value ?? null;
  return (
    <>
      <Text as="p" variant="headingLg" numeric>
        {value === null ? "–" : format(locale, kind, value)}
      </Text>
      {metric ? (
        <Sparkline label={label} values={metric.days} />
      ) : (
        <div style={{ height: 32 }} aria-hidden />
      )}
      <div style={{ minHeight: "2.5rem" }}>
        <Text as="p" variant="bodySm" tone="subdued">
          {metric ? trend : ""}
        </Text>
      </div>
    </>
  );
}

const format = (locale: Locale, kind: Kind, value: number) =>
  kind === "rate" ? formatRate(locale, value) : formatCount(locale, value);

/** The change in words: a count's difference, a rate's percentage points. */
function useTrend(kind: Kind, metric: HomeMetric | null): string {
  const { t } = useTranslation("home");
  const locale = useLocale();
  const { value = null, before = null } = metric ?? {};
  if (value === null) return t("trend.nothing");
  if (before === null) return t("trend.noBefore");
  if (kind === "count") {
    const change = value - before;
    const by = formatCount(locale, Math.abs(change));
    return change === 0 ? t("trend.same") : t(change > 0 ? "trend.more" : "trend.fewer", { by });
  }
  const points = pointsBetween(value, before);
  if (points === 0) return t("trend.same");
  return t(value > before ? "trend.up" : "trend.down", {
    count: points,
    by: formatDecimal(locale, points),
  });
}
