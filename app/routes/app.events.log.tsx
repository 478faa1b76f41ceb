// Every delivery attempt, newest first.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { DeliveryLogCard } from "../components/events/delivery-log-card.tsx";
import { EventSections } from "../components/events/event-sections.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { AttemptFilters } from "../domain/bus/log/attempt-filters.ts";
import { readDeliveryLog } from "../domain/merchant/delivery-log.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { requireEvents } from "../http/screens/require-events.ts";
import { readScreenPage } from "../http/screens/screen-page.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export { EventsProblem as ErrorBoundary } from "../components/events/event-sections.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["events", "failures", "deliveries"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, filters, limit, position, toNext } = await requireEvents(
    readScreenPage(args, "deliveries", AttemptFilters),
  );
  const reader = await forReading(ctx, tenant);
  const page = await readDeliveryLog(reader, tenant, filters, { limit, before: position });
  return {
    ...page,
    next: toNext(page.next),
    filters,
    channels: ctx.channels.map(({ name }) => name),
  };
}

export default function DeliveryLog() {
  const { t } = useTranslation("events");
  const list = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={t("log")} nav={<EventSections />}>
      <DeliveryLogCard {...list} />
    </ScreenPage>
  );
}
