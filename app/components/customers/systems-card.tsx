// Whether each connected system has the newest state of this customer.
import { Badge, BlockStack, Button, Card, InlineStack, Text } from "@shopify/polaris";
import { useChannelName } from "../channel-names.ts";
import { CardHeading } from "../card-heading.tsx";
import { Moment } from "../moment.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useWords } from "../words.tsx";
import type { SystemView } from "./detail-shape.ts";
import { DETAIL_WORDS } from "./detail-words.ts";

const TONES = { none: undefined, delivered: "success", waiting: "info", dead: "critical" } as const;

export function SystemsCard({ systems }: { systems: SystemView[] }) {
  const words = useWords(DETAIL_WORDS);
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.systems} />
        {systems.length === 0 && (
          <Text as="p" tone="subdued">
            {words.noSystems}
          </Text>
        )}
        {systems.map((system) => (
          <System key={system.channel} system={system} />
        ))}
      </BlockStack>
    </Card>
  );
}

function System({
  system: { channel, isOn, status, at, httpStatus, reason },
}: {
  system: SystemView;
}) {
  const words = useWords(DETAIL_WORDS);
  const { run, isBusy, refused } = useDeed<{ requeued: number }>({
    onDone: ({ requeued }) => (requeued > 0 ? words.queuedAgain : words.nothingToRetry),
  });
  const problem = useRefusal(refused);
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
          <Button
            size="slim"
            loading={isBusy}
            onClick={() => run("retry", { channel })}
            accessibilityLabel={`${words.tryAgain}: ${nameOf(channel)}`}
          >
            {words.tryAgain}
          </Button>
          {problem && (
            <Text as="span" tone="critical">
              {problem}
            </Text>
          )}
        </InlineStack>
      )}
    </BlockStack>
  );
}
