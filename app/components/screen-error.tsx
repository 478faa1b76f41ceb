// What an embedded page shows when it cannot be shown: in the admin's own look, with the way on.
import { isRouteErrorResponse } from "@remix-run/react";
import { AppProvider, Banner, Page } from "@shopify/polaris";
import translations from "@shopify/polaris/locales/en.json" with { type: "json" };

const TEXTS: Record<number, { title: string; text: string }> = {
  401: { title: "Your session has ended", text: "Reload the page to go on." },
  404: { title: "This page does not exist", text: "Choose another page from the app's menu." },
  410: { title: "This page is for people", text: "Automated visitors are not signed in." },
};
const OTHER = { title: "Something went wrong on our side", text: "It has been logged. Reload the page in a moment." };

export function ScreenError({ error }: { error: unknown }) {
  const { title, text } = (isRouteErrorResponse(error) && TEXTS[error.status]) || OTHER;
  return (
    <AppProvider i18n={translations}>
      <Page>
        <Banner tone="critical" title={title}>
          <p>{text}</p>
        </Banner>
      </Page>
    </AppProvider>
  );
}
