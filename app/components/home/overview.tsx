// The numbers and the recent activity. They load after the page: their height is reserved and the
// recent activity is the last card, so that nothing shifts.
import { useTranslation } from "react-i18next";
import { BlockStack, Card, SkeletonBodyText, Text } from "@shopify/polaris";
import type { StoreOverview } from "../../domain/merchant/home/store-overview.ts";
import type { CountedDay } from "../../domain/consent/consent-counts.ts";
import { DecisionsCard } from "../charts/decisions-card.tsx";
import { DeferredCard } from "../frame/deferred-card.tsx";
import { CardHeading } from "../ui/card-heading.tsx";
import { MetricCards } from "./metric-cards.tsx";
import { RecentActivity } from "./recent-activity.tsx";
import { SystemsLine } from "./systems-line.tsx";

type Props = { overview: Promise<StoreOverview> };

export function Overview({ overview }: Props) {
  return (
    <>
      <Card>
        <DeferredCard answer={overview} waiting={<SystemsLine systems={null} />}>
          {(known) =>
            known.state === "known" ? (
              <SystemsLine systems={known.systems} />
            ) : (
              <Away known={known} />
            )
          }
        </DeferredCard>
      </Card>
      <DeferredCard answer={overview} waiting={<MetricCards metrics={null} />}>
        {(known) => <MetricCards metrics={known.state === "known" ? known.metrics : null} />}
      </DeferredCard>
      <DeferredCard answer={overview} waiting={<MarketingCard days={[]} />}>
        {(known) => <MarketingCard days={known.state === "known" ? known.metrics.decisions : []} />}
      </DeferredCard>
      <ActivityCard overview={overview} />
    </>
  );
}

/** What shoppers answered when they were asked for marketing. */
function MarketingCard({ days }: { days: readonly CountedDay[] }) {
  const { t } = useTranslation("home");
  return (
    <DecisionsCard
      title={t("decisions.title")}
      when={t("decisions.day")}
      days={days}
      summaryOf={(totals) => t("decisions.summary", totals)}
    />
  );
}

function ActivityCard({ overview }: Props) {
  const { t } = useTranslation("home");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("recentActivity")} />
        <DeferredCard answer={overview} waiting={<SkeletonBodyText lines={8} />}>
          {(known) =>
            known.state === "known" ? (
              <RecentActivity activity={known.activity} />
            ) : (
              <Away known={known} />
            )
          }
        </DeferredCard>
      </BlockStack>
    </Card>
  );
}

function Away({ known }: { known: StoreOverview }) {
  const { t } = useTranslation("home");
  return (
    <Text as="p" tone="subdued">
      {known.state === "not_connected" ? t("nothing") : t("dayAway")}
    </Text>
  );
}
