// Stacked counts over time, with the numbers as a table beside. The plot's library is loaded in the
// browser; its height is reserved.
import { BlockStack, InlineStack, Text } from "@shopify/polaris";
import { clientLazy } from "../frame/deferred-card.tsx";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";
import { ChartTable } from "./chart-table.tsx";
import { Swatch } from "./swatch.tsx";
import { totalOf, type Point, type Series } from "./series.ts";

const StackedPlot = clientLazy(() => import("./stacked-plot.tsx"));
const PLOT_HEIGHT = 160;

type Props = {
  title: string;
  /** One sentence that says what the chart shows. */
  summary: string;
  /** The name of the points: "Hour", "Day". */
  when: string;
  series: readonly Series[];
  points: readonly Point[];
};

export function TimeChart({ title, summary, when, series, points }: Props) {
  const locale = useLocale();
  const highest = Math.max(0, ...points.map((point) => totalOf(point, series)));
  return (
    <BlockStack gap="300">
      <Legend series={series} />
      <div>
        <Text as="span" variant="bodySm" tone="subdued">
          {highest > 0 ? formatCount(locale, highest) : "\u00a0"}
        </Text>
        <div style={{ height: PLOT_HEIGHT }}>
          <StackedPlot
            label={`${title}. ${summary}`}
            series={series}
            points={points}
            highest={Math.max(1, highest)}
            height={PLOT_HEIGHT}
          />
        </div>
        <InlineStack align="space-between">
          {[points[0], points[Math.floor(points.length / 2)], points.at(-1)].map(
            (point) =>
              point && (
                <Text key={point.key} as="span" variant="bodySm" tone="subdued">
                  {point.short}
                </Text>
              ),
          )}
        </InlineStack>
      </div>
      <ChartTable title={title} when={when} series={series} points={points} />
    </BlockStack>
  );
}

function Legend({ series }: { series: readonly Series[] }) {
  return (
    <InlineStack gap="400">
      {series.map(({ key, label, color }) => (
        <InlineStack key={key} gap="150" blockAlign="center">
          <Swatch color={color} />
          <Text as="span" variant="bodySm">
            {label}
          </Text>
        </InlineStack>
      ))}
    </InlineStack>
  );
}
