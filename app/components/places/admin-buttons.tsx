// Opens the customers of the store admin, and looks whether the block was shown there.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, InlineStack } from "@shopify/polaris";
import type { Place, PlaceTest } from "../../domain/merchant/places.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { ActionProblem, TestButton, TestResult } from "./place-test.tsx";

export function AdminButtons({ place: { name, openUrl } }: { place: Place }) {
  const { t } = useTranslation("places");
  const test = useScreenAction<PlaceTest>("test_admin_customer");
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
            texts={t("results.admin_customer", { returnObjects: true })}
            never={t("never.admin_customer")}
          />
        )}
        <ActionProblem error={test.error} />
      </div>
    </BlockStack>
  );
}
