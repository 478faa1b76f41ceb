// A place that is opened and looked at, and has nothing to switch here.
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { BlockStack, Button, InlineStack } from "@shopify/polaris";
import type { Place, PlaceTest } from "../../domain/merchant/places.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { ActionProblem, TestButton, TestResult } from "./place-test.tsx";

type Props = {
  place: Place;
  /** The screen's action that looks. */
  action: "test_accounts" | "test_admin_customer" | "test_flow";
  /** What each state means, and what is shown where nothing has been seen yet. */
  texts: Partial<Record<string, string>>;
  never: string;
  /** Buttons before the others. */
  children?: ReactNode;
};

export function TestedPlaceButtons({ place, action, texts, never, children }: Props) {
  const { name, openUrl } = place;
  const { t } = useTranslation("places");
  const test = useScreenAction<PlaceTest>(action);
  return (
    <BlockStack gap="300">
      <InlineStack gap="200">
        {children}
        <Button url={openUrl} target="_blank">
          {t(`open.${name}`)}
        </Button>
        <TestButton name={name} isBusy={test.isBusy} onTest={() => test.submit()} />
      </InlineStack>
      <div aria-live="polite">
        {test.data && <TestResult name={name} test={test.data} texts={texts} never={never} />}
        <ActionProblem error={test.error} />
      </div>
    </BlockStack>
  );
}
