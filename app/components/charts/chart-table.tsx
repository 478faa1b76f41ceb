// The numbers of a chart as a table.
import { useTranslation } from "react-i18next";
import { Box } from "@shopify/polaris";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";
import type { Point, Series } from "./series.ts";

type Props = { title: string; when: string; series: readonly Series[]; points: readonly Point[] };

export function ChartTable({ title, when, series, points }: Props) {
  const { t } = useTranslation("frame");
  const locale = useLocale();
  return (
    <details>
      <summary style={{ cursor: "pointer" }}>{t("list.asTable")}</summary>
      <Box paddingBlockStart="200">
        <table style={{ width: "100%", borderCollapse: "collapse" }}>
          <caption style={{ position: "absolute", width: 1, height: 1, overflow: "hidden" }}>
            {title}
          </caption>
          <thead>
            <tr>
              {[when, ...series.map(({ label }) => label)].map((name) => (
                <th key={name} scope="col" style={{ textAlign: "start" }}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {points.map((point) => (
              <tr key={point.key}>
                <th scope="row" style={{ textAlign: "start", fontWeight: "normal" }}>
                  {point.label}
                </th>
                {series.map(({ key }) => (
                  <td key={key}>{formatCount(locale, point.values[key] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </details>
  );
}
