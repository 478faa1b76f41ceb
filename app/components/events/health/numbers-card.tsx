// All systems together: how much arrives, how fast, and what is left.
import { useTranslation } from "react-i18next";
import { Card, InlineGrid, Link } from "@shopify/polaris";
import type { ReactNode } from "react";
import type { DeliveryNumbers } from "../../../domain/channels/delivery-health.ts";
import { formatMs, formatSeconds } from "../../i18n/format-duration.ts";
import { formatRate } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { Metric } from "../../ui/metric.tsx";
import { useCapped } from "./use-capped.ts";

const NONE = "–";

export function NumbersCard({ totals }: { totals: DeliveryNumbers }) {
  const { t } = useTranslation("events");
  const locale = useLocale();
  const capped = useCapped();
  const labelled = useLabelled();
  const ms = (value: number | null) => (value === null ? NONE : formatMs(locale, value));
  const dead =
    totals.dead === 0 ? (
      capped(0)
    ) : (
      <Link
        url="/app/events/dead-letters"
        monochrome
        accessibilityLabel={labelled(t("numbers.dead"), capped(totals.dead))}
      >
        {capped(totals.dead)}
      </Link>
    );
  const numbers: [name: string, value: ReactNode][] = [
    [t("numbers.success"), totals.success === null ? NONE : formatRate(locale, totals.success)],
    [t("numbers.p50"), ms(totals.p50)],
    [t("numbers.p95"), ms(totals.p95)],
    [t("numbers.p99"), ms(totals.p99)],
    [
      t("numbers.oldest"),
      totals.oldest_waiting_seconds === null
        ? NONE
        : formatSeconds(locale, totals.oldest_waiting_seconds),
    ],
    [t("numbers.dead"), dead],
  ];
  return (
    <Card>
      <InlineGrid columns={{ xs: 2, md: 3, lg: 6 }} gap="400">
        {numbers.map(([name, value]) => (
          <Metric key={name} name={name} value={value} />
        ))}
      </InlineGrid>
    </Card>
  );
}
