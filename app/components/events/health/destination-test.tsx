import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Button, InlineStack, Text } from "@shopify/polaris";
import type { Failure } from "../../../domain/bus/log/failure-kind.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { WrappingText } from "../../ui/layout.tsx";
import { useFailureText } from "../failure-text.ts";

type Probe = { ok: boolean; latency_ms: number; failure: Failure | null };

/** Calls the system once; its result is shown below the button. */
export function DestinationTest({ name, label }: { name: string; label: string }) {
  const { t } = useTranslation("events");
  const failureText = useFailureText();
  const locale = useLocale();
  const { submit, isBusy, data: probe, error } = useScreenAction<Probe>("test");
  return (
    <BlockStack gap="200">
      <InlineStack>
        <Button
          size="slim"
          loading={isBusy}
          accessibilityLabel={t("testOf", { channel: label })}
          onClick={() => submit({ channel: name })}
        >
          {t("test")}
        </Button>
      </InlineStack>
      <div aria-live="polite">
        <WrappingText>
          {error && (
            <Banner tone="critical">
              <p>{error.message}</p>
            </Banner>
          )}
          {probe &&
            (probe.ok ? (
              <Text as="p" tone="success">
                {t("works", { ms: formatCount(locale, probe.latency_ms) })}
              </Text>
            ) : (
              <Text as="p" tone="critical">
                {failureText(probe.failure ?? { kind: "other", about: null, http_status: null })}
              </Text>
            ))}
        </WrappingText>
      </div>
    </BlockStack>
  );
}
