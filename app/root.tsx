import type { MetaFunction } from "@remix-run/node";
import {
  isRouteErrorResponse,
  Links,
  Meta,
  Outlet,
  Scripts,
  ScrollRestoration,
  useRouteError,
  useRouteLoaderData,
} from "@remix-run/react";
import { useContext, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { AppBridge } from "./components/frame/app-bridge.tsx";
import { FailedPage, NotFoundPage } from "./components/frame/plain-page.tsx";
import { NonceContext } from "./components/frame/nonce.ts";
import type { loader as appLoader } from "./routes/app.tsx";

export const meta: MetaFunction = ({ error }) => [
  { title: error ? "Not available" : "Customer identity" },
];

export function Layout({ children }: { children: ReactNode }) {
  const nonce = useContext(NonceContext);
  const embedded = useRouteLoaderData<typeof appLoader>("routes/app");
  const { i18n } = useTranslation();
  return (
    <html lang={i18n.language}>
      <head>
        <meta charSet="utf-8" />
        {embedded && <AppBridge apiKey={embedded.apiKey} url={embedded.appBridgeUrl} />}
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="/favicon.ico" sizes="32x32" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <Meta />
        <Links />
      </head>
      <body>
        {children}
        <ScrollRestoration nonce={nonce} />
        <Scripts nonce={nonce} />
      </body>
    </html>
  );
}

export default function App() {
  return <Outlet />;
}

export function ErrorBoundary() {
  const error = useRouteError();
  return isRouteErrorResponse(error) && error.status === 404 ? <NotFoundPage /> : <FailedPage />;
}
