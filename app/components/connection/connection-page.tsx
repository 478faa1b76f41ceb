import type { ConnectionState, WebhooksPart } from "../../domain/tenants/connection-state.ts";
import { DeferredCard } from "../frame/deferred-card.tsx";
import { ConnectionBanner } from "../home/connection-banner.tsx";
import { ChannelsCard } from "./channels-card.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { GuideCard } from "./guide-card.tsx";
import { WebhooksCard, WebhooksSkeleton } from "./webhooks-card.tsx";

type Props = {
  connection: ConnectionState;
  isGuideDismissed: boolean;
  webhooks: Promise<WebhooksPart>;
};

export function ConnectionPage({ connection, isGuideDismissed, webhooks }: Props) {
  return (
    <>
      <ConnectionBanner {...connection} />
      <ConnectionCard {...connection} />
      <DeferredCard answer={webhooks} waiting={<WebhooksSkeleton />}>
        {(state) => (
          <WebhooksCard webhooks={state} isConnected={connection.token.state === "valid"} />
        )}
      </DeferredCard>
      <ChannelsCard channels={connection.channels} />
      <GuideCard isDismissed={isGuideDismissed} />
    </>
  );
}
