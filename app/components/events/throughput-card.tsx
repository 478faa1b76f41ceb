import { useTranslation } from "react-i18next";
import { BlockStack, Card } from "@shopify/polaris";
import type { HourCount } from "../../domain/bus/log/throughput.ts";
import { BarChart } from "../ui/bar-chart.tsx";
import { CardHeading } from "../ui/card-heading.tsx";
import { formatCount } from "../i18n/format-number.ts";
import { formatMoment } from "../ui/date-time.tsx";
import { useLocale } from "../i18n/locale.ts";

export function ThroughputCard({ hours }: { hours: readonly HourCount[] }) {
  const { t } = useTranslation("events");
  const locale = useLocale();
  const sum = (of: "delivered" | "failed") =>
    formatCount(
      locale,
      hours.reduce((total, hour) => total + hour[of], 0),
    );
  const bars = hours.map(({ hour, delivered, failed }) => ({
    key: hour,
    label: formatMoment(locale, hour),
    short: `${hour.slice(11, 13)}:00`,
    first: delivered,
    second: failed,
  }));
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("chart")} />
        <BarChart
          title={t("chart")}
          first={t("delivered")}
          second={t("failed")}
          when={t("hour")}
          bars={bars}
          summary={t("chartSummary", { delivered: sum("delivered"), failed: sum("failed") })}
        />
      </BlockStack>
    </Card>
  );
}
