// The customer's orders from the store's API, which may be unavailable.
import { useTranslation } from "react-i18next";
import { useRevalidator } from "@remix-run/react";
import {
  Badge,
  Banner,
  BlockStack,
  Box,
  Card,
  InlineStack,
  Link,
  SkeletonBodyText,
  Text,
} from "@shopify/polaris";
import { CardHeading } from "../../ui/card-heading.tsx";
import { DeferredCard } from "../../frame/deferred-card.tsx";
import { useStoreProblem } from "../../hooks/use-store-problem.ts";
import { DateTime } from "../../ui/date-time.tsx";
import { formatAmount } from "../../i18n/format-number.ts";
import { labelOf } from "../../i18n/label-of.ts";
import { useLocale } from "../../i18n/locale.ts";
import type { OrdersView } from "./detail-shape.ts";

export function OrdersCard({ orders }: { orders: Promise<OrdersView> }) {
  const { t } = useTranslation("customer");
  const waiting = (
    <Box minHeight="60px">
      <SkeletonBodyText lines={3} />
    </Box>
  );
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("ordersTitle")} />
        <DeferredCard answer={orders} waiting={waiting}>
          {(part) => <Orders part={part} />}
        </DeferredCard>
      </BlockStack>
    </Card>
  );
}

function Orders({ part }: { part: OrdersView }) {
  const { t } = useTranslation("customer");
  const locale = useLocale();
  const { revalidate } = useRevalidator();
  const say = useStoreProblem();
  if (part.state === "none")
    return (
      <Text as="p" tone="subdued">
        {t("noStoreCustomer")}
      </Text>
    );
  if (part.state === "unavailable")
    return (
      <Banner tone="warning" action={{ content: t("retry"), onAction: revalidate }}>
        <p>{say(part.problem, t("ordersAway"))}</p>
      </Banner>
    );
  if (part.orders.length === 0)
    return (
      <Text as="p" tone="subdued">
        {t("noOrders")}
      </Text>
    );
  return (
    <BlockStack gap="200">
      <Text as="p" tone="subdued">
        {t("ordersText")}
      </Text>
      {part.orders.map((order) => (
        <InlineStack key={order.id} align="space-between" blockAlign="center" gap="200">
          <BlockStack>
            <Link url={order.url} target="_top">
              {order.name}
            </Link>
            <Text as="span" tone="subdued">
              <DateTime at={order.created_at} />
            </Text>
          </BlockStack>
          <InlineStack gap="200" blockAlign="center">
            <Badge>
              {labelOf(t("fulfillment", { returnObjects: true }), order.fulfillment_status)}
            </Badge>
            <Text as="span" numeric>
              {formatAmount(locale, order.total.amount, order.total.currency)}
            </Text>
          </InlineStack>
        </InlineStack>
      ))}
    </BlockStack>
  );
}
