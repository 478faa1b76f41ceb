// The app's home: what needs a look, the way to a store in step, the last day, and the connection.
import { BlockStack, Page, Text } from "@shopify/polaris";
import { TitleBar } from "@shopify/app-bridge-react";
import type { ComponentProps } from "react";
import { useChannelName } from "../channel-names.ts";
import { ChannelsCard } from "./channels-card.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { Later } from "../later.tsx";
import { SetupGuideCard, type Guide } from "../setup-guide/setup-guide-card.tsx";
import { WebhooksCard, WebhooksSkeleton } from "./webhooks-card.tsx";
import { useWords } from "../words.tsx";
import { HealthBanners } from "./health-banners.tsx";
import { HOME_WORDS } from "./home-words.ts";
import { DayCard, LatelyCard, type Overview } from "./overview-cards.tsx";

type Props = {
  connection: ComponentProps<typeof ConnectionCard> & ComponentProps<typeof ChannelsCard>;
  guide: Guide;
  health: ComponentProps<typeof HealthBanners>["health"];
  webhooks: Promise<ComponentProps<typeof WebhooksCard>["webhooks"]>;
  overview: Promise<Overview>;
};

export function HomeScreen({ connection, guide, health, webhooks, overview }: Props) {
  const { title } = useWords(HOME_WORDS);
  const nameOf = useChannelName();
  const { channels } = connection;
  const paused =
    channels.state === "known"
      ? channels.list.filter(({ state }) => state === "paused").map(({ name }) => nameOf(name))
      : [];
  return (
    <>
      <TitleBar title={title} />
      <Page>
        <BlockStack gap="400">
          <Text as="h1" visuallyHidden>
            {title}
          </Text>
          <ConnectionBanner {...connection} />
          <HealthBanners health={health} paused={paused} />
          {!guide.isDone && (
            <SetupGuideCard
              guide={guide}
              action="/app/setup"
              settingsUrl="/app/settings"
              isEmbedded
            />
          )}
          <DayCard overview={overview} />
          <ConnectionCard {...connection} />
          <Later answer={webhooks} waiting={<WebhooksSkeleton />}>
            {(state) => (
              <WebhooksCard webhooks={state} isConnected={connection.token.state === "valid"} />
            )}
          </Later>
          <ChannelsCard channels={connection.channels} />
          <LatelyCard overview={overview} />
        </BlockStack>
      </Page>
    </>
  );
}
