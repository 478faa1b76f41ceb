import { useFetcher, useRevalidator } from "@remix-run/react";
import { BlockStack, Box, Button, Card, SkeletonBodyText, Text } from "@shopify/polaris";
import { useEffect, useRef } from "react";
import { CardHeading } from "./card-heading.tsx";

type Webhooks = { state: "known"; registered: number; total: number; missing: string[] } | { state: "not_connected" } | { state: "unknown"; reason: string };
type Repair = { isDone: true; changed: number } | { isDone: false; reason: string };

const TITLE = "Store events";

export function WebhooksCard({ webhooks, isConnected }: { webhooks: Webhooks; isConnected: boolean }) {
  const fetcher = useFetcher<Repair>();
  useRecheck(isConnected && webhooks.state === "not_connected");
  const isBusy = fetcher.state !== "idle";
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={TITLE} status={statusOf(webhooks)}>
          <fetcher.Form method="post" action="/app?index">
            <Button submit loading={isBusy} disabled={!isConnected}>
              Register again
            </Button>
          </fetcher.Form>
        </CardHeading>
        <BlockStack gap="100">
          <Text as="p">{describe(webhooks)}</Text>
          <div aria-live="polite">{!isBusy && fetcher.data && <Result repair={fetcher.data} />}</div>
        </BlockStack>
      </BlockStack>
    </Card>
  );
}

export function WebhooksSkeleton() {
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={TITLE} />
        <Box minHeight="28px">
          <SkeletonBodyText lines={2} />
        </Box>
      </BlockStack>
    </Card>
  );
}

/** Asking the store may have found out that the access has ended: then the whole page is read once more. */
function useRecheck(isOutdated: boolean): void {
  const { revalidate } = useRevalidator();
  const isAsked = useRef(false);
  useEffect(() => {
    if (!isOutdated || isAsked.current) return;
    isAsked.current = true;
    revalidate();
  }, [isOutdated, revalidate]);
}

function statusOf(webhooks: Webhooks) {
  if (webhooks.state === "unknown") return { tone: "warning", text: "Not checked" } as const;
  if (webhooks.state === "not_connected") return undefined;
  return { tone: webhooks.missing.length === 0 ? "success" : "warning", text: `${webhooks.registered} of ${webhooks.total} registered` } as const;
}

function describe(webhooks: Webhooks): string {
  if (webhooks.state === "unknown") return webhooks.reason;
  if (webhooks.state === "not_connected") return "Your store tells this app about changes once it is connected.";
  if (webhooks.missing.length === 0) return "Your store tells this app about every change to customers, orders and consent.";
  return `Your store does not yet tell this app about: ${webhooks.missing.join(", ")}.`;
}

function Result({ repair }: { repair: Repair }) {
  if (!repair.isDone) return <Text as="p" tone="critical">{repair.reason}</Text>;
  return <Text as="p" tone="success">{repair.changed === 0 ? "Everything was registered already." : `Registered again: ${repair.changed}.`}</Text>;
}
