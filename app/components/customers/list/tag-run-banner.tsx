// The progress of a bulk change of tags.
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, ProgressBar } from "@shopify/polaris";
import type { TagRunState } from "../../../domain/customers/list/tag-runs.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { useJobProgress } from "../../hooks/use-job-progress.ts";
import { useLocale } from "../../i18n/locale.ts";

export default function TagRunBanner({
  run: started,
  onDismiss,
}: {
  run: TagRunState;
  onDismiss: () => void;
}) {
  const { t } = useTranslation("customers");
  const locale = useLocale();
  const run = useJobProgress(started, `/app/customers/tag-run?id=${started.id}`) ?? started;
  const count = (value: number) => formatCount(locale, value);
  if (run.state === "failed")
    return <Banner tone="critical" title={t("bulk.failed")} onDismiss={onDismiss} />;
  if (run.state === "done")
    return (
      <Banner
        tone={run.refused > 0 ? "warning" : "success"}
        title={t("bulk.done", { total: count(run.changed) })}
        onDismiss={onDismiss}
      >
        {run.refused > 0 && <p>{t("bulk.refused", { total: count(run.refused) })}</p>}
      </Banner>
    );
  return (
    <Banner
      tone="info"
      title={t("bulk.running", { done: count(run.processed), total: count(run.total) })}
    >
      <BlockStack gap="200">
        <p>{t("bulk.runningText")}</p>
        <ProgressBar
          progress={Math.min(100, Math.round((run.processed / Math.max(1, run.total)) * 100))}
          size="small"
          ariaLabelledBy={undefined}
        />
      </BlockStack>
    </Banner>
  );
}
