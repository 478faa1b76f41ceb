import { BlockStack, Card } from "@shopify/polaris";
import { BarChart } from "../bar-chart.tsx";
import { CardHeading } from "../card-heading.tsx";
import { EVENT_WORDS } from "./event-words.ts";
import { formatCount } from "../figures.ts";
import { formatMoment } from "../moment.tsx";
import { useLocale, useWords } from "../words.tsx";

type Hour = { hour: string; delivered: number; failed: number };

export function ThroughputCard({ hours }: { hours: readonly Hour[] }) {
  const words = useWords(EVENT_WORDS);
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
        <CardHeading title={words.chart} />
        <BarChart
          title={words.chart}
          first={words.delivered}
          second={words.failed}
          when={words.hour}
          bars={bars}
          summary={words.chartSummary(sum("delivered"), sum("failed"))}
        />
      </BlockStack>
    </Card>
  );
}
