// The store's own email and SMS subscriptions, and where they differ from our marketing consent.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Card, InlineStack, Text } from "@shopify/polaris";
import { labelOf } from "../../i18n/label-of.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import type { SubscriptionView } from "./detail-shape.ts";

export function SubscriptionsCard({ subscriptions }: { subscriptions: SubscriptionView[] }) {
  const { t } = useTranslation("customer");
  const hasDifference = subscriptions.some(({ differs }) => differs);
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("subscriptions.title")} />
        {subscriptions.length === 0 && (
          <Text as="p" tone="subdued">
            {t("noStoreCustomer")}
          </Text>
        )}
        {subscriptions.map((subscription) => (
          <Subscription key={subscription.channel} subscription={subscription} />
        ))}
        {subscriptions.length > 0 && (
          <Text as="p" tone="subdued">
            {hasDifference ? t("subscriptions.differenceText") : t("subscriptions.text")}
          </Text>
        )}
      </BlockStack>
    </Card>
  );
}

function Subscription({
  subscription: { channel, state, differs },
}: {
  subscription: SubscriptionView;
}) {
  const { t } = useTranslation("customer");
  return (
    <BlockStack gap="100">
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <Text as="span">{t(`subscriptions.channels.${channel}`)}</Text>
        <Badge {...(state === "subscribed" && { tone: "success" })}>
          {state === null
            ? t("subscriptions.unknown")
            : labelOf(t("subscriptions.states", { returnObjects: true }), state)}
        </Badge>
      </InlineStack>
      {differs && (
        <Text as="span" tone="caution">
          {t("subscriptions.differs")}
        </Text>
      )}
    </BlockStack>
  );
}
