import { Badge, BlockStack, Box, Card, IndexTable, Text } from "@shopify/polaris";
import { CardHeading } from "../card-heading.tsx";
import { CHANNEL_WORDS, channelLabel, failureText, type ShownFailure } from "./channel-words.ts";
import { AttemptTable, type Attempt } from "./delivery-log-card.tsx";
import { EVENT_WORDS, statusLabel } from "./event-words.ts";
import { FactRows } from "../fact-rows.tsx";
import { Moment } from "../moment.tsx";
import { useWords } from "../words.tsx";

type Delivery = {
  queue_id: number;
  channel: string;
  status: string;
  retry_count: number;
  max_retries: number;
  next_attempt_at: string | null;
  delivered_at: string | null;
  dead_since: string | null;
  failure: ShownFailure | null;
};
export type ShownEvent = {
  event_id: string;
  source: string;
  event_type: string;
  entity_type: string;
  entity_id: string | null;
  priority: number;
  destinations: readonly string[];
  occurred_at: string | null;
  received_at: string;
  payload_sha256: string | null;
  deliveries: readonly Delivery[];
  attempts: readonly Attempt[];
};

const TONES: Record<string, "success" | "critical" | "info"> = {
  delivered: "success",
  dead_letter: "critical",
};

export function EventCards({ event }: { event: ShownEvent }) {
  const words = useWords(EVENT_WORDS).view;
  const labels = useWords(CHANNEL_WORDS);
  const rows = [
    { name: words.id, value: <code style={{ overflowWrap: "anywhere" }}>{event.event_id}</code> },
    { name: words.source, value: channelLabel(labels, event.source) },
    { name: words.about, value: event.entity_type },
    { name: words.entity, value: event.entity_id ?? words.hidden },
    { name: words.priority, value: String(event.priority) },
    {
      name: words.destinations,
      value: event.destinations.map((name) => channelLabel(labels, name)).join(", ") || "-",
    },
    { name: words.occurred, value: event.occurred_at ? <Moment at={event.occurred_at} /> : "-" },
    { name: words.received, value: <Moment at={event.received_at} /> },
    {
      name: words.fingerprint,
      value: event.payload_sha256 ? (
        <code style={{ overflowWrap: "anywhere" }}>{event.payload_sha256}</code>
      ) : (
        "-"
      ),
    },
  ];
  return (
    <>
      <Card>
        <FactRows rows={rows} />
      </Card>
      <Card padding="0">
        <Box padding="400">
          <CardHeading title={words.deliveries} />
        </Box>
        {event.deliveries.length === 0 ? (
          <Box padding="400" paddingBlockStart="0">
            <Text as="p">{words.noDeliveries}</Text>
          </Box>
        ) : (
          <Deliveries deliveries={event.deliveries} />
        )}
      </Card>
      <Card padding="0">
        <Box padding="400">
          <CardHeading title={words.attempts} />
        </Box>
        {event.attempts.length === 0 ? (
          <Box padding="400" paddingBlockStart="0">
            <Text as="p">{words.noAttempts}</Text>
          </Box>
        ) : (
          <AttemptTable attempts={event.attempts} />
        )}
      </Card>
    </>
  );
}

function Deliveries({ deliveries }: { deliveries: readonly Delivery[] }) {
  const words = useWords(EVENT_WORDS);
  const labels = useWords(CHANNEL_WORDS);
  const { columns, view } = words;
  return (
    <IndexTable
      selectable={false}
      itemCount={deliveries.length}
      resourceName={{ singular: view.deliveries, plural: view.deliveries }}
      headings={[
        { title: columns.channel },
        { title: columns.outcome },
        { title: columns.tries },
        { title: columns.when },
        { title: columns.reason },
      ]}
    >
      {deliveries.map((delivery, at) => (
        <IndexTable.Row key={delivery.queue_id} id={String(delivery.queue_id)} position={at}>
          <IndexTable.Cell>{channelLabel(labels, delivery.channel)}</IndexTable.Cell>
          <IndexTable.Cell>
            <Badge tone={TONES[delivery.status] ?? "info"}>
              {statusLabel(words, delivery.status)}
            </Badge>
          </IndexTable.Cell>
          <IndexTable.Cell>
            {view.triesOf(delivery.retry_count, delivery.max_retries)}
          </IndexTable.Cell>
          <IndexTable.Cell>
            <BlockStack>
              {delivery.delivered_at && <Moment at={delivery.delivered_at} />}
              {delivery.dead_since && <Moment at={delivery.dead_since} />}
              {delivery.next_attempt_at && (
                <span>
                  {view.nextTry}: <Moment at={delivery.next_attempt_at} />
                </span>
              )}
            </BlockStack>
          </IndexTable.Cell>
          <IndexTable.Cell>
            <div style={{ whiteSpace: "normal", minWidth: "12rem" }}>
              {delivery.failure ? failureText(labels, delivery.failure) : "-"}
            </div>
          </IndexTable.Cell>
        </IndexTable.Row>
      ))}
    </IndexTable>
  );
}
