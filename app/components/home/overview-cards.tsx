// The last day in numbers and the recent activity. They load after the page: the numbers' height is
// reserved and the recent activity is the last card, so that nothing shifts.
import { useTranslation } from "react-i18next";
import {
  BlockStack,
  Card,
  InlineGrid,
  InlineStack,
  Link,
  SkeletonBodyText,
  Text,
} from "@shopify/polaris";
import { labelOf } from "../i18n/label-of.ts";
import type {
  ActivityItem,
  DayNumbers,
  StoreOverview,
} from "../../domain/merchant/store-overview.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { formatCount } from "../i18n/format-number.ts";
import { DeferredCard } from "../frame/deferred-card.tsx";
import { DateTime } from "../ui/date-time.tsx";
import { useLocale } from "../i18n/locale.ts";

const NUMBERS = ["synced", "signUps", "granted", "withdrawn", "delivered", "failed"] as const;
type Props = { overview: Promise<StoreOverview> };

export function DayCard({ overview }: Props) {
  const { t } = useTranslation("home");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("day")} />
        <DeferredCard answer={overview} waiting={<Numbers day={null} />}>
          {(known) =>
            known.state === "known" ? (
              <Numbers day={known.day} />
            ) : (
              <Text as="p">{t("dayAway")}</Text>
            )
          }
        </DeferredCard>
      </BlockStack>
    </Card>
  );
}

export function RecentActivityCard({ overview }: Props) {
  const { t } = useTranslation("home");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("recentActivity")} />
        <DeferredCard answer={overview} waiting={<SkeletonBodyText lines={8} />}>
          {(known) =>
            known.state === "known" ? (
              <RecentActivity happenings={known.happenings} />
            ) : (
              <Text as="p">{t("dayAway")}</Text>
            )
          }
        </DeferredCard>
      </BlockStack>
    </Card>
  );
}

function Numbers({ day }: { day: DayNumbers | null }) {
  const { t } = useTranslation("home");
  const locale = useLocale();
  return (
    <InlineGrid columns={{ xs: 2, md: 3, lg: 6 }} gap="400">
      {NUMBERS.map((name) => (
        <BlockStack key={name} gap="100">
          <Text as="span" tone="subdued">
            {t(`numbers.${name}`)}
          </Text>
          <Text as="span" variant="headingLg" numeric>
            {day ? formatCount(locale, day[name]) : "–"}
          </Text>
        </BlockStack>
      ))}
    </InlineGrid>
  );
}

function RecentActivity({ happenings }: { happenings: ActivityItem[] }) {
  const { t } = useTranslation("home");
  if (happenings.length === 0)
    return (
      <Text as="p" tone="subdued">
        {t("nothing")}
      </Text>
    );
  return (
    <BlockStack gap="300">
      {happenings.map((one, place) => (
        <InlineStack key={`${one.at} ${place}`} align="space-between" gap="200">
          <Text as="span">
            <What happening={one} />
          </Text>
          <Text as="span" tone="subdued">
            <DateTime at={one.at} />
          </Text>
        </InlineStack>
      ))}
    </BlockStack>
  );
}

function What({ happening }: { happening: ActivityItem }) {
  const { t } = useTranslation(["home", "glossary"]);

  if (happening.kind === "privacy")
    return (
      <Link
        url="/app/privacy"
        monochrome
      >{`${labelOf(t("requests", { returnObjects: true }), happening.request)}: ${labelOf(t("requestStates", { returnObjects: true }), happening.state)}`}</Link>
    );
  const who =
    happening.userId === null ? (
      t("visitor")
    ) : (
      <Link url={`/app/customers/${happening.userId}`} monochrome>
        {happening.name ?? t("noName")}
      </Link>
    );
  if (happening.kind === "customer")
    return (
      <>
        {t("newCustomer")}: {who}
      </>
    );
  const consent = labelOf(t("glossary:consent", { returnObjects: true }), happening.type);
  return (
    <>
      {who}{" "}
      {happening.action === "granted"
        ? t("granted", { consent })
        : happening.action === "revoked"
          ? t("withdrawn", { consent })
          : t("other", { consent, action: happening.action })}
    </>
  );
}
