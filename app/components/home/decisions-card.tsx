// What shoppers answered when they were asked for marketing.
import { useTranslation } from "react-i18next";
import { BlockStack, Card } from "@shopify/polaris";
import type { ConsentOutcome } from "../../domain/consent/consent-outcomes.ts";
import type { HomeMetrics } from "../../domain/merchant/home-metrics.ts";
import { DecisionChart } from "../charts/decision-chart.tsx";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";
import { CardHeading } from "../ui/card-heading.tsx";

export function DecisionsCard({ days }: { days: HomeMetrics["decisions"] }) {
  const { t } = useTranslation("home");
  const locale = useLocale();
  const sum = (of: ConsentOutcome) =>
    formatCount(
      locale,
      days.reduce((total, day) => total + day[of], 0),
    );
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("decisions.title")} />
        <DecisionChart
          title={t("decisions.title")}
          summary={t("decisions.summary", {
            granted: sum("granted"),
            declined: sum("declined"),
            withdrawn: sum("withdrawn"),
          })}
          when={t("decisions.day")}
          days={days}
        />
      </BlockStack>
    </Card>
  );
}
