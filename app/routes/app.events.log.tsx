// Every try to deliver something, newest first.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { DeliveryLogCard } from "../components/events/delivery-log-card.tsx";
import { EventSections } from "../components/events/event-sections.tsx";
import { EVENT_WORDS } from "../components/events/event-words.ts";
import { ScreenPage } from "../components/screen-page.tsx";
import { useWords } from "../components/words.tsx";
import { AttemptFilters, listAttempts } from "../domain/bus/attempt-list.ts";
import { requireEvents } from "../http/event-screen.ts";
import { readScreenPage } from "../http/screen-page.ts";

export { EventsProblem as ErrorBoundary } from "../components/events/event-sections.tsx";
export { screenHeaders as headers } from "../components/screen-headers.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, filters, limit, position, toNext } = await requireEvents(
    readScreenPage(args, "deliveries", AttemptFilters),
  );
  const { attempts, next } = await listAttempts(ctx, tenant, filters, { limit, before: position });
  return { attempts, next: toNext(next), filters, channels: ctx.channels.map(({ name }) => name) };
}

export default function DeliveryLog() {
  const list = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={useWords(EVENT_WORDS).log} nav={<EventSections />} isWide>
      <DeliveryLogCard {...list} />
    </ScreenPage>
  );
}
