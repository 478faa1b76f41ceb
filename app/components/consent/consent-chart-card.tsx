import { BlockStack, Card } from "@shopify/polaris";
import { BarChart } from "../bar-chart.tsx";
import { CardHeading } from "../card-heading.tsx";
import { CONSENT_WORDS } from "./consent-words.ts";
import { formatCount } from "../figures.ts";
import { formatDay } from "../moment.tsx";
import { useLocale, useWords } from "../words.tsx";

type Day = { day: string; granted: number; revoked: number };

export function ConsentChartCard({ days }: { days: readonly Day[] }) {
  const words = useWords(CONSENT_WORDS);
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
        <CardHeading title={words.chart} />
        <BarChart
          title={words.chart}
          first={words.granted}
          second={words.revoked}
          when={words.day}
          bars={bars}
          summary={words.chartSummary(sum("granted"), sum("revoked"), days.length)}
        />
      </BlockStack>
    </Card>
  );
}
