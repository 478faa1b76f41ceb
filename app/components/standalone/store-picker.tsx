import { useTranslation } from "react-i18next";
import { BlockStack, Card, Text } from "@shopify/polaris";
import { HydrationGate } from "../frame/hydration-gate.tsx";
import { StandalonePage } from "./standalone-frame.tsx";
import type { StoreRow } from "../../domain/merchant/setup-state.ts";
import { StoreField, StoreList } from "./store-list.tsx";
import { useLabelled } from "../i18n/use-labelled.ts";

/** For a page about one store whose URL names none, or an unregistered one. */
export function StorePicker({
  path,
  title,
  stores,
  unknown,
}: {
  path: string;
  title: string;
  stores: { rows: StoreRow[]; next: string | null };
  unknown?: string | null;
}) {
  const { t } = useTranslation("standalone");
  const labelled = useLabelled();
  return (
    <StandalonePage title={title} shop={null}>
      <Card>
        <BlockStack gap="400">
          <Text as="h2" variant="headingMd">
            {t("picker.title")}
          </Text>
          <Text as="p" {...(unknown && { tone: "critical" as const })}>
            {unknown ? labelled(unknown, t("picker.unknown")) : t("picker.text")}
          </Text>
          <StoreList stores={stores} path={path} />
          <HydrationGate>
            <StoreField path={path} label={t("picker.open")} />
          </HydrationGate>
        </BlockStack>
      </Card>
    </StandalonePage>
  );
}
