import { useTranslation } from "react-i18next";
import { BlockStack, Card } from "@shopify/polaris";
import type { ConsentDay } from "../../domain/consent/consent-log.ts";
import { BarChart } from "../ui/bar-chart.tsx";
import { CardHeading } from "../ui/card-heading.tsx";
import { formatCount } from "../i18n/format-number.ts";
import { formatDay } from "../ui/date-time.tsx";
import { useLocale } from "../i18n/locale.ts";

export function ConsentChartCard({ days }: { days: readonly ConsentDay[] }) {
  const { t } = useTranslation("consent");
  const locale = useLocale();
  const sum = (of: "granted" | "revoked") =>
    formatCount(
      locale,
      days.reduce((total, day) => total + day[of], 0),
    );
  const bars = days.map(({ day, granted, revoked }) => ({
    key: day,
    label: formatDay(locale, day),
    short: formatDay(locale, day).replace(/ \d{4}$/, ""),
    first: granted,
    second: revoked,
  }));
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("chart")} />
        <BarChart
          title={t("chart")}
          first={t("granted")}
          second={t("revoked")}
          when={t("day")}
          bars={bars}
          summary={t("chartSummary", {
            granted: sum("granted"),
            revoked: sum("revoked"),
            days: days.length,
          })}
        />
      </BlockStack>
    </Card>
  );
}
