// An event: its destinations step by step, and in tabs its own fields, what was sent and what was
// answered.
import { useTranslation } from "react-i18next";
import { useRevalidator, useSearchParams } from "@remix-run/react";
import {
  Banner,
  BlockStack,
  Box,
  Button,
  Card,
  InlineStack,
  Link,
  Tabs,
  Text,
} from "@shopify/polaris";
import { useRef, useState } from "react";
import type { ShownExchange } from "../../domain/bus/exchanges/read-exchange.ts";
import type { EventDelivery } from "../../domain/bus/log/event-view.ts";
import type { ListedAttempt } from "../../domain/bus/log/attempt-list.ts";
import type { EventScreen } from "../../domain/merchant/event-screen.ts";
import { usePolling } from "../hooks/use-polling.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useChannelName } from "../i18n/channel-names.ts";
import { DateTime } from "../ui/date-time.tsx";
import { FactRows } from "../ui/fact-rows.tsx";
import { PageGutter } from "../ui/layout.tsx";
import { showToast } from "../ui/toast.ts";
import { EventTimeline } from "./event/event-timeline.tsx";
import { ExchangePanel } from "./event/exchange-panel.tsx";
import { EventTime, useNow } from "./event/event-time.tsx";
import { useFailureText } from "./failure-text.ts";

const PARTS = ["event", "sent", "response"] as const;
/** A delivery that is due this soon is watched. */
const WATCHED_MS = 60_000;

export function EventCards({ screen }: { screen: EventScreen }) {
  const { t } = useTranslation("deliveries");
  const { revalidate } = useRevalidator();
  const [address, setAddress] = useSearchParams();
  const [part, setPart] = useState(0);
  const parts = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState<ShownExchange | null>(null);
  const now = useNow(screen.now);
  const show = useScreenAction<ShownExchange>("show", { onSuccess: setShown });
  const replay = useScreenAction<{ requeued: number }>("replay", {
    onSuccess: ({ requeued }) => showToast(t("replayed", { count: requeued })),
  });
  usePolling(
    screen.event.deliveries.some((delivery) => isMoving(delivery, Date.parse(screen.now))),
    revalidate,
  );

  const { event, exchanges, exchange: masked } = screen;
  const exchange = shown && shown.attempt_id === masked?.attempt_id ? shown : masked;
  const error = show.error ?? replay.error;
  const failed = event.deliveries.filter(
    ({ status, skip }) => status === "dead_letter" && skip === null,
  );
  const choose = (attemptId: number) => {
    const asked = new URLSearchParams(address);
    asked.set("attempt", String(attemptId));
    setAddress(asked, { replace: true, preventScrollReset: true });
    if (part === 0) setPart(1);
    parts.current?.scrollIntoView({ block: "nearest" });
  };
  return (
    <>
      {error && (
        <Banner tone="critical">
          <p>{error.message}</p>
        </Banner>
      )}
      {failed.length > 1 && (
        <PageGutter>
          <Button loading={replay.isBusy} onClick={() => replay.submit({ queue_id: null })}>
            {t("replayEvent")}
          </Button>
        </PageGutter>
      )}
      {event.deliveries.length === 0 && (
        <Card>
          <Text as="p">{t("noDeliveries")}</Text>
        </Card>
      )}
      {event.deliveries.map((delivery) => (
        <EventTimeline
          key={delivery.channel}
          delivery={delivery}
          now={now}
          exchanges={exchanges}
          chosen={part === 0 ? null : (exchange?.attempt_id ?? null)}
          onChoose={choose}
          isBusy={replay.isBusy}
          onReplay={(queueId) => replay.submit({ queue_id: queueId })}
        />
      ))}
      <div ref={parts}>
        <Card padding="0">
          <Tabs
            tabs={PARTS.map((id) => ({ id, content: t(`tabs.${id}`), panelID: `${id}-panel` }))}
            selected={part}
            onSelect={setPart}
          />
          <Box padding="400">
            {part === 0 ? (
              <EventFacts screen={screen} now={now} />
            ) : (
              <AttemptPart
                screen={screen}
                part={part === 1 ? "sent" : "response"}
                exchange={exchange}
                isBusy={show.isBusy}
                onShow={() => show.submit({ attempt_id: exchange?.attempt_id })}
              />
            )}
          </Box>
        </Card>
      </div>
    </>
  );
}

const isMoving = ({ status, next_attempt_at: nextAt }: EventDelivery, now: number): boolean =>
  status === "processing" ||
  status === "ready" ||
  (nextAt !== null && Date.parse(nextAt) - now < WATCHED_MS);

function EventFacts({
  screen: { event, customerId, orderUrl },
  now,
}: {
  screen: EventScreen;
  now: number;
}) {
  const { t } = useTranslation(["events", "deliveries"]);
  const channelName = useChannelName();

  const code = (text: string) => <code style={{ overflowWrap: "anywhere" }}>{text}</code>;
  const rows = [
    { name: t("view.id"), value: code(event.event_id) },
    { name: t("view.type"), value: code(event.event_type) },
    { name: t("view.source"), value: channelName(event.source) },
    { name: t("view.about"), value: event.entity_type },
    { name: t("view.entity"), value: event.entity_id ?? t("view.hidden") },
    { name: t("deliveries:links"), value: <Links customerId={customerId} orderUrl={orderUrl} /> },
    { name: t("view.priority"), value: String(event.priority) },
    {
      name: t("view.destinations"),
      value: event.destinations.map((name) => channelName(name)).join(", ") || "-",
    },
    {
      name: t("view.occurred"),
      value: event.occurred_at ? <DateTime at={event.occurred_at} /> : "-",
    },
    { name: t("view.received"), value: <EventTime at={event.received_at} now={now} /> },
    {
      name: t("view.fingerprint"),
      value: event.payload_sha256 ? code(event.payload_sha256) : "-",
    },
  ];
  return <FactRows rows={rows} />;
}

function Links({ customerId, orderUrl }: Pick<EventScreen, "customerId" | "orderUrl">) {
  const { t } = useTranslation("deliveries");
  if (customerId === null && orderUrl === null) return "-";
  return (
    <InlineStack gap="300">
      {customerId !== null && <Link url={`/app/customers/${customerId}`}>{t("toCustomer")}</Link>}
      {orderUrl !== null && (
        <Link url={orderUrl} target="_top">
          {t("toOrder")}
        </Link>
      )}
    </InlineStack>
  );
}

type PartProps = {
  screen: EventScreen;
  part: "sent" | "response";
  exchange: ShownExchange | null;
  isBusy: boolean;
  onShow(): void;
};

function AttemptPart({ screen, part, exchange, isBusy, onShow }: PartProps) {
  const { t } = useTranslation("deliveries");
  const failureText = useFailureText();
  const channelName = useChannelName();

  if (!exchange) return <Text as="p">{t("noExchange")}</Text>;
  const attempt = findAttempt(screen.event.deliveries, exchange.attempt_id);
  return (
    <BlockStack gap="300">
      {attempt && (
        <Text as="h2" variant="headingMd">
          {t("attemptOf", { number: attempt.attempt, channel: channelName(attempt.channel) })}
        </Text>
      )}
      <ExchangePanel
        part={part}
        exchange={exchange}
        reason={attempt?.failure ? failureText(attempt.failure) : null}
        isBusy={isBusy}
        onShow={onShow}
      />
    </BlockStack>
  );
}

const findAttempt = (deliveries: readonly EventDelivery[], id: number): ListedAttempt | null =>
  deliveries
    .flatMap(({ timeline }) => timeline)
    .flatMap((step) => (step.kind === "attempt" ? [step.attempt] : []))
    .find((attempt) => attempt.id === id) ?? null;
