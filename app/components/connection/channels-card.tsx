import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Card, InlineStack, Text } from "@shopify/polaris";
import type { ChannelsPart, ChannelState } from "../../domain/tenants/connection-state.ts";
import { useChannelName } from "../i18n/channel-names.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { DateTime } from "../ui/date-time.tsx";

export function ChannelsCard({ channels }: { channels: ChannelsPart }) {
  const { t } = useTranslation("connection");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("channels.title")} />
        {channels.state === "unknown" ? (
          <Text as="p">{t("channels.unknown", { reason: channels.reason })}</Text>
        ) : (
          <List list={channels.list} />
        )}
      </BlockStack>
    </Card>
  );
}

function List({ list }: { list: ChannelState[] }) {
  const nameOf = useChannelName();
  const { t } = useTranslation("connection");
  if (list.length === 0) return <Text as="p">{t("channels.none")}</Text>;
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

function State({ channel }: { channel: ChannelState }) {
  const { t } = useTranslation("connection");
  if (channel.state === "on") return <Badge tone="success">{t("channels.on")}</Badge>;
  if (channel.state === "off") return <Badge>{t("channels.off")}</Badge>;
  return (
    <InlineStack gap="200" blockAlign="center">
      <Text as="span" tone="subdued">
        {t("channels.until")} <DateTime at={channel.until} />
      </Text>
      <Badge tone="warning">{t("channels.paused")}</Badge>
    </InlineStack>
  );
}
