import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Box, Card, IndexTable, Text } from "@shopify/polaris";
import { useChannelName } from "../i18n/channel-names.ts";
import { useFailureText } from "./failure-text.ts";
import type { EventView } from "../../domain/bus/log/event-view.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { AttemptTable } from "./delivery-log-card.tsx";
import { labelOf } from "../i18n/label-of.ts";
import { FactRows } from "../ui/fact-rows.tsx";
import { DateTime } from "../ui/date-time.tsx";

const TONES: Record<string, "success" | "critical" | "info"> = {
  delivered: "success",
  dead_letter: "critical",
};

export function EventCards({ event }: { event: EventView }) {
  const { t } = useTranslation("events");
  const channelName = useChannelName();

  const rows = [
    {
      name: t("view.id"),
      value: <code style={{ overflowWrap: "anywhere" }}>{event.event_id}</code>,
    },
    {
      name: t("view.source"),
      value: channelName(event.source),
    },
    { name: t("view.about"), value: event.entity_type },
    { name: t("view.entity"), value: event.entity_id ?? t("view.hidden") },
    { name: t("view.priority"), value: String(event.priority) },
    {
      name: t("view.destinations"),
      value: event.destinations.map((name) => channelName(name)).join(", ") || "-",
    },
    {
      name: t("view.occurred"),
      value: event.occurred_at ? <DateTime at={event.occurred_at} /> : "-",
    },
    { name: t("view.received"), value: <DateTime at={event.received_at} /> },
    {
      name: t("view.fingerprint"),
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
          <CardHeading title={t("view.deliveries")} />
        </Box>
        {event.deliveries.length === 0 ? (
          <Box padding="400" paddingBlockStart="0">
            <Text as="p">{t("view.noDeliveries")}</Text>
          </Box>
        ) : (
          <Deliveries deliveries={event.deliveries} />
        )}
      </Card>
      <Card padding="0">
        <Box padding="400">
          <CardHeading title={t("view.attempts")} />
        </Box>
        {event.attempts.length === 0 ? (
          <Box padding="400" paddingBlockStart="0">
            <Text as="p">{t("view.noAttempts")}</Text>
          </Box>
        ) : (
          <AttemptTable attempts={event.attempts} />
        )}
      </Card>
    </>
  );
}

function Deliveries({ deliveries }: { deliveries: EventView["deliveries"] }) {
  const { t } = useTranslation("events");
  const failureText = useFailureText();
  const channelName = useChannelName();

  return (
    <IndexTable
      selectable={false}
      itemCount={deliveries.length}
      resourceName={{ singular: t("view.deliveries"), plural: t("view.deliveries") }}
      headings={[
        { title: t("columns.channel") },
        { title: t("columns.outcome") },
        { title: t("columns.tries") },
        { title: t("columns.when") },
        { title: t("columns.reason") },
      ]}
    >
      {deliveries.map((delivery, at) => (
        <IndexTable.Row key={delivery.queue_id} id={String(delivery.queue_id)} position={at}>
          <IndexTable.Cell>{channelName(delivery.channel)}</IndexTable.Cell>
          <IndexTable.Cell>
            <Badge tone={TONES[delivery.status] ?? "info"}>
              {labelOf(t("statuses", { returnObjects: true }), delivery.status)}
            </Badge>
          </IndexTable.Cell>
          <IndexTable.Cell>
            {t("view.triesOf", { tries: delivery.retry_count, most: delivery.max_retries })}
          </IndexTable.Cell>
          <IndexTable.Cell>
            <BlockStack>
              {delivery.delivered_at && <DateTime at={delivery.delivered_at} />}
              {delivery.dead_since && <DateTime at={delivery.dead_since} />}
              {delivery.next_attempt_at && (
                <span>
                  {t("view.nextTry")}: <DateTime at={delivery.next_attempt_at} />
                </span>
              )}
            </BlockStack>
          </IndexTable.Cell>
          <IndexTable.Cell>
            <div style={{ whiteSpace: "normal", minWidth: "12rem" }}>
              {delivery.failure ? failureText(delivery.failure) : "-"}
            </div>
          </IndexTable.Cell>
        </IndexTable.Row>
      ))}
    </IndexTable>
  );
}
