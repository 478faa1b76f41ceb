// How far a bulk change is, why it failed, and its Stop button.
import { useTranslation } from "react-i18next";
import { Badge, BlockStack, Button, ProgressBar, Text } from "@shopify/polaris";
import { ActionAlert } from "../../frame/action-alert.tsx";
import { useId, useRef } from "react";
import type { ListedRun } from "../../../domain/customers/bulk/list-runs.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { WrappingText } from "../../ui/layout.tsx";

const TONES = {
  waiting: "info",
  running: "info",
  done: "success",
  cancelled: "warning",
  failed: "critical",
} as const;

type Props = { run: ListedRun; change: string };

export const isOpen = ({ state }: ListedRun): boolean => state === "waiting" || state === "running";

export function ChangeState({ run, change }: Props) {
  const { t } = useTranslation("changes");
  const state = useRef<HTMLDivElement>(null);
  // The button disappears when the change has stopped: the focus moves to the state, or it would be lost.
  const cancel = useScreenAction("cancel_run", { onSuccess: () => state.current?.focus() });
  return (
    <WrappingText>
      <BlockStack gap="200" inlineAlign="start">
        <div ref={state} tabIndex={-1} aria-live="polite">
          <Badge tone={TONES[run.state]}>{t(`states.${run.state}`)}</Badge>
        </div>
        {run.state === "running" && <Progress run={run} change={change} />}
        {run.problem !== null && <Text as="span">{t(`problems.${run.problem}`)}</Text>}
        {isOpen(run) && run.kind !== "rules" && (
          <Button
            size="slim"
            loading={cancel.isBusy || cancel.data !== null}
            accessibilityLabel={t("stopOf", { change })}
            onClick={() => cancel.submit({ id: run.id })}
          >
            {t("stop")}
          </Button>
        )}
        {cancel.error && <ActionAlert>{cancel.error.message}</ActionAlert>}
      </BlockStack>
    </WrappingText>
  );
}

function Progress({ run, change }: Props) {
  const { t } = useTranslation("changes");
  const locale = useLocale();
  const nameId = useId();
  const done = formatCount(locale, run.processed);
  return (
    <div style={{ width: "100%" }}>
      <BlockStack gap="100">
        <Text as="span">{t("progress", { done, total: formatCount(locale, run.total) })}</Text>
        <ProgressBar
          progress={Math.min(100, Math.round((run.processed / Math.max(1, run.total)) * 100))}
          size="small"
          ariaLabelledBy={nameId}
        />
        <Text as="span" visuallyHidden id={nameId}>
          {t("progressOf", { change })}
        </Text>
      </BlockStack>
    </div>
  );
}
