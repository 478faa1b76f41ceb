// A place: its name and state, what it is for, what it lacks, and when it was last seen at work.
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Button, Card, Text } from "@shopify/polaris";
import type { ReactNode } from "react";
import type { Place } from "../../domain/merchant/places.ts";
import { CardHeading } from "../ui/card-heading.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";

const TONES = {
  active: "success",
  off: "info",
  outdated: "warning",
  not_allowed: "info",
  not_connected: "warning",
  not_deployed: "info",
  unknown: "warning",
} as const;

export function PlaceCard({ place, children }: { place: Place; children: ReactNode }) {
  const { t } = useTranslation("places");
  const { name, state, scopes, seenAt, hasReceiver } = place;
  const help = (t(`help.${name}`, { returnObjects: true }) as Partial<Record<string, string>>)[
    state
  ];
  const isShown = state === "active" || seenAt !== null;
  return (
    <Card>
      <BlockStack gap="400">
        <CardHeading
          title={t(`names.${name}.title`)}
          status={{ tone: TONES[state], text: t(`states.${state}`) }}
        />
        <Text as="p">{t(`names.${name}.text`)}</Text>
        {state === "not_connected" && <Text as="p">{t("notConnected")}</Text>}
        {help && scopes.length === 0 && <Text as="p">{help}</Text>}
        {isShown && (
          <Text as="p" tone="subdued">
            {seenAt ? (
              <>
                {t(`seen.${name}`)} <RelativeTime at={seenAt} />
              </>
            ) : (
              t(`never.${name}`)
            )}
          </Text>
        )}
        {state === "active" && hasReceiver === false && (
          <Banner tone="warning">
            <BlockStack gap="200" inlineAlign="start">
              <p>{t("noReceiver")}</p>
              <Button url="/app/settings/integrations/analytics">{t("connectAnalytics")}</Button>
            </BlockStack>
          </Banner>
        )}
        {children}
      </BlockStack>
    </Card>
  );
}
