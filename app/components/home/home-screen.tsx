// The app's home: problems, the setup guide, the last day, and the connection.
import { useTranslation } from "react-i18next";
import type { ComponentProps } from "react";
import { useChannelName } from "../i18n/channel-names.ts";
import { ChannelsCard } from "./channels-card.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { DeferredCard } from "../frame/deferred-card.tsx";
import { ScreenPage } from "../frame/screen-page.tsx";
import type { SetupGuide } from "../../domain/merchant/setup-guide.ts";
import { SetupGuideCard } from "../setup-guide/setup-guide-card.tsx";
import { WebhooksCard, WebhooksSkeleton } from "./webhooks-card.tsx";
import { HealthBanners } from "./health-banners.tsx";
import type { StoreOverview } from "../../domain/merchant/store-overview.ts";
import { WithheldBanner } from "./withheld-banner.tsx";
import { DayCard, RecentActivityCard } from "./overview-cards.tsx";

type Props = {
  connection: ComponentProps<typeof ConnectionCard> &
    ComponentProps<typeof ChannelsCard> & { withheld?: ComponentProps<typeof WithheldBanner> };
  guide: SetupGuide;
  health: ComponentProps<typeof HealthBanners>["health"];
  webhooks: Promise<ComponentProps<typeof WebhooksCard>["webhooks"]>;
  overview: Promise<StoreOverview>;
};

export function HomeScreen({ connection, guide, health, webhooks, overview }: Props) {
  const { t } = useTranslation("home");
  const nameOf = useChannelName();
  const { channels } = connection;
  const paused =
    channels.state === "known"
      ? channels.list.filter(({ state }) => state === "paused").map(({ name }) => nameOf(name))
      : [];
  return (
    <ScreenPage title={t("title")}>
      <ConnectionBanner {...connection} />
      {connection.withheld && <WithheldBanner {...connection.withheld} />}
      <HealthBanners health={health} paused={paused} />
      {!guide.isDone && (
        <SetupGuideCard guide={guide} action="/app/setup" settingsUrl="/app/settings" isEmbedded />
      )}
      <DayCard overview={overview} />
      <ConnectionCard {...connection} />
      <DeferredCard answer={webhooks} waiting={<WebhooksSkeleton />}>
        {(state) => (
          <WebhooksCard webhooks={state} isConnected={connection.token.state === "valid"} />
        )}
      </DeferredCard>
      <ChannelsCard channels={connection.channels} />
      <RecentActivityCard overview={overview} />
    </ScreenPage>
  );
}
