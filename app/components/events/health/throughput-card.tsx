import { useTranslation } from "react-i18next";
import { BlockStack, Card } from "@shopify/polaris";
import type { Period } from "../../../domain/bus/log/throughput.ts";
import type { DeliveryHealth } from "../../../domain/channels/delivery-health.ts";
import type { Series } from "../../charts/series.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import { formatCount } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { useDateFormat } from "../../ui/date-time.tsx";

const COLORS = { delivered: "success", failed: "critical", skipped: "subdued" } as const;
const NAMES = Object.keys(COLORS) as (keyof typeof COLORS)[];

type Props = { steps: DeliveryHealth["steps"]; period: Period };

export function ThroughputCard({ steps, period }: Props) {
  const { t } = useTranslation("events");
  const locale = useLocale();
  const { formatDay, formatMoment, formatTime } = useDateFormat();
  const isByDay = period === "30d";
  const series: Series[] = NAMES.map((key) => ({ key, label: t(key), color: COLORS[key] }));
  const sum = (of: (typeof NAMES)[number]) =>
    formatCount(
      locale,
      steps.reduce((total, step) => total + step[of], 0),
    );
  const points = steps.map(({ at, ...values }) => ({
    key: at,
    label: isByDay ? formatDay(at) : formatMoment(at),
    short:
      period === "1h" || period === "24h" ? formatTime(at) : formatDay(at).replace(/ \d{4}$/, ""),
    values,
  }));
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("chart")} />
        <TimeChart
          title={t("chart")}
          summary={t("chartSummary", {
            delivered: sum("delivered"),
            failed: sum("failed"),
            skipped: sum("skipped"),
          })}
          when={isByDay ? t("day") : t("time")}
          series={series}
          points={points}
        />
      </BlockStack>
    </Card>
  );
}
