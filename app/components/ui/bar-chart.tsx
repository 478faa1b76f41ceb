// Two counts side by side over time, as bars; the same numbers as a table for screen readers. No
// library: a chart of thirty pairs is sixty rectangles.
import { useTranslation } from "react-i18next";
import { BlockStack, Box, InlineStack, Text } from "@shopify/polaris";
import { useId } from "react";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";

type Bar = { key: string; label: string; short: string; first: number; second: number };

type Props = {
  title: string;
  first: string;
  second: string;
  when: string;
  bars: readonly Bar[];
  summary: string;
};

const [WIDTH, HEIGHT] = [720, 120];
const COLORS = {
  first: "var(--p-color-bg-fill-success)",
  second: "var(--p-color-text-caution)",
} as const;

export function BarChart({ title, first, second, when, bars, summary }: Props) {
  const id = useId();
  const { t } = useTranslation("frame");
  const locale = useLocale();
  const most = Math.max(1, ...bars.flatMap((bar) => [bar.first, bar.second]));
  const step = WIDTH / Math.max(1, bars.length);
  const width = Math.max(1.5, step * 0.36);
  const heightOf = (value: number) => (value === 0 ? 0 : Math.max(2, (value / most) * HEIGHT));
  return (
    <BlockStack gap="300">
      <InlineStack gap="400">
        <Legend color={COLORS.first} text={first} />
        <Legend color={COLORS.second} text={second} />
      </InlineStack>
      <div>
        <Text as="span" variant="bodySm" tone="subdued">
          {formatCount(locale, most)}
        </Text>
        <svg
          role="img"
          aria-labelledby={id}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          style={{
            width: "100%",
            height: HEIGHT,
            display: "block",
            borderBottom: "1px solid var(--p-color-border)",
          }}
        >
          <title id={id}>{`${title}. ${summary}`}</title>
          {bars.map((bar, at) => (
            <g key={bar.key}>
              <rect
                x={at * step + step * 0.12}
                y={HEIGHT - heightOf(bar.first)}
                width={width}
                height={heightOf(bar.first)}
                fill={COLORS.first}
              />
              <rect
                x={at * step + step * 0.12 + width}
                y={HEIGHT - heightOf(bar.second)}
                width={width}
                height={heightOf(bar.second)}
                fill={COLORS.second}
              />
            </g>
          ))}
        </svg>
        <InlineStack align="space-between">
          {[bars[0], bars[Math.floor(bars.length / 2)], bars.at(-1)].map(
            (bar) =>
              bar && (
                <Text key={bar.key} as="span" variant="bodySm" tone="subdued">
                  {bar.short}
                </Text>
              ),
          )}
        </InlineStack>
      </div>
      <details>
        <summary style={{ cursor: "pointer" }}>{t("list.asTable")}</summary>
        <Box paddingBlockStart="200">
          <table style={{ width: "100%", borderCollapse: "collapse" }}>
            <caption style={{ position: "absolute", width: 1, height: 1, overflow: "hidden" }}>
              {title}
            </caption>
            <thead>
              <tr>
                {[when, first, second].map((name) => (
                  <th key={name} scope="col" style={{ textAlign: "start" }}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {bars.map((bar) => (
                <tr key={bar.key}>
                  <th scope="row" style={{ textAlign: "start", fontWeight: "normal" }}>
                    {bar.label}
                  </th>
                  <td>{formatCount(locale, bar.first)}</td>
                  <td>{formatCount(locale, bar.second)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Box>
      </details>
    </BlockStack>
  );
}

function Legend({ color, text }: { color: string; text: string }) {
  return (
    <InlineStack gap="150" blockAlign="center">
      <span
        aria-hidden
        style={{
          width: 12,
          height: 12,
          borderRadius: 3,
          background: color,
          display: "inline-block",
        }}
      />
      <Text as="span" variant="bodySm">
        {text}
      </Text>
    </InlineStack>
  );
}
