import { useTranslation } from "react-i18next";
import { Banner, BlockStack, ProgressBar, Text } from "@shopify/polaris";
import type { Replay } from "../../domain/bus/dead-letters/replay-run.ts";
import { formatCount } from "../i18n/format-number.ts";
import { DateTime } from "../ui/date-time.tsx";
import { useLocale } from "../i18n/locale.ts";
import { useLabelled } from "../i18n/use-labelled.ts";

export function ReplayStatus({ run }: { run: Replay }) {
  const { t } = useTranslation("events");
  const labelled = useLabelled();
  const locale = useLocale();
  const { requeued, of } = run.result ?? run.progress ?? { requeued: 0, of: 0 };
  const [done, all] = [formatCount(locale, requeued), formatCount(locale, of)];
  if (run.state === "running")
    return (
      <BlockStack gap="200">
        <ProgressBar
          progress={of > 0 ? Math.round((requeued / of) * 100) : 0}
          size="small"
          ariaLabelledBy="replay-progress"
        />
        <Text as="p" id="replay-progress">
          {t("replay.running", { done, of: all })}
        </Text>
      </BlockStack>
    );
  if (run.state !== "done")
    return (
      <Banner tone="critical">
        <p>
          {run.state === "failed"
            ? t("replay.failed", { done, of: all })
            : t("replay.interrupted", { done, of: all })}
        </p>
      </Banner>
    );
  const left = of - requeued;
  return (
    <Banner tone={left > 0 ? "warning" : "success"}>
      <p>
        {labelled(t("replay.last"))} <DateTime at={run.finished_at ?? run.started_at} />.{" "}
        {t("replay.done", { done, of: all })}{" "}
        {left > 0 && t("replay.partly", { count: left, left: formatCount(locale, left) })}
      </p>
    </Banner>
  );
}
