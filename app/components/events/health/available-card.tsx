// The destinations that are not set up, each with what is missing.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, Card, InlineStack, Text } from "@shopify/polaris";
import type { DeliveryHealth } from "../../../domain/channels/delivery-health.ts";
import { useChannelName } from "../../i18n/channel-names.ts";
import { labelOf } from "../../i18n/label-of.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { CardHeading } from "../../ui/card-heading.tsx";

type Available = DeliveryHealth["available"][number];

export function AvailableCard({ available }: { available: readonly Available[] }) {
  const { t } = useTranslation("events");
  const nameOf = useChannelName();
  const labelled = useLabelled();
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading title={t("add.title")} />
        {available.map((one) => (
          <InlineStack key={one.name} align="space-between" blockAlign="center" gap="200">
            <BlockStack>
              <Text as="span" fontWeight="semibold">
                {nameOf(one.name)}
              </Text>
              <Text as="span" tone="subdued">
                {labelled(t("missing"))}{" "}
                {one.missing
                  .map((missing) => labelOf(t("channel.missing", { returnObjects: true }), missing))
                  .join(", ")}
                .
              </Text>
            </BlockStack>
            <Button
              url={placeOf(one)}
              accessibilityLabel={t("add.buttonOf", { channel: nameOf(one.name) })}
            >
              {t("add.button")}
            </Button>
          </InlineStack>
        ))}
      </BlockStack>
    </Card>
  );
}

/** Where the missing setting is. */
function placeOf({ missing }: Available): string {
  if (missing.includes("left_out")) return "/app/events/destinations";
  return missing.includes("store_connection") ? "/app/settings/connection" : "/app/settings";
}
