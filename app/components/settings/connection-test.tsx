// The button that tests a connection, and the result of the last test.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, InlineStack, Text } from "@shopify/polaris";
import type { ConnectionTest as Result } from "../../domain/merchant/connection-tests.ts";
import { useFailureText } from "../events/failure-text.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { formatCount } from "../i18n/format-number.ts";
import { labelOf } from "../i18n/label-of.ts";
import { useLabelled } from "../i18n/use-labelled.ts";
import { useLocale } from "../i18n/locale.ts";
import { DateTime } from "../ui/date-time.tsx";
import { isSessionOrNetwork } from "./form-result.tsx";

type Props = {
  system: string;
  /** Where the button posts; by default the page's own address. */
  action?: string;
  /** The result of an earlier visit. */
  last?: Result | null;
  /** There are changes that are not saved: the test uses what is saved. */
  isDirty: boolean;
};

export function ConnectionTest({ system, action, last = null, isDirty }: Props) {
  const { t } = useTranslation("settings");
  const labelled = useLabelled();
  const {
    submit,
    isBusy,
    data: tested,
    error,
  } = useScreenAction<Result>("test", action ? { action } : {});
  const shown = tested ?? last;
  return (
    <BlockStack gap="200">
      <InlineStack>
        <Button loading={isBusy} disabled={isDirty} onClick={() => submit({ system })}>
          {labelled(t("test.button"), labelOf(t("test.systems", { returnObjects: true }), system))}
        </Button>
      </InlineStack>
      <div aria-live="polite">
        {isDirty && (
          <Text as="p" tone="subdued">
            {t("test.first")}
          </Text>
        )}
        {!isDirty && error && (
          <Text as="p" tone="critical">
            {isSessionOrNetwork(error.code) ? t(error.code) : error.message}
          </Text>
        )}
        {!isDirty && !error && shown && <TestResult test={shown} />}
      </div>
    </BlockStack>
  );
}

function TestResult({ test: { ok, at, latency_ms: ms, failure, to } }: { test: Result }) {
  const { t } = useTranslation("settings");
  const failureText = useFailureText();
  const locale = useLocale();
  const resultText = () => {
    if (!ok) return t("test.fails", { reason: failure ? failureText(failure) : "" });
    return to ? t("test.mailed", { to }) : t("test.works", { ms: formatCount(locale, ms) });
  };
  return (
    <BlockStack>
      <Text as="p" tone={ok ? "success" : "critical"} breakWord>
        {resultText()}
      </Text>
      <Text as="p" tone="subdued">
        {t("test.at")} <DateTime at={at} />
      </Text>
    </BlockStack>
  );
}
