// The numbers of the insights by region, device, language or version of the banner.
import { useTranslation } from "react-i18next";
import { BlockStack, Box, Card, IndexTable, InlineStack, Select } from "@shopify/polaris";
import { useSearchParams } from "@remix-run/react";
import type { InsightCut, InsightRow } from "../../../domain/consent/insights/read-insights.ts";
import { useKeyboardScroll } from "../../hooks/use-keyboard-scroll.ts";
import { formatCount, formatDecimal, formatRate, pointsBetween } from "../../i18n/format-number.ts";
import { useLocale, type Locale } from "../../i18n/locale.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { ResponsiveRows, RowCell } from "../../ui/responsive-rows.tsx";

const CUTS = ["region", "device", "language", "version"] as const;
const STEPS = ["shown", "accepted", "refused", "customised"] as const;

export function InsightTable({ rows, by }: { rows: readonly InsightRow[]; by: InsightCut }) {
  const { t } = useTranslation("insights");
  const [, setAddress] = useSearchParams();
  const nameOf = useValueName(by);
  const place = useKeyboardScroll(t("table.title"));
  return (
    <Card padding="0">
      <Box padding="400">
        <BlockStack gap="300">
          <CardHeading title={t("table.title")} />
          <InlineStack>
            <Select
              labelInline
              label={t("table.by")}
              options={CUTS.map((value) => ({ value, label: t(`cuts.${value}`) }))}
              value={by}
              onChange={(value) =>
                setAddress(
                  (now) => {
                    now.set("by", value);
                    return now;
                  },
                  { preventScrollReset: true },
                )
              }
            />
          </InlineStack>
        </BlockStack>
      </Box>
      <div ref={place}>
        <ResponsiveRows>
          <IndexTable
            selectable={false}
            itemCount={rows.length}
            resourceName={{ singular: t(`cuts.${by}`), plural: t(`cuts.${by}`) }}
            headings={[
              { title: t(`cuts.${by}`) },
              { title: t("steps.shown") },
              { title: t("steps.accepted") },
              { title: t("steps.refused") },
              { title: t("steps.customised") },
              { title: t("rate") },
              { title: t("table.change") },
            ]}
          >
            {rows.map((row, at) => (
              <Row key={row.value} row={row} at={at} name={nameOf(row.value)} />
            ))}
          </IndexTable>
        </ResponsiveRows>
      </div>
    </Card>
  );
}

function Row({ row, at, name }: { row: InsightRow; at: number; name: string }) {
  const { t } = useTranslation("insights");
  const locale = useLocale();
  return (
    <IndexTable.Row id={row.value || "none"} position={at}>
      <RowCell>{name}</RowCell>
      {STEPS.map((step) => (
        <RowCell key={step} label={t(`steps.${step}`)}>
          {formatCount(locale, row[step])}
        </RowCell>
      ))}
      <RowCell label={t("rate")}>{row.rate === null ? "–" : formatRate(locale, row.rate)}</RowCell>
      <RowCell label={t("table.change")}>{changeOf(locale, row)}</RowCell>
    </IndexTable.Row>
  );
}

/** In percentage points, with its sign. */
function changeOf(locale: Locale, { rate, rateBefore }: InsightRow): string {
  if (rate === null || rateBefore === null) return "–";
  const points = pointsBetween(rate, rateBefore);
  return points === 0 ? "0" : `${rate > rateBefore ? "+" : "−"}${formatDecimal(locale, points)}`;
}

function useValueName(by: InsightCut): (value: string) => string {
  const { t } = useTranslation("insights");
  const locale = useLocale();
  if (by === "device") {
    const devices: Record<string, string> = t("devices", { returnObjects: true });
    return (value) => devices[value] ?? value;
  }
  if (by === "version")
    return (value) => (value === "0" ? t("noVersion") : t("version", { version: value }));
  const names = new Intl.DisplayNames([locale], { type: by });
  return (value) => {
    if (value === "unknown") return t("unknown");
    const [code = "", part] = by === "region" ? value.split("-") : [value];
    return part ? `${names.of(code) ?? code} (${part})` : (names.of(code) ?? code);
  };
}
