// The frame of every page inside the store admin: proves who opened it, loads App Bridge and Polaris, shows the menu.
import type { HeadersFunction, LinksFunction, LoaderFunctionArgs } from "@remix-run/node";
import { Link, Outlet, useLoaderData, useRouteError } from "@remix-run/react";
import { NavMenu } from "@shopify/app-bridge-react";
import { AppProvider } from "@shopify/shopify-app-remix/react";
import { boundary } from "@shopify/shopify-app-remix/server";
import stylesheet from "@shopify/polaris/build/esm/styles.css?url";
import { ScreenError } from "../components/screen-error.tsx";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: stylesheet }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { apiKey } = await context.shopify.authenticateAdmin(request);
  return { apiKey, appBridgeUrl: context.shopify.appBridgeUrl };
}

// App Bridge reads headers of refused answers, so they must survive Remix's merging.
export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function App() {
  const { apiKey, appBridgeUrl } = useLoaderData<typeof loader>();
  return (
    <AppProvider isEmbeddedApp apiKey={apiKey} {...(appBridgeUrl && { __APP_BRIDGE_URL: appBridgeUrl })}>
      <NavMenu>
        <Link to="/app" rel="home">
          Home
        </Link>
      </NavMenu>
      <Outlet />
    </AppProvider>
  );
}

export function ErrorBoundary() {
  return <ScreenError error={useRouteError()} />;
}
