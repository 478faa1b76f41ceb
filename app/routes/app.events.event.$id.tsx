// One event: its envelope, its deliveries, and every attempt.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { EventCards } from "../components/events/event-cards.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import { getEvent } from "../domain/bus/log/event-view.ts";
import { requireEvents } from "../http/screens/event-screen.ts";
import { toErrorResponse } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export { EventsProblem as ErrorBoundary } from "../components/events/event-sections.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["events"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await requireEvents(authenticate.admin(args));
  return { event: await toErrorResponse(() => getEvent(ctx, tenant, args.params.id ?? "")) };
}

export default function OneEvent() {
  const { event } = useLoaderData<typeof loader>();
  const { t } = useTranslation("events");
  return (
    <ScreenPage title={event.event_type} back={{ content: t("view.back"), to: "/app/events/log" }}>
      <EventCards event={event} />
    </ScreenPage>
  );
}
