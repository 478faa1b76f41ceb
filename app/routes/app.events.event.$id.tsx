// One event: its envelope, where it went, and every try.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { EventCards } from "../components/events/event-cards.tsx";
import { EVENT_WORDS } from "../components/events/event-words.ts";
import { ScreenPage } from "../components/screen-page.tsx";
import { useWords } from "../components/words.tsx";
import { getEvent } from "../domain/bus/event-view.ts";
import { requireEvents } from "../http/event-screen.ts";
import { orAnswer } from "../http/screen-deeds.ts";
import { visitScreen } from "../http/screen-visit.ts";

export { EventsProblem as ErrorBoundary } from "../components/events/event-sections.tsx";
export { screenHeaders as headers } from "../components/screen-headers.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant } = await requireEvents(visitScreen(args));
  return { event: await orAnswer(() => getEvent(ctx, tenant, args.params.id ?? "")) };
}

export default function OneEvent() {
  const { event } = useLoaderData<typeof loader>();
  const words = useWords(EVENT_WORDS);
  return (
    <ScreenPage
      title={event.event_type}
      back={{ content: words.view.back, url: "/app/events/log" }}
    >
      <EventCards event={event} />
    </ScreenPage>
  );
}
