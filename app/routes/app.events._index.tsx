// How the store's events are delivered: numbers of a period, and the state of each system.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { EventSections } from "../components/events/event-sections.tsx";
import { DeliveryOverview } from "../components/events/health/delivery-overview.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { periodNames } from "../domain/bus/log/throughput.ts";
import { testChannel } from "../domain/channels/channel-test.ts";
import { readCmsSync, startCmsSync } from "../domain/channels/cms/sync-run.ts";
import { readDeliveryHealth } from "../domain/channels/delivery-health.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { requireEvents, withEvents } from "../http/screens/require-events.ts";
import { defineActions, NoInput } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { EventsProblem as ErrorBoundary } from "../components/events/event-sections.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["events", "failures"] };
export const clientLoader = withTranslations(handle);

const PeriodChoice = z.enum(periodNames).catch("24h");

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await requireEvents(authenticate.admin(args));
  const period = PeriodChoice.parse(new URL(args.request.url).searchParams.get("period"));
  const [health, cmsSync] = await Promise.all([
    readDeliveryHealth(await forReading(ctx, tenant), tenant, period),
    readCmsSync(ctx, tenant),
  ]);
  return { health, cmsSync };
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
  return (
    <ScreenPage title={t("title")} nav={<EventSections />}>
      <DeliveryOverview {...useLoaderData<typeof loader>()} />
    </ScreenPage>
  );
}
