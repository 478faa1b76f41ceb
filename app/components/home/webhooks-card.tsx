import { useFetcher, useRevalidator } from "@remix-run/react";
import {
  BlockStack,
  Box,
  Button,
  Card,
  List,
  SkeletonBodyText,
  Text as Line,
} from "@shopify/polaris";
import { useEffect, useRef } from "react";
import { CardHeading } from "../card-heading.tsx";
import { HOME_WORDS, type HomeText } from "./home-words.ts";
import { useWords } from "../words.tsx";

type Refused = { topic: string; reason: string }[];
type Webhooks =
  | { state: "known"; registered: number; total: number; missing: string[]; refused?: Refused }
  | { state: "not_connected" }
  | { state: "unknown"; reason: string };
type Repair =
  { isDone: true; changed: number; refused?: Refused } | { isDone: false; reason: string };

type Text = HomeText["webhooks"];

export function WebhooksCard({
  webhooks,
  isConnected,
}: {
  webhooks: Webhooks;
  isConnected: boolean;
}) {
  const { webhooks: words } = useWords(HOME_WORDS);
  const fetcher = useFetcher<Repair>();
  useRecheck(isConnected && webhooks.state === "not_connected");
  const isBusy = fetcher.state !== "idle";
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.title} status={statusOf(words, webhooks)}>
          <fetcher.Form method="post" action="/app?index">
            <Button submit loading={isBusy} disabled={!isConnected}>
              {words.again}
            </Button>
          </fetcher.Form>
        </CardHeading>
        <BlockStack gap="100">
          <Line as="p">{describe(words, webhooks)}</Line>
          {webhooks.state === "known" && webhooks.refused && (
            <>
              <Line as="p">{words.refused}</Line>
              <List>
                {webhooks.refused.map(({ topic, reason }) => (
                  <List.Item key={topic}>
                    {topic}: <span lang="en">{reason}</span>
                  </List.Item>
                ))}
              </List>
            </>
          )}
          <div aria-live="polite">
            {!isBusy && fetcher.data && <Result repair={fetcher.data} />}
          </div>
        </BlockStack>
      </BlockStack>
    </Card>
  );
}

export function WebhooksSkeleton() {
  const { webhooks: words } = useWords(HOME_WORDS);
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.title} />
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

function statusOf(words: Text, webhooks: Webhooks) {
  if (webhooks.state === "unknown") return { tone: "warning", text: words.notChecked } as const;
  if (webhooks.state === "not_connected") return undefined;
  return {
    tone: webhooks.missing.length === 0 ? "success" : "warning",
    text: words.registered(webhooks.registered, webhooks.total),
  } as const;
}

function describe(words: Text, webhooks: Webhooks): string {
  if (webhooks.state === "unknown") return words.unknown(webhooks.reason);
  if (webhooks.state === "not_connected") return words.notConnected;
  return webhooks.missing.length === 0 ? words.whole : words.missing(webhooks.missing.join(", "));
}

function Result({ repair }: { repair: Repair }) {
  const { webhooks: words } = useWords(HOME_WORDS);
  if (!repair.isDone)
    return (
      <Line as="p" tone="critical">
        {words.failed(repair.reason)}
      </Line>
    );
  if (repair.refused && repair.changed === 0)
    return (
      <Line as="p" tone="critical">
        {words.refusedAgain}
      </Line>
    );
  return (
    <Line as="p" tone="success">
      {repair.changed === 0 ? words.wasThere : words.done(repair.changed)}
    </Line>
  );
}
