// What people decided about consents, day by day.
import { useTranslation } from "react-i18next";
import type { CountedDay } from "../../domain/consent/consent-counts.ts";
import { formatDay } from "../ui/date-time.tsx";
import { useLocale } from "../i18n/locale.ts";
import type { Series } from "./series.ts";
import { TimeChart } from "./time-chart.tsx";

const COLORS = { granted: "success", declined: "subdued", withdrawn: "caution" } as const;
const NAMES = Object.keys(COLORS) as (keyof typeof COLORS)[];

type Props = { title: string; summary: string; when: string; days: readonly CountedDay[] };

export function DecisionChart({ days, ...texts }: Props) {
  const { t } = useTranslation("glossary");
  const locale = useLocale();
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
  return <TimeChart {...texts} series={series} points={points} />;
}
