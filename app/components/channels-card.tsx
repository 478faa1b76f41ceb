import { Badge, BlockStack, Card, InlineStack, Text } from "@shopify/polaris";
import { CardHeading } from "./card-heading.tsx";
import { Moment } from "./moment.tsx";

type Channel = { name: string; state: "on" } | { name: string; state: "off" } | { name: string; state: "paused"; until: string };
type Channels = { state: "known"; list: Channel[] } | { state: "unknown"; reason: string };

const ABBREVIATIONS: Record<string, string> = { cms: "CMS", erp: "ERP", erpsys: "ERP system" };

export function ChannelsCard({ channels }: { channels: Channels }) {
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title="Connected systems" />
        {channels.state === "unknown" ? <Text as="p">{channels.reason}</Text> : <List list={channels.list} />}
      </BlockStack>
    </Card>
  );
}

function List({ list }: { list: Channel[] }) {
  if (list.length === 0) return <Text as="p">The systems that can be kept in step appear here once the app is connected.</Text>;
  return (
    <BlockStack gap="200">
      {list.map((channel) => (
        <InlineStack key={channel.name} align="space-between" blockAlign="center" gap="200">
          <Text as="span">{toLabel(channel.name)}</Text>
          <State channel={channel} />
        </InlineStack>
      ))}
    </BlockStack>
  );
}

function State({ channel }: { channel: Channel }) {
  if (channel.state === "on") return <Badge tone="success">On</Badge>;
  if (channel.state === "off") return <Badge>Not set up</Badge>;
  return (
    <InlineStack gap="200" blockAlign="center">
      <Text as="span" tone="subdued">
        Does not answer; tried again at <Moment at={channel.until} />
      </Text>
      <Badge tone="warning">Paused</Badge>
    </InlineStack>
  );
}

function toLabel(name: string): string {
  const [first = "", ...rest] = name.split("_").map((word) => ABBREVIATIONS[word] ?? word);
  return [first.charAt(0).toUpperCase() + first.slice(1), ...rest].join(" ");
}
