// Everything that happened to the customer, newest first, of all kinds or of one.
import { useTranslation } from "react-i18next";
import { useSearchParams } from "@remix-run/react";
import { BlockStack, Button, Card, Divider, InlineStack, Select, Text } from "@shopify/polaris";
import { DeferredCard } from "../../frame/deferred-card.tsx";
import { useDownload } from "../../hooks/use-download.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import type { OrdersView, TimelineView } from "./detail-shape.ts";
import { TimelineItem } from "./timeline-item.tsx";
import { withOrders, type ShownItem } from "./timeline-orders.ts";

type Props = { customerId: number; timeline: TimelineView; orders: Promise<OrdersView> };

export function TimelineCard({ customerId, timeline, orders }: Props) {
  const { t } = useTranslation("customer");
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("timeline")}>
          <KindFilter kind={timeline.kind} />
        </CardHeading>
        {timeline.kind === "access" && <AccessNote customerId={customerId} />}
        <DeferredCard answer={orders} waiting={<Items items={timeline.items} />}>
          {(part) => <Items items={withOrders(timeline, part)} />}
        </DeferredCard>
        <Pages timeline={timeline} />
      </BlockStack>
    </Card>
  );
}

function Items({ items }: { items: readonly ShownItem[] }) {
  const { t } = useTranslation("customer");
  if (items.length === 0)
    return (
      <Text as="p" tone="subdued">
        {t("timelineEmpty")}
      </Text>
    );
  return (
    <BlockStack gap="300">
      {items.map((item, place) => (
        <BlockStack key={item.key} gap="300">
          {place > 0 && <Divider />}
          <TimelineItem item={item} />
        </BlockStack>
      ))}
    </BlockStack>
  );
}

function KindFilter({ kind }: { kind: TimelineView["kind"] }) {
  const { t } = useTranslation("customer");
  const [params, setParams] = useSearchParams();
  const show = (next: string) => {
    const asked = new URLSearchParams(params);
    asked.delete("before");
    if (next) asked.set("kind", next);
    else asked.delete("kind");
    setParams(asked, { preventScrollReset: true });
  };
  return (
    <Select
      label={t("timelineFilter")}
      labelInline
      options={[
        { value: "", label: t("timelineAll") },
        ...Object.entries(t("timelineKinds", { returnObjects: true })).map(([value, label]) => ({
          value,
          label,
        })),
      ]}
      value={kind ?? ""}
      onChange={show}
    />
  );
}

function AccessNote({ customerId }: { customerId: number }) {
  const { t } = useTranslation("customer");
  const download = useDownload();
  const exportFile = () =>
    download("/app/access-log", new URLSearchParams({ customer: String(customerId) }));
  return (
    <InlineStack align="space-between" blockAlign="center" gap="200">
      <Text as="p" tone="subdued">
        {t("access.text")}
      </Text>
      <Button onClick={() => void exportFile()}>{t("access.export")}</Button>
    </InlineStack>
  );
}

function Pages({ timeline: { before, next } }: { timeline: TimelineView }) {
  const { t } = useTranslation("customer");
  const [params, setParams] = useSearchParams();
  if (before === null && next === null) return null;
  const go = (position: string | null) => {
    const asked = new URLSearchParams(params);
    if (position === null) asked.delete("before");
    else asked.set("before", position);
    setParams(asked, { preventScrollReset: true });
  };
  return (
    <InlineStack gap="200">
      {before !== null && <Button onClick={() => go(null)}>{t("newest")}</Button>}
      {next !== null && <Button onClick={() => go(next)}>{t("older")}</Button>}
    </InlineStack>
  );
}
