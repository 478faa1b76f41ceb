// How the events of the store do: a card per destination, and what went through.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { InlineGrid } from "@shopify/polaris";
import { z } from "zod";
import { ChannelCard } from "../components/events/channel-card.tsx";
import { CmsSync } from "../components/events/cms-sync.tsx";
import { EventSections } from "../components/events/event-sections.tsx";
import { EVENT_WORDS } from "../components/events/event-words.ts";
import { ScreenPage } from "../components/screen-page.tsx";
import { ThroughputCard } from "../components/events/throughput-card.tsx";
import { useWords } from "../components/words.tsx";
import { countHours } from "../domain/bus/throughput.ts";
import { readChannelCards } from "../domain/channels/channel-cards.ts";
import { testChannel } from "../domain/channels/channel-test.ts";
import { readCmsSync, startCmsSync } from "../domain/channels/cms-sync-run.ts";
import { requireEvents, withEvents } from "../http/event-screen.ts";
import { deed, deeds, NOTHING_TO_SAY } from "../http/screen-deeds.ts";
import { visitScreen } from "../http/screen-visit.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { EventsProblem as ErrorBoundary } from "../components/events/event-sections.tsx";
export { screenHeaders as headers } from "../components/screen-headers.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await requireEvents(visitScreen(args));
  const [channels, hours, cmsSync] = await Promise.all([
    readChannelCards(ctx, tenant),
    countHours(ctx, tenant, 24),
    readCmsSync(ctx, tenant),
  ]);
  return { channels, hours, cmsSync };
}

export const action = deeds({
  test: deed(
    z.object({ channel: z.string().max(40) }),
    withEvents(({ ctx, tenant }, { channel }) => testChannel(ctx, tenant, channel)),
  ),
  sync_cms: deed(
    NOTHING_TO_SAY,
    withEvents(async ({ ctx, tenant }) => ({ isStarted: await startCmsSync(ctx, tenant) })),
  ),
});

export default function Events() {
  const { channels, hours, cmsSync } = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={useWords(EVENT_WORDS).title} nav={<EventSections />} isWide>
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
