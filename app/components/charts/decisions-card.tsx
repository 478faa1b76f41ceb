// What people decided about consents, day by day, with the totals of the days.
import { useTranslation } from "react-i18next";
import { BlockStack, Card } from "@shopify/polaris";
import type { CountedDay } from "../../domain/consent/consent-counts.ts";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { formatDay } from "../ui/date-time.tsx";
import type { Series } from "./series.ts";
import { TimeChart } from "./time-chart.tsx";

const COLORS = { granted: "success", declined: "subdued", withdrawn: "caution" } as const;
type Decision = keyof typeof COLORS;
const NAMES = Object.keys(COLORS) as Decision[];

type Props = {
  title: string;
  /** The heading of the days in the table of the numbers. */
  when: string;
  days: readonly CountedDay[];
  summaryOf(totals: Record<Decision, string>): string;
};

export function DecisionsCard({ title, when, days, summaryOf }: Props) {
  const { t } = useTranslation("glossary");
  const locale = useLocale();
  const totalOf = (name: Decision) =>
    formatCount(
      locale,
      days.reduce((total, day) => total + day[name], 0),
    );
  const series: Series[] = NAMES.map((key) => ({
    key,
    label: t(`decisions.${key}`),
    color: COLORS[key],
  }));
  const points = days.map(({ day, ...values }) => ({
    key: day,
    label: formatDay(locale, day),
    short: formatDay(locale, day).replace(/ \d{4}$/, ""),
    values,
  }));
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={title} />
        <TimeChart
          title={title}
          when={when}
          summary={summaryOf({
            granted: totalOf("granted"),
            declined: totalOf("declined"),
            withdrawn: totalOf("withdrawn"),
          })}
          series={series}
          points={points}
        />
      </BlockStack>
    </Card>
  );
}
