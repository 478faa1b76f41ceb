// One line of the timeline: what happened, when, and the page where it is shown in full.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Button, InlineStack, Link, Text } from "@shopify/polaris";
import { useDownload } from "../../hooks/use-download.ts";
import { useChannelName } from "../../i18n/channel-names.ts";
import { useEventName } from "../../i18n/event-names.ts";
import { formatAmount } from "../../i18n/format-number.ts";
import { labelOf } from "../../i18n/label-of.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { useLocale } from "../../i18n/locale.ts";
import { DateTime } from "../../ui/date-time.tsx";
import type { TimelineItemView } from "./detail-shape.ts";
import type { OrderItem, ShownItem } from "./timeline-orders.ts";

type Of<Kind extends TimelineItemView["kind"]> = {
  item: Extract<TimelineItemView, { kind: Kind }>;
};

export function TimelineItem({ item }: { item: ShownItem }) {
  const { t } = useTranslation("customer");
  return (
    <InlineStack gap="300" align="space-between" blockAlign="start" wrap>
      <BlockStack gap="050">
        <Content item={item} />
        <Text as="span" tone="subdued">
          <DateTime at={item.at} />
        </Text>
      </BlockStack>
      <Badge>{t(`timelineKinds.${item.kind}`)}</Badge>
    </InlineStack>
  );
}

function Content({ item }: { item: ShownItem }) {
  switch (item.kind) {
    case "consent":
      return <Consent item={item} />;
    case "tag":
      return <TagChange item={item} />;
    case "order":
      return <Order item={item} />;
    case "delivery":
      return <Delivery item={item} />;
    case "agent":
      return <Agent item={item} />;
    case "mandate":
      return <Mandate item={item} />;
    case "privacy":
      return <Privacy item={item} />;
    case "access":
      return <Access item={item} />;
  }
}

type LineProps = { text: string; detail?: string | null; url?: string; isInAdmin?: boolean };

function Line({ text, detail, url, isInAdmin = false }: LineProps) {
  return (
    <>
      <Text as="span" breakWord>
        {url ? (
          <Link url={url} removeUnderline {...(isInAdmin && { target: "_top" })}>
            {text}
          </Link>
        ) : (
          text
        )}
      </Text>
      {detail && (
        <Text as="span" tone="subdued" breakWord>
          {detail}
        </Text>
      )}
    </>
  );
}

function Consent({ item: { seq, type, decision, method, version } }: Of<"consent">) {
  const { t } = useTranslation(["customer", "glossary"]);
  const download = useDownload();
  const labelled = useLabelled();
  const consent = labelOf(t("glossary:consent", { returnObjects: true }), type);
  const text = labelled(consent, t(`glossary:decisions.${decision}`));
  const how = labelOf(t("glossary:methods", { returnObjects: true }), method);
  return (
    <>
      <Line text={text} detail={version ? `${how}, ${t("policy", { version })}` : how} />
      <InlineStack>
        <Button
          variant="plain"
          onClick={() => void download(`/app/consent/receipt/${seq}`)}
          accessibilityLabel={labelled(t("receipt"), text)}
        >
          {t("receipt")}
        </Button>
      </InlineStack>
    </>
  );
}

function TagChange({ item: { change, names, slug, source, event } }: Of<"tag">) {
  const { t } = useTranslation("customer");
  const url = slug ? `/app/customers?tag=${slug}` : event && `/app/events/event/${event}`;
  return (
    <Line
      text={t(`tagChanges.${change}`, { names: names.join(", ") })}
      detail={source ? labelOf(t("tagSources", { returnObjects: true }), source) : null}
      {...(url && { url })}
    />
  );
}

function Order({ item: { order } }: { item: OrderItem }) {
  const locale = useLocale();
  const labelled = useLabelled();
  const total = formatAmount(locale, order.total.amount, order.total.currency);
  return <Line text={labelled(order.name, total)} url={order.url} isInAdmin />;
}

function Delivery({ item: { event, type, systems } }: Of<"delivery">) {
  const { t } = useTranslation(["customer", "glossary"]);
  const eventName = useEventName();
  const nameOf = useChannelName();
  const labelled = useLabelled();
  const stateOf = ({ status, isSkipped }: (typeof systems)[number]) => {
    if (isSkipped) return t("glossary:skipped");
    if (status === "delivered") return t("states.delivered");
    return status === "dead_letter" ? t("states.dead") : t("states.waiting");
  };
  const states = systems.map((system) => labelled(nameOf(system.channel), stateOf(system)));
  return (
    <Line
      text={eventName(type)}
      detail={states.join(", ")}
      url={`/app/events/event/${encodeURIComponent(event)}`}
    />
  );
}

function Agent({ item: { change, name } }: Of<"agent">) {
  const { t } = useTranslation("customer");
  return <Line text={t(`agentChanges.${change}`, { name })} url="/app/agents" />;
}

function Mandate({ item: { change, amount, currency } }: Of<"mandate">) {
  const { t } = useTranslation("customer");
  const locale = useLocale();
  const labelled = useLabelled();
  const text = t(`mandateChanges.${change}`);
  return (
    <Line
      text={amount && currency ? labelled(text, formatAmount(locale, amount, currency)) : text}
      url="/app/agents/mandates"
    />
  );
}

function Privacy({ item: { request, request_kind: kind, state } }: Of<"privacy">) {
  const { t } = useTranslation("customer");
  return (
    <Line
      text={`${labelOf(t("requests.kinds", { returnObjects: true }), kind)} #${request}`}
      detail={labelOf(t("requests.states", { returnObjects: true }), state)}
      url={`/app/privacy/${request}`}
    />
  );
}

function Access({ item: { action, actor_kind: kind, actor } }: Of<"access">) {
  const { t } = useTranslation("customer");
  const name =
    kind === "operator" && actor === "tenant_key"
      ? t("access.storeKey")
      : t(`access.actors.${kind}`, { id: actor ?? t("access.unknown") });
  return <Line text={t(`access.actions.${action}`)} detail={name} />;
}
