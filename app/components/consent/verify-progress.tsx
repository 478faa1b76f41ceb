import { useTranslation } from "react-i18next";
import { BlockStack, ProgressBar, Text } from "@shopify/polaris";
import { formatCount } from "../i18n/format-number.ts";
import { useLocale } from "../i18n/locale.ts";
import { useLabelled } from "../i18n/use-labelled.ts";

/** How far a check of the log is, in entries. */
export default function VerifyProgress({ rows, of }: { rows: number; of: number }) {
  const { t } = useTranslation("consent");
  const labelled = useLabelled();
  const locale = useLocale();
  const progress = t("verify.progress", {
    rows: formatCount(locale, rows),
    of: formatCount(locale, of),
  });
  return (
    <BlockStack gap="200">
      <ProgressBar
        progress={of > 0 ? Math.round((rows / of) * 100) : 0}
        size="small"
        ariaLabelledBy="verify-progress"
      />
      <Text as="p" id="verify-progress">
        {labelled(t("verify.running"), progress)}
      </Text>
    </BlockStack>
  );
}
