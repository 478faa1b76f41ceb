// The progress of a bulk change.
import { useTranslation } from "react-i18next";
import { Banner, BlockStack, Link, ProgressBar, Text, type BannerHandles } from "@shopify/polaris";
import { useEffect, useId, useRef } from "react";
import type { BulkRunState } from "../../../domain/customers/bulk/run-row.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { useJobProgress } from "../../hooks/use-job-progress.ts";
import { useLocale } from "../../i18n/locale.ts";
import { DateTime } from "../../ui/date-time.tsx";

type Props = {
  run: BulkRunState;
  /** Started on this page: the dialog's button, which had the focus, is gone. */
  isNew: boolean;
  onDismiss: () => void;
};

export default function BulkRunBanner({ run: started, isNew, onDismiss }: Props) {
  const { t } = useTranslation("customers");
  const locale = useLocale();
  const banner = useRef<BannerHandles>(null);
  const nameId = useId();
  useEffect(() => {
    if (isNew) banner.current?.focus();
  }, [isNew]);
  const run = useJobProgress(started, `/app/customers/tag-run?id=${started.id}`) ?? started;
  const count = (value: number) => formatCount(locale, value);
  const { kind } = started;
  // Several banners may say the same.
  const which = (
    <p>
      {kind === "tags" ? t("bulk.name") : t(`action.${kind}.title`)},{" "}
      <DateTime at={run.started_at} />
    </p>
  );
  const list = (
    <p>
      <Link url="/app/customers/changes">{t("bulk.list")}</Link>
    </p>
  );
  const cancel = useScreenAction("cancel_run", { action: "/app/customers?index" });
  const stop = kind !== "rules" && {
    action: {
      content: t("bulk.stop"),
      loading: cancel.isBusy || cancel.data !== null,
      onAction: () => cancel.submit({ id: run.id }),
    },
  };
  if (run.state === "cancelled")
    return (
      <Banner
        ref={banner}
        tone="info"
        title={t("bulk.stopped", { total: count(run.changed) })}
        onDismiss={onDismiss}
      >
        {which}
        <p>{t("bulk.stoppedText")}</p>
      </Banner>
    );
  if (run.state === "failed")
    return (
      <Banner
        ref={banner}
        tone="critical"
        title={kind === "tags" ? t("bulk.failed") : t("action.failed")}
        onDismiss={onDismiss}
      >
        {which}
        {list}
      </Banner>
    );
  if (run.state === "done")
    return (
      <Banner
        ref={banner}
        tone={run.refused > 0 ? "warning" : "success"}
        title={
          kind === "tags"
            ? t("bulk.done", { total: count(run.changed) })
            : t(`action.${kind}.done`, { total: count(run.changed) })
        }
        onDismiss={onDismiss}
      >
        {run.refused > 0 && (
          <>
            {which}
            <p>
              {kind === "tags"
                ? t("bulk.refused", { total: count(run.refused) })
                : t("action.refused", { total: count(run.refused) })}
            </p>
            {list}
          </>
        )}
      </Banner>
    );
  if (run.state === "waiting")
    return (
      <Banner ref={banner} tone="info" title={t("bulk.waiting")} {...stop}>
        {which}
        <p>{cancel.error?.message ?? t("bulk.waitingText", { total: count(run.total) })}</p>
      </Banner>
    );
  const progress = { done: count(run.processed), total: count(run.total) };
  const title =
    kind === "tags" ? t("bulk.running", progress) : t(`action.${kind}.running`, progress);
  return (
    <Banner ref={banner} tone="info" title={title} {...stop}>
      <BlockStack gap="200">
        <p>{cancel.error?.message ?? t("bulk.runningText")}</p>
        <ProgressBar
          progress={Math.min(100, Math.round((run.processed / Math.max(1, run.total)) * 100))}
          size="small"
          ariaLabelledBy={nameId}
        />
        <Text as="span" visuallyHidden id={nameId}>
          {title}
        </Text>
      </BlockStack>
    </Banner>
  );
}
