import { Badge, BlockStack, Card, InlineStack, Text } from "@shopify/polaris";
import { useChannelName } from "../channel-names.ts";
import { CardHeading } from "../card-heading.tsx";
import { HOME_WORDS } from "./home-words.ts";
import { Moment } from "../moment.tsx";
import { useWords } from "../words.tsx";

type Channel =
  | { name: string; state: "on" }
  | { name: string; state: "off" }
  | { name: string; state: "paused"; until: string };
type Channels = { state: "known"; list: Channel[] } | { state: "unknown"; reason: string };

export function ChannelsCard({ channels }: { channels: Channels }) {
  const { channels: words } = useWords(HOME_WORDS);
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.title} />
        {channels.state === "unknown" ? (
          <Text as="p">{words.unknown(channels.reason)}</Text>
        ) : (
          <List list={channels.list} />
        )}
      </BlockStack>
    </Card>
  );
}

function List({ list }: { list: Channel[] }) {
  const nameOf = useChannelName();
  const { channels: words } = useWords(HOME_WORDS);
  if (list.length === 0) return <Text as="p">{words.none}</Text>;
  return (
    <BlockStack gap="200">
      {list.map((channel) => (
        <InlineStack key={channel.name} align="space-between" blockAlign="center" gap="200">
          <Text as="span">{nameOf(channel.name)}</Text>
          <State channel={channel} />
        </InlineStack>
      ))}
    </BlockStack>
  );
}

function State({ channel }: { channel: Channel }) {
  const { channels: words } = useWords(HOME_WORDS);
  if (channel.state === "on") return <Badge tone="success">{words.on}</Badge>;
  if (channel.state === "off") return <Badge>{words.off}</Badge>;
  return (
    <InlineStack gap="200" blockAlign="center">
      <Text as="span" tone="subdued">
        {words.until} <Moment at={channel.until} />
      </Text>
      <Badge tone="warning">{words.paused}</Badge>
    </InlineStack>
  );
}
