// One event: what happened at each destination, what was sent and answered, and its replay.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { EventCards } from "../components/events/event-cards.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import {
  readEventScreen,
  ReplayEvent,
  replayEvent,
  ShowExchange,
  showExchange,
} from "../domain/merchant/event-screen.ts";
import { requireEvents, withEvents } from "../http/screens/require-events.ts";
import { defineActions, toErrorResponse } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { useEventName } from "../components/i18n/event-names.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { EventsProblem as ErrorBoundary } from "../components/events/event-sections.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["events", "failures", "deliveries"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await requireEvents(authenticate.admin(args));
  const chosen = new URL(args.request.url).searchParams.get("attempt");
  return toErrorResponse(() => readEventScreen(ctx, tenant, args.params.id ?? "", chosen));
}

export const action = defineActions({
  show: {
    input: ShowExchange,
    run: withEvents(async ({ ctx, tenant, params, recordAccess }, input) => {
      const { exchange, userIds } = await showExchange(ctx, tenant, params.id ?? "", input);
      await recordAccess({ action: "viewed", userIds, isEveryTime: true });
      return exchange;
    }),
  },
  replay: {
    input: ReplayEvent,
    run: withEvents(({ ctx, tenant, params }, input) =>
      replayEvent(ctx, tenant, params.id ?? "", input),
    ),
  },
});

export default function OneEvent() {
  const screen = useLoaderData<typeof loader>();
  const { t } = useTranslation("events");
  const eventName = useEventName();
  return (
    <ScreenPage
      title={eventName(screen.event.event_type)}
      back={{ content: t("view.back"), to: "/app/events/log" }}
    >
      <EventCards key={screen.event.event_id} screen={screen} />
    </ScreenPage>
  );
}
