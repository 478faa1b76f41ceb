import { BlockStack, Box, InlineStack, Text } from "@shopify/polaris";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";
import { useLabelled } from "../i18n/use-labelled.ts";
import type { Point, Series } from "./series.ts";
import { Swatch } from "./swatch.tsx";

type Props = {
  point: Point;
  series: readonly Series[];
  /** The horizontal place of the point, from 0 to 1 of the chart's width. */
  place: number;
};

/** On the side of the point that has more room. What it shows is read out by the plot. */
export function ChartTooltip({ point, series, place }: Props) {
  const locale = useLocale();
  const labelled = useLabelled();
  const side = place < 0.5 ? { left: `${place * 100}%` } : { right: `${(1 - place) * 100}%` };
  return (
    <div
      aria-hidden
      style={{ position: "absolute", top: 0, pointerEvents: "none", zIndex: 1, ...side }}
    >
      <Box background="bg-surface" padding="300" borderRadius="200" shadow="300">
        <BlockStack gap="100">
          <Text as="span" variant="bodySm" fontWeight="semibold">
            {point.label}
          </Text>
          {series.map(({ key, label, color }) => (
            <InlineStack key={key} gap="150" blockAlign="center" wrap={false}>
              <Swatch color={color} />
              <Text as="span" variant="bodySm">
                {labelled(label, formatCount(locale, point.values[key] ?? 0))}
              </Text>
            </InlineStack>
          ))}
        </BlockStack>
      </Box>
    </div>
  );
}
