// What an embedded page shows when it cannot be shown: in the admin's own look, with the way on.
import { isRouteErrorResponse, useRouteError } from "@remix-run/react";
import { AppProvider, Banner, Page } from "@shopify/polaris";
import translations from "@shopify/polaris/locales/en.json" with { type: "json" };
import { FRAME_WORDS } from "./frame-words.ts";
import { useWords } from "./words.tsx";

/** Inside the frame, menu and all: every screen exports it as its ErrorBoundary. */
export function ScreenProblem() {
  const error = useRouteError();
  const { problems, toHome } = useWords(FRAME_WORDS);
  const status = isRouteErrorResponse(error) ? error.status : 500;
  const { title, text } = problems[Object.hasOwn(problems, status) ? (status as 404) : "other"];
  return (
    <Page>
      <Banner
        tone={status === 404 || status === 409 ? "warning" : "critical"}
        title={title}
        {...(status === 409 && { action: { content: toHome, url: "/app" } })}
      >
        <p>{text}</p>
      </Banner>
    </Page>
  );
}

/** Of the frame itself: it has to bring the design system along. */
export function ScreenError() {
  return (
    <AppProvider i18n={translations}>
      <ScreenProblem />
    </AppProvider>
  );
}
