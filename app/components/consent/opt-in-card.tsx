// How many of those who were asked have granted, compared with the period before.
import { useTranslation } from "react-i18next";
import { BlockStack, Card, InlineGrid, Text } from "@shopify/polaris";
import type { OptInRate } from "../../domain/consent/consent-counts.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { formatCount, formatDecimal, formatRate, pointsBetween } from "../i18n/format-number.ts";
import { labelOf } from "../i18n/label-of.ts";
import { useLocale } from "../i18n/locale.ts";

export function OptInCard({ rates, days }: { rates: readonly OptInRate[]; days: number }) {
  const { t } = useTranslation("consent");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("optIn.title", { days })} />
        <Text as="p" tone="subdued">
          {t("optIn.text")}
        </Text>
        <InlineGrid columns={{ xs: 1, sm: 2 }} gap="400">
          {rates.map((rate) => (
            <Rate key={rate.type} rate={rate} days={days} />
          ))}
        </InlineGrid>
      </BlockStack>
    </Card>
  );
}

function Rate({ rate, days }: { rate: OptInRate; days: number }) {
  const { t } = useTranslation(["consent", "glossary"]);
  const locale = useLocale();
  const { granted, declined, withdrawn } = rate;
  return (
    <BlockStack gap="100">
      <Text as="h3" variant="headingSm">
        {labelOf(t("glossary:consent", { returnObjects: true }), rate.type)}
      </Text>
      <Text as="p" variant="headingLg" numeric>
        {rate.rate === null ? t("optIn.none") : formatRate(locale, rate.rate)}
      </Text>
      {rate.rate !== null && (
        <Text as="p">
          <Trend now={rate.rate} before={rate.rateBefore} days={days} />
        </Text>
      )}
      <Text as="p" tone="subdued">
        {t("optIn.counts", {
          granted: formatCount(locale, granted),
          declined: formatCount(locale, declined),
          withdrawn: formatCount(locale, withdrawn),
        })}
      </Text>
    </BlockStack>
  );
}

function Trend({ now, before, days }: { now: number; before: number | null; days: number }) {
  const { t } = useTranslation("consent");
  const locale = useLocale();
  if (before === null) return t("optIn.noBefore", { days });
  const count = pointsBetween(now, before);
  if (count === 0) return t("optIn.same", { days });
  const points = formatDecimal(locale, count);
  return t(now > before ? "optIn.up" : "optIn.down", { count, points, days });
}
