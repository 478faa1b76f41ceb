// The state of the store's events: a card per destination, and the throughput.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { InlineGrid } from "@shopify/polaris";
import { z } from "zod";
import { ChannelCard } from "../components/events/channel-card.tsx";
import { CmsSync } from "../components/events/cms-sync.tsx";
import { EventSections } from "../components/events/event-sections.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { ThroughputCard } from "../components/events/throughput-card.tsx";
import { countHours } from "../domain/bus/log/throughput.ts";
import { readChannelCards } from "../domain/channels/channel-cards.ts";
import { testChannel } from "../domain/channels/channel-test.ts";
import { readCmsSync, startCmsSync } from "../domain/channels/cms/sync-run.ts";
import { requireEvents, withEvents } from "../http/screens/event-screen.ts";
import { defineActions, NoInput } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { EventsProblem as ErrorBoundary } from "../components/events/event-sections.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["events"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await requireEvents(authenticate.admin(args));
  const [channels, hours, cmsSync] = await Promise.all([
    readChannelCards(ctx, tenant),
    countHours(ctx, tenant, 24),
    readCmsSync(ctx, tenant),
  ]);
  return { channels, hours, cmsSync };
}

export const action = defineActions({
  test: {
    input: z.object({ channel: z.string().max(40) }),
    run: withEvents(({ ctx, tenant }, { channel }) => testChannel(ctx, tenant, channel)),
  },
  sync_cms: {
    input: NoInput,
    run: withEvents(async ({ ctx, tenant }) => ({ isStarted: await startCmsSync(ctx, tenant) })),
  },
});

export default function Events() {
  const { t } = useTranslation("events");
  const { channels, hours, cmsSync } = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={t("title")} nav={<EventSections />} isWide>
      <ThroughputCard hours={hours} />
      <InlineGrid columns={{ xs: 1, sm: 2, lg: 3 }} gap="400">
        {channels.map((channel) => (
          <ChannelCard key={channel.name} channel={channel}>
            {channel.name === "cms" && channel.state !== "off" && <CmsSync known={cmsSync} />}
          </ChannelCard>
        ))}
      </InlineGrid>
    </ScreenPage>
  );
}
