import { useTranslation } from "react-i18next";
import { BlockStack, Card } from "@shopify/polaris";
import type { CountedDay } from "../../domain/consent/consent-counts.ts";
import type { ConsentOutcome } from "../../domain/consent/consent-outcomes.ts";
import { DecisionChart } from "../charts/decision-chart.tsx";
import { CardHeading } from "../ui/card-heading.tsx";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";

export function ConsentChartCard({ days }: { days: readonly CountedDay[] }) {
  const { t } = useTranslation("consent");
  const locale = useLocale();
  const sum = (of: ConsentOutcome) =>
    formatCount(
      locale,
      days.reduce((total, day) => total + day[of], 0),
    );
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("chart")} />
        <DecisionChart
          title={t("chart")}
          when={t("day")}
          days={days}
          summary={t("chartSummary", {
            granted: sum("granted"),
            declined: sum("declined"),
            withdrawn: sum("withdrawn"),
            days: days.length,
          })}
        />
      </BlockStack>
    </Card>
  );
}
