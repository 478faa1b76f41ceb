// The customer's orders, which the store itself keeps: it may not answer.
import { useRevalidator } from "@remix-run/react";
import {
  Badge,
  Banner,
  BlockStack,
  Box,
  Card,
  InlineStack,
  SkeletonBodyText,
  Text,
} from "@shopify/polaris";
import { CardHeading } from "../card-heading.tsx";
import { Later } from "../later.tsx";
import { Moment } from "../moment.tsx";
import { useWords } from "../words.tsx";
import type { OrdersView } from "./detail-shape.ts";
import { DETAIL_WORDS } from "./detail-words.ts";

export function OrdersCard({ orders }: { orders: Promise<OrdersView> }) {
  const words = useWords(DETAIL_WORDS);
  const waiting = (
    <Box minHeight="60px">
      <SkeletonBodyText lines={3} />
    </Box>
  );
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={words.ordersTitle} />
        <Later answer={orders} waiting={waiting}>
          {(part) => <Orders part={part} />}
        </Later>
      </BlockStack>
    </Card>
  );
}

function Orders({ part }: { part: OrdersView }) {
  const words = useWords(DETAIL_WORDS);
  const { revalidate } = useRevalidator();
  if (part.state === "none")
    return (
      <Text as="p" tone="subdued">
        {words.noStoreCustomer}
      </Text>
    );
  if (part.state === "unavailable")
    return (
      <Banner tone="warning" action={{ content: words.retry, onAction: revalidate }}>
        <p>{words.ordersAway}</p>
      </Banner>
    );
  if (part.orders.length === 0)
    return (
      <Text as="p" tone="subdued">
        {words.noOrders}
      </Text>
    );
  return (
    <BlockStack gap="200">
      <Text as="p" tone="subdued">
        {words.ordersText}
      </Text>
      {part.orders.map((order) => (
        <InlineStack key={order.id} align="space-between" blockAlign="center" gap="200">
          <BlockStack>
            <Text as="span" fontWeight="semibold">
              {order.name}
            </Text>
            <Text as="span" tone="subdued">
              <Moment at={order.created_at} />
            </Text>
          </BlockStack>
          <InlineStack gap="200" blockAlign="center">
            <Badge>{toWords(order.fulfillment_status)}</Badge>
            <Text
              as="span"
              numeric
            >{`${words.money(order.total.amount)} ${order.total.currency}`}</Text>
          </InlineStack>
        </InlineStack>
      ))}
    </BlockStack>
  );
}

/** The store's own names of a state, IN_PROGRESS, as words. */
const toWords = (state: string): string =>
  state.charAt(0) + state.slice(1).toLowerCase().replaceAll("_", " ");
