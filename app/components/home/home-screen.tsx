// The app's home: what needs the merchant, the setup guide, and the store's metrics.
import { useTranslation } from "react-i18next";
import { Banner } from "@shopify/polaris";
import type { ConnectionState } from "../../domain/tenants/connection-state.ts";
import type { SetupGuide } from "../../domain/merchant/setup-guide/read-guide.ts";
import type { StoreHealth, StoreOverview } from "../../domain/merchant/home/store-overview.ts";
import { ScreenPage } from "../frame/screen-page.tsx";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useChannelName } from "../i18n/channel-names.ts";
import { SetupGuideCard } from "../setup-guide/setup-guide-card.tsx";
import { showToast } from "../ui/toast.ts";
import { ConnectionBanner } from "./connection-banner.tsx";
import { NeedsCard } from "./needs-card.tsx";
import { Overview } from "./overview.tsx";
import { WithheldBanner } from "./withheld-banner.tsx";

type Props = {
  connection: ConnectionState;
  guide: SetupGuide;
  health: StoreHealth;
  overview: Promise<StoreOverview>;
};

export function HomeScreen({ connection, guide, health, overview }: Props) {
  const { t } = useTranslation("home");
  const nameOf = useChannelName();
  const { channels } = connection;
  const dismiss = useScreenAction("dismiss_guide", {
    action: "/app?index",
    onSuccess: () => showToast(t("guideDismissed")),
  });
  const paused =
    channels.state === "known"
      ? channels.list.filter(({ state }) => state === "paused").map(({ name }) => nameOf(name))
      : [];
  const isGuided = !guide.isDone && !health.isGuideDismissed;
  return (
    <ScreenPage title={t("title")}>
      <ConnectionBanner {...connection} />
      {connection.withheld && <WithheldBanner {...connection.withheld} />}
      <NeedsCard health={health} paused={paused} isHiddenWhenEmpty={isGuided} />
      {isGuided && dismiss.error && (
        <Banner tone="critical">
          <p>{dismiss.error.message}</p>
        </Banner>
      )}
      {isGuided && (
        <SetupGuideCard
          guide={guide}
          action="/app/setup"
          settingsUrl="/app/settings/integrations"
          isEmbedded
          onDismiss={() => dismiss.submit()}
        />
      )}
      <Overview overview={overview} />
    </ScreenPage>
  );
}
