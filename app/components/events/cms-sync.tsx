// Writes all customers to the CMS again, as a background job.
import { useTranslation } from "react-i18next";
import { BlockStack, Button, InlineStack, Spinner, Text } from "@shopify/polaris";
import { useFailureText } from "./failure-text.ts";
import type { CmsSyncRun } from "../../domain/channels/cms/sync-run.ts";
import { formatCount } from "../i18n/format-number.ts";
import { DateTime } from "../ui/date-time.tsx";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { useJobProgress } from "../hooks/use-job-progress.ts";
import { useLocale } from "../i18n/locale.ts";

export function CmsSync({ known }: { known: CmsSyncRun | null }) {
  const { t } = useTranslation("events");
  const locale = useLocale();
  const { submit, isBusy, error } = useScreenAction("sync_cms", { action: "/app/events?index" });
  const latest = useJobProgress(known, "/app/events/cms-sync");
  const isRunning = latest?.state === "running";
  return (
    <BlockStack gap="200">
      <InlineStack>
        <Button size="slim" loading={isBusy} disabled={isRunning} onClick={() => submit()}>
          {t("cmsSync.button")}
        </Button>
      </InlineStack>
      <div aria-live="polite">
        {error && (
          <Text as="p" tone="critical">
            {error.message}
          </Text>
        )}
        {isRunning && (
          <InlineStack gap="200" blockAlign="center">
            <Spinner size="small" accessibilityLabel={t("cmsSync.button")} />
            <Text as="span">
              {t("cmsSync.running", { seen: formatCount(locale, latest.progress?.processed ?? 0) })}
            </Text>
          </InlineStack>
        )}
        {latest && !isRunning && <SyncProgress run={latest} />}
      </div>
    </BlockStack>
  );
}

function SyncProgress({ run }: { run: CmsSyncRun }) {
  const { t } = useTranslation("events");
  const failureText = useFailureText();

  const locale = useLocale();
  const { result } = run;
  if (!result)
    return (
      <Text as="p" tone="critical">
        {t("cmsSync.failed")}
      </Text>
    );
  if (result.outcome === "busy") return <Text as="p">{t("cmsSync.busy")}</Text>;
  const { processed, created, updated, failed } = result.counts;
  const lines = [
    t("cmsSync.done", {
      seen: formatCount(locale, processed),
      written: formatCount(locale, created + updated),
    }),
    failed > 0 && t("cmsSync.refused", { failed: formatCount(locale, failed) }),
    result.outcome === "unfinished" && t("cmsSync.unfinished"),
    result.failure && failureText(result.failure),
  ];
  return (
    <Text
      as="p"
      variant="bodySm"
      {...(result.outcome === "failed" && { tone: "critical" as const })}
    >
      {lines.filter(Boolean).join(" ")} <DateTime at={run.finished_at ?? run.started_at} />
    </Text>
  );
}
