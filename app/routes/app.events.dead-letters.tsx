// What could not be delivered, and putting it back into the queue.
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { DeadLettersCard } from "../components/events/dead-letters-card.tsx";
import { EventSections } from "../components/events/event-sections.tsx";
import { EVENT_WORDS } from "../components/events/event-words.ts";
import { ScreenPage } from "../components/screen-page.tsx";
import { useWords } from "../components/words.tsx";
import {
  countDeadLetters,
  DeadLetterFilters,
  listDeadLetters,
} from "../domain/bus/dead-letter-list.ts";
import {
  readReplay,
  ReplayChosen,
  ReplayEverything,
  startReplay,
} from "../domain/bus/replay-run.ts";
import { requireEvents, withEvents } from "../http/event-screen.ts";
import { deed, deeds } from "../http/screen-deeds.ts";
import { readKeyedScreenPage } from "../http/screen-page.ts";

export {
  keepWhenLocked as shouldRevalidate,
  keepWhenUnreachable as clientAction,
} from "../components/keep-form.ts";
export { EventsProblem as ErrorBoundary } from "../components/events/event-sections.tsx";
export { screenHeaders as headers } from "../components/screen-headers.ts";

export async function loader(args: LoaderFunctionArgs) {
  const { ctx, tenant, filters, limit, position, toNext } = await requireEvents(
    readKeyedScreenPage(args, "dead-letters", DeadLetterFilters),
  );
  const [{ letters, next }, counts, replay] = await Promise.all([
    listDeadLetters(ctx, tenant, { ...filters, limit, after: position }),
    countDeadLetters(ctx, tenant),
    readReplay(ctx, tenant),
  ]);
  return {
    letters,
    next: toNext(next),
    channel: filters.channel ?? null,
    counts: [...counts].map(([channel, count]) => ({ channel, count })),
    replay,
  };
}

export const action = deeds({
  replay: deed(
    ReplayChosen,
    withEvents(async ({ ctx, tenant }, { ids }) => ({
      isStarted: await startReplay(ctx, tenant, { queueIds: ids }),
    })),
  ),
  replay_all: deed(
    ReplayEverything,
    withEvents(async ({ ctx, tenant }, { channel }) => ({
      isStarted: await startReplay(ctx, tenant, { channel }),
    })),
  ),
});

export default function DeadLetters() {
  const list = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={useWords(EVENT_WORDS).dead} nav={<EventSections />} isWide>
      <DeadLettersCard {...list} />
    </ScreenPage>
  );
}
