// Which known vendors wait for consent without a mark in the theme: one switch, a choice per vendor, and its limits.
import { useTranslation } from "react-i18next";
import { Badge, Banner, BlockStack, Box, Button, Card, InlineStack, Text } from "@shopify/polaris";
import type {
  BlockedVendor,
  Blocking,
} from "../../../domain/storefront-check/blocking-settings.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { CardHeading } from "../../ui/card-heading.tsx";
import { showToast } from "../../ui/toast.ts";

export function BlockingCard({ blocking, hasEmbed }: { blocking: Blocking; hasEmbed: boolean }) {
  const { t } = useTranslation("storefront-check");
  const { isOn, isConnected, vendors, version } = blocking;
  const { submit, isBusy, error } = useScreenAction<{ is_on: boolean }>("blocking", {
    onSuccess: ({ is_on: isNowOn }) =>
      showToast(t(isNowOn ? "blocking.doneOn" : "blocking.doneOff")),
  });
  return (
    <Card>
      <BlockStack gap="300">
        <CardHeading
          title={t("blocking.title")}
          status={{
            tone: isOn ? "success" : "info",
            text: t(isOn ? "blocking.on" : "blocking.off"),
          }}
        >
          <Button loading={isBusy} onClick={() => submit({ is_on: !isOn, version })}>
            {t(isOn ? "blocking.turnOff" : "blocking.turnOn")}
          </Button>
        </CardHeading>
        <Text as="p">{t("blocking.text")}</Text>
        {error && (
          <Banner tone="critical">
            <p>{error.message}</p>
          </Banner>
        )}
        {!isConnected && (
          <Banner tone="warning">
            <p>{t("blocking.notConnected")}</p>
          </Banner>
        )}
        {isOn && isConnected && !hasEmbed && (
          <Banner tone="warning">
            <p>{t("blocking.noEmbed")}</p>
          </Banner>
        )}
        {vendors.length > 0 ? (
          <ul style={{ listStyle: "none", margin: 0, padding: 0 }}>
            {vendors.map((vendor) => (
              <li key={vendor.name}>
                <Box paddingBlock="200" borderBlockStartWidth="025" borderColor="border-secondary">
                  <VendorRow vendor={vendor} isOn={isOn} version={version} />
                </Box>
              </li>
            ))}
          </ul>
        ) : (
          <Text as="p" tone="subdued">
            {t("blocking.noVendors")}
          </Text>
        )}
        <Text as="p" tone="subdued">
          {t("blocking.later")}
        </Text>
        <details>
          <summary>{t("blocking.limits")}</summary>
          <ul>
            {(["head", "frames", "readAhead", "apps", "copies", "speed"] as const).map((limit) => (
              <li key={limit}>{t(`blocking.limit.${limit}`)}</li>
            ))}
          </ul>
        </details>
      </BlockStack>
    </Card>
  );
}

const TONES = { waits: "success", google: "info", runs: "warning" } as const;

function VendorRow({
  vendor: { name, purposes, waits, followsConsentMode },
  isOn,
  version,
}: {
  vendor: BlockedVendor;
  isOn: boolean;
  version: string;
}) {
  const { t } = useTranslation("storefront-check");
  const { submit, isBusy, error } = useScreenAction<{ waits: boolean }>("vendor", {
    onSuccess: ({ waits: nowWaits }) =>
      showToast(t(nowWaits ? "blocking.doneWaits" : "blocking.doneRuns", { name })),
  });
  const withoutBlocking = followsConsentMode ? "google" : "runs";
  const state = waits ? "waits" : withoutBlocking;
  return (
    <BlockStack gap="200">
      <InlineStack align="space-between" blockAlign="center" gap="200">
        <BlockStack>
          <InlineStack gap="200" blockAlign="center">
            <Text as="h3" variant="headingSm">
              {name}
            </Text>
            {isOn && <Badge tone={TONES[state]}>{t(`blocking.${state}`)}</Badge>}
          </InlineStack>
          <Text as="span" tone="subdued">
            {purposes.map((purpose) => t(`purposes.${purpose}`)).join(", ")}
          </Text>
        </BlockStack>
        {isOn && (
          <Button
            loading={isBusy}
            accessibilityLabel={t(waits ? "blocking.letRunOf" : "blocking.holdBackOf", { name })}
            onClick={() => submit({ vendor: name, waits: !waits, version })}
          >
            {t(waits ? "blocking.letRun" : "blocking.holdBack")}
          </Button>
        )}
      </InlineStack>
      {error && (
        <Banner tone="critical">
          <p>{error.message}</p>
        </Banner>
      )}
    </BlockStack>
  );
}
