// The frame of every page inside the store admin: authenticates the merchant, loads Polaris, shows
// the menu. App Bridge is in the head of the document (`root.tsx`).
import type { LinksFunction, LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import stylesheet from "@shopify/polaris/build/esm/styles.css?url";
import forcedColors from "../components/frame/forced-colors.css?url";
import screen from "../components/frame/screen.css?url";
import { AppFrame } from "../components/frame/app-frame.tsx";
import { usePreloadedScreens } from "../components/frame/preload-screens.ts";
import { useProgress } from "../components/frame/use-progress.ts";
import { localeOf } from "../components/i18n/locale.ts";
import { authenticate } from "../shopify.server.ts";
import { designTranslations } from "../http/screens/design-translations.ts";

export { ScreenError as ErrorBoundary } from "../components/frame/screen-error.tsx";
export { screenHeaders as headers } from "../components/frame/screen-headers.ts";

export const links: LinksFunction = () => [
  { rel: "stylesheet", href: stylesheet },
  { rel: "stylesheet", href: screen },
  { rel: "stylesheet", href: forcedColors, media: "(forced-colors: active)" },
];

export async function loader(args: LoaderFunctionArgs) {
  const { tenant, apiKey } = await authenticate.shop(args);
  const locale = localeOf(args.request);
  return {
    apiKey,
    appBridgeUrl: args.context.shopify.appBridgeUrl,
    timeZone: tenant?.connection.time_zone ?? null,
    design: await designTranslations(locale),
  };
}

/**
 * The admin sends the language in the first URL only: on a later request the page would fall back
 * to the browser's.
 */
export const shouldRevalidate = () => false;

export default function App() {
  const { apiKey, design, timeZone } = useLoaderData<typeof loader>();
  useProgress();
  usePreloadedScreens();
  return (
    <AppFrame apiKey={apiKey} design={design} timeZone={timeZone}>
      <Outlet />
    </AppFrame>
  );
}
