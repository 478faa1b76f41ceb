// Where the events of the store go.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { DestinationsForm } from "../components/events/destinations-form.tsx";
import { EventSections } from "../components/events/event-sections.tsx";
import { EVENT_WORDS } from "../components/events/event-words.ts";
import { ScreenPage } from "../components/screen-page.tsx";
import { useWords } from "../components/words.tsx";
import { z } from "zod";
import { showDestinations } from "../domain/bus/destinations.ts";
import { saveTenantConfig } from "../domain/tenants/configuration.ts";
import { requireEvents, withEvents } from "../http/event-screen.ts";
import { deed, deeds } from "../http/screen-deeds.ts";
import { visitScreen } from "../http/screen-visit.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { EventsProblem as ErrorBoundary } from "../components/events/event-sections.tsx";
export { screenHeaders as headers } from "../components/screen-headers.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await requireEvents(visitScreen(args));
  return { saved: showDestinations(ctx, tenant) };
}

// Validated where PUT /admin/destinations is: in the tenant's own table of fields.
const Input = z.object({
  event_routes: z.array(z.unknown()),
  enabled_channels: z.array(z.unknown()).nullable(),
});
export const action = deeds({
  save: deed(
    Input,
    withEvents(
      async ({ ctx, tenant }, fields) =>
        void (await saveTenantConfig(ctx, tenant.shop, fields, false)),
    ),
  ),
});

export default function Destinations() {
  const { saved } = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={useWords(EVENT_WORDS).destinations} nav={<EventSections />}>
      <DestinationsForm saved={saved} />
    </ScreenPage>
  );
}
