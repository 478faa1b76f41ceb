import { isRouteErrorResponse, useRouteError } from "@remix-run/react";
import { Banner, Page } from "@shopify/polaris";
import { EVENT_WORDS } from "./event-words.ts";
import { ScreenProblem } from "../screen-error.tsx";
import { SectionNav } from "../section-nav.tsx";
import { useWords } from "../words.tsx";

export function EventSections() {
  const words = useWords(EVENT_WORDS);
  const pages = [
    { path: "/app/events", text: words.overview },
    { path: "/app/events/dead-letters", text: words.dead },
    { path: "/app/events/log", text: words.log },
    { path: "/app/events/destinations", text: words.destinations },
  ];
  return <SectionNav label={words.sections} pages={pages} />;
}

/** A store of the role `shared` is told why there is nothing to see. */
export function EventsProblem() {
  const error = useRouteError();
  const { title, forbidden } = useWords(EVENT_WORDS);
  if (!isRouteErrorResponse(error) || error.status !== 403) return <ScreenProblem />;
  return (
    <Page title={title}>
      <Banner tone="info" title={forbidden.title}>
        <p>{forbidden.text}</p>
      </Banner>
    </Page>
  );
}
