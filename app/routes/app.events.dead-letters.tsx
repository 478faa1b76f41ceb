// Failed deliveries, and their replay.
import { useTranslation } from "react-i18next";
import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { DeadLettersCard } from "../components/events/dead-letters-card.tsx";
import { EventSections } from "../components/events/event-sections.tsx";
import { ScreenPage } from "../components/frame/screen-page.tsx";
import {
  countDeadLetters,
  DeadLetterFilters,
  listDeadLetters,
} from "../domain/bus/log/dead-letter-list.ts";
import {
  readReplay,
  ReplayChosen,
  ReplayEverything,
  startReplay,
} from "../domain/bus/dead-letters/replay-run.ts";
import { forReading } from "../domain/tenants/reading.ts";
import { requireEvents, withEvents } from "../http/screens/require-events.ts";
import { defineActions } from "../http/screens/screen-actions.ts";
import { readKeyedScreenPage } from "../http/screens/screen-page.ts";
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
  const { ctx, tenant, filters, limit, position, toNext } = await requireEvents(
    readKeyedScreenPage(args, "dead-letters", DeadLetterFilters),
  );
  const reader = await forReading(ctx, tenant);
  const [{ letters, next }, counts, replay] = await Promise.all([
    listDeadLetters(reader, tenant, { ...filters, limit, after: position }),
    countDeadLetters(reader, tenant),
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

export const action = defineActions({
  replay: {
    input: ReplayChosen,
    run: withEvents(async ({ ctx, tenant }, { ids }) => ({
      start: await startReplay(ctx, tenant, { queueIds: ids }),
    })),
  },
  replay_all: {
    input: ReplayEverything,
    run: withEvents(async ({ ctx, tenant }, { channel }) => ({
      start: await startReplay(ctx, tenant, { channel }),
    })),
  },
});

export default function DeadLetters() {
  const { t } = useTranslation("events");
  const list = useLoaderData<typeof loader>();
  return (
    <ScreenPage title={t("dead")} nav={<EventSections />}>
      <DeadLettersCard {...list} />
    </ScreenPage>
  );
}
