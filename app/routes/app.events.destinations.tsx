// The destinations of the store's events.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { DestinationsForm } from "../components/events/destinations-form.tsx";
import { EventSections } from "../components/events/event-sections.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import {
  readDestinations,
  saveDestinations,
  SavedDestinations,
} from "../domain/bus/log/destinations.ts";
import { requireEvents, withEvents } from "../http/screens/require-events.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { authenticate } from "../shopify.server.ts";
import { withTranslations } from "../components/i18n/load-translations.ts";

export {
  skipRevalidationOnFailure as shouldRevalidate,
  actionWithOfflineResult as clientAction,
} from "../components/frame/keep-form.ts";
export { EventsProblem as ErrorBoundary } from "../components/events/event-sections.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const handle = { i18n: ["events", "failures", "conflict"] };
export const clientLoader = withTranslations(handle);

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await requireEvents(authenticate.admin(args));
  return { saved: readDestinations(ctx, tenant) };
}

export const action = defineActions({
  save: {
    input: SavedDestinations,
    run: withEvents(({ ctx, tenant }, input) => saveDestinations(ctx, tenant, input)),
  },
});

export default function Destinations() {
  const { t } = useTranslation("events");
  const { saved } = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={t("destinations")} nav={<EventSections />}>
      <DestinationsForm saved={saved} />
    </ScreenPage>
  );
}
