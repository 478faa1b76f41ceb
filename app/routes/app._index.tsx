import type { ActionFunctionArgs, HeadersFunction, LoaderFunctionArgs } from "@remix-run/node";
import { Await, useLoaderData } from "@remix-run/react";
import { BlockStack, Page } from "@shopify/polaris";
import { TitleBar } from "@shopify/app-bridge-react";
import { boundary } from "@shopify/shopify-app-remix/server";
import { Suspense } from "react";
import { AfterMount } from "../components/after-mount.tsx";
import { ChannelsCard } from "../components/channels-card.tsx";
import { ConnectionBanner } from "../components/connection-banner.tsx";
import { ConnectionCard } from "../components/connection-card.tsx";
import { WebhooksCard, WebhooksSkeleton } from "../components/webhooks-card.tsx";
import { readConnectionState, readWebhooksState, repairWebhooks } from "../domain/tenants/connection-state.ts";

export { ScreenProblem as ErrorBoundary } from "../components/screen-error.tsx";

export async function loader({ request, context: { ctx, shopify } }: LoaderFunctionArgs) {
  const { shop } = await shopify.authenticateAdmin(request);
  return { connection: await readConnectionState(ctx, shop), webhooks: readWebhooksState(ctx, shop) };
}

export async function action({ request, context: { ctx, shopify } }: ActionFunctionArgs) {
  const { shop } = await shopify.authenticateAdmin(request);
  return repairWebhooks(ctx, shop);
}

export const headers: HeadersFunction = (args) => boundary.headers(args);

export default function Home() {
  const { connection, webhooks } = useLoaderData<typeof loader>();
  return (
    <>
      <TitleBar title="Customer identity" />
      <Page>
        <BlockStack gap="400">
          <ConnectionBanner {...connection} />
          <ConnectionCard {...connection} />
          <AfterMount fallback={<WebhooksSkeleton />}>
            <Suspense fallback={<WebhooksSkeleton />}>
              <Await resolve={webhooks}>{(state) => <WebhooksCard webhooks={state} isConnected={connection.token.state === "valid"} />}</Await>
            </Suspense>
          </AfterMount>
          <ChannelsCard channels={connection.channels} />
        </BlockStack>
      </Page>
    </>
  );
}
