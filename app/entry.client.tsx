import { RemixBrowser } from "@remix-run/react";
import { startTransition, StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";
import { I18nextProvider } from "react-i18next";
import { moveForeignNodes } from "./components/frame/app-bridge.tsx";
import { rememberLaunch } from "./components/frame/launch.ts";
import { openTranslations } from "./components/i18n/load-translations.ts";

rememberLaunch(location);
const i18n = await openTranslations();

startTransition(() => {
  moveForeignNodes(document);
  hydrateRoot(
    document,
    <I18nextProvider i18n={i18n}>
      <StrictMode>
        <RemixBrowser />
      </StrictMode>
    </I18nextProvider>,
  );
});
