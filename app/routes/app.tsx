// The frame of every page inside the store admin: proves who opened it, loads App Bridge and Polaris, shows the menu.
import type { HeadersFunction, LinksFunction, LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import { boundary } from "@shopify/shopify-app-remix/server";
import stylesheet from "@shopify/polaris/build/esm/styles.css?url";
import { AppFrame } from "../components/app-frame.tsx";
import { localeOf } from "../components/words.tsx";
import { designTranslations } from "../http/design-translations.ts";

export { ScreenError as ErrorBoundary } from "../components/screen-error.tsx";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: stylesheet }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { apiKey } = await context.shopify.authenticateAdmin(request);
  const locale = localeOf(request);
  return {
    apiKey,
    appBridgeUrl: context.shopify.appBridgeUrl,
    locale,
    design: await designTranslations(locale),
  };
}

/** The admin names its language in the first address alone: asked again, a page would fall back to the browser's. */
export const shouldRevalidate = () => false;

// App Bridge reads headers of refused answers, so they must survive Remix's merging.
export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function App() {
  const frame = useLoaderData<typeof loader>();
  return (
    <AppFrame {...frame}>
      <Outlet />
    </AppFrame>
  );
}
