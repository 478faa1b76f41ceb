// Opens the editor of the customer accounts, and looks whether a customer has opened the extension.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, InlineStack } from "@shopify/polaris";
import type { Place, PlaceTest } from "../../domain/merchant/places.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { ActionProblem, TestButton, TestResult } from "./place-test.tsx";

export function AccountButtons({ place: { name, openUrl } }: { place: Place }) {
  const { t } = useTranslation("places");
  const test = useScreenAction<PlaceTest>("test_accounts");
  return (
    <BlockStack gap="300">
      <InlineStack gap="200">
        <Button url={openUrl} target="_blank">
          {t(`open.${name}`)}
        </Button>
        <TestButton name={name} isBusy={test.isBusy} onTest={() => test.submit()} />
      </InlineStack>
      <div aria-live="polite">
        {test.data && (
          <TestResult
            name={name}
            test={test.data}
            texts={t("results.customer_account", { returnObjects: true })}
            never={t("never.customer_account")}
          />
        )}
        <ActionProblem error={test.error} />
      </div>
    </BlockStack>
  );
}
