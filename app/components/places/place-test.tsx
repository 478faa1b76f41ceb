// The test of a place: its button, what it found, and why it failed.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, Text } from "@shopify/polaris";
import type { Place, PlaceTest } from "../../domain/merchant/places.ts";
import { RelativeTime } from "../ui/relative-time.tsx";

type ButtonProps = { name: Place["name"]; isBusy: boolean; onTest: () => void };

export function TestButton({ name, isBusy, onTest }: ButtonProps) {
  const { t } = useTranslation("places");
  return (
    <Button
      loading={isBusy}
      accessibilityLabel={t("testOf", { place: t(`names.${name}.title`) })}
      onClick={onTest}
    >
      {t("test")}
    </Button>
  );
}

type ResultProps = {
  name: Place["name"];
  test: PlaceTest;
  /** What each state means. */
  texts: Partial<Record<string, string>>;
  /** Where nothing has been seen yet. */
  never: string;
};

export function TestResult({ name, test: { state, seenAt }, texts, never }: ResultProps) {
  const { t } = useTranslation("places");
  return (
    <BlockStack>
      <Text as="p" tone={state === "active" ? "success" : "critical"}>
        {texts[state]}
      </Text>
      <Text as="p">
        {seenAt ? (
          <>
            {t(`seen.${name}`)} <RelativeTime at={seenAt} />
          </>
        ) : (
          never
        )}
      </Text>
    </BlockStack>
  );
}

export function ActionProblem({ error }: { error: { message: string } | null }) {
  return error ? (
    <Text as="p" tone="critical">
      {error.message}
    </Text>
  ) : null;
}
