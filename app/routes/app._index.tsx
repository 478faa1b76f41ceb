import type { ActionFunctionArgs, HeadersFunction, LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { boundary } from "@shopify/shopify-app-remix/server";
import { HomeScreen } from "../components/home/home-screen.tsx";
import { readSetupGuide } from "../domain/setup-guide.ts";
import { readStoreHealth, readStoreOverview } from "../domain/store-overview.ts";
import {
  readConnectionState,
  readWebhooksState,
  repairWebhooks,
} from "../domain/tenants/connection-state.ts";

export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";

export async function loader({ request, context: { ctx, shopify } }: LoaderFunctionArgs) {
  const { shop } = await shopify.authenticateAdmin(request);
  const later = { webhooks: readWebhooksState(ctx, shop), overview: readStoreOverview(ctx, shop) };
  const [connection, guide, health] = await Promise.all([
    readConnectionState(ctx, shop),
    readSetupGuide(ctx, shop),
    readStoreHealth(ctx, shop),
  ]);
  return { connection, guide, health, ...later };
}

export async function action({ request, context: { ctx, shopify } }: ActionFunctionArgs) {
  const { shop } = await shopify.authenticateAdmin(request);
  return repairWebhooks(ctx, shop);
}

export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function Home() {
  return <HomeScreen {...useLoaderData<typeof loader>()} />;
}
