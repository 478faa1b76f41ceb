// Whether each connected system has the newest state of this customer.
import { Badge, BlockStack, Button, Card, InlineStack, Text } from "@shopify/polaris";
import { useChannelName } from "../channel-names.ts";
import { CardHeading } from "../card-heading.tsx";
import { Moment } from "../moment.tsx";
import { useWords } from "../words.tsx";
import type { SystemView } from "./detail-shape.ts";
import { DETAIL_WORDS } from "./detail-words.ts";
import { useCustomerAction } from "./use-customer-action.ts";

const TONES = { none: undefined, delivered: "success", waiting: "info", dead: "critical" } as const;

export function SystemsCard({ id, systems }: { id: number; systems: SystemView[] }) {
  const words = useWords(DETAIL_WORDS);
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.systems} />
        {systems.length === 0 && <Text as="p" tone="subdued">{words.noSystems}</Text>}
        {systems.map((system) => (
          <System key={system.channel} id={id} system={system} />
        ))}
      </BlockStack>
    </Card>
  );
}

function System({ id, system: { channel, isOn, status, at, httpStatus, reason } }: { id: number; system: SystemView }) {
  const words = useWords(DETAIL_WORDS);
  const retry = useCustomerAction(id, ({ changed }) => (changed ? words.queuedAgain : words.nothingToRetry));
  const nameOf = useChannelName();
  const tone = TONES[status];
  return (
    <BlockStack gap="100">
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Text as="span">{nameOf(channel)}</Text>
        <InlineStack gap="200" blockAlign="center">
          {!isOn && <Badge>{words.off}</Badge>}
          <Badge {...(tone && { tone })}>{words.states[status]}</Badge>
        </InlineStack>
      </InlineStack>
      {at && (
        <Text as="span" tone="subdued" breakWord>
          <Moment at={at} />
          {httpStatus !== null && `, HTTP ${httpStatus}`}
          {reason && `: ${reason}`}
        </Text>
      )}
      {status === "dead" && (
        <InlineStack gap="200" blockAlign="center">
          <Button size="slim" loading={retry.isBusy} onClick={() => retry.send({ intent: "retry", channel })} accessibilityLabel={`${words.tryAgain}: ${nameOf(channel)}`}>
            {words.tryAgain}
          </Button>
          {retry.refused && <Text as="span" tone="critical">{retry.refused.text}</Text>}
        </InlineStack>
      )}
    </BlockStack>
  );
}
