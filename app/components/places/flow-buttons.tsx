// Opens Shopify Flow and the switch of its triggers, and looks whether both can work.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, InlineStack, Text } from "@shopify/polaris";
import type { Place, PlaceTest } from "../../domain/merchant/places.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { RelativeTime } from "../ui/relative-time.tsx";

export function FlowButtons({ place: { name, openUrl } }: { place: Place }) {
  const { t } = useTranslation("places");
  const test = useScreenAction<PlaceTest>("test_flow");
  return (
    <BlockStack gap="300">
      <InlineStack gap="200">
        <Button url="/app/settings/integrations/flow">{t("triggers")}</Button>
        <Button url={openUrl} target="_blank">
          {t(`open.${name}`)}
        </Button>
        <Button
          loading={test.isBusy}
          accessibilityLabel={t("testOf", { place: t(`names.${name}.title`) })}
          onClick={() => test.submit()}
        >
          {t("test")}
        </Button>
      </InlineStack>
      <div aria-live="polite">
        {test.data && <TestResult {...test.data} />}
        {test.error && (
          <Text as="p" tone="critical">
            {test.error.message}
          </Text>
        )}
      </div>
    </BlockStack>
  );
}

function TestResult({ state, seenAt }: PlaceTest) {
  const { t } = useTranslation("places");
  const results = t("results.flow", { returnObjects: true }) as Partial<Record<string, string>>;
  return (
    <BlockStack>
      <Text as="p" tone={state === "active" ? "success" : "critical"}>
        {results[state]}
      </Text>
      <Text as="p">
        {seenAt ? (
          <>
            {t("seen.flow")} <RelativeTime at={seenAt} />
          </>
        ) : (
          t("never.flow")
        )}
      </Text>
    </BlockStack>
  );
}
