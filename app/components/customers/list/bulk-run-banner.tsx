// The progress of a bulk change. One banner for all states, so that it keeps the focus when the state
// changes; what it says is one component per state.
import { useTranslation } from "react-i18next";
import {
  Banner,
  BlockStack,
  Link,
  ProgressBar,
  Text,
  type BannerHandles,
  type BannerProps,
} from "@shopify/polaris";
import { useEffect, useId, useRef, type ReactNode } from "react";
import type { BulkRunState } from "../../../domain/customers/bulk/run-row.ts";
import { useJobProgress } from "../../hooks/use-job-progress.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { DateTime } from "../../ui/date-time.tsx";

type Props = {
  run: BulkRunState;
  /** Started on this page: the dialog's button, which had the focus, is gone. */
  isNew: boolean;
  onDismiss: () => void;
};

type ContentProps = {
  run: BulkRunState;
  title: string;
  /** Why the run could not be cancelled. */
  cancelProblem: string | undefined;
};

const ENDED: readonly BulkRunState["state"][] = ["done", "failed", "cancelled"];

export default function BulkRunBanner({ run: started, isNew, onDismiss }: Props) {
  const { t } = useTranslation("customers");
  const banner = useRef<BannerHandles>(null);
  useEffect(() => {
    if (isNew) banner.current?.focus();
  }, [isNew]);
  const run = useJobProgress(started, `/app/customers/tag-run?id=${started.id}`) ?? started;
  const cancel = useScreenAction("cancel_run", { action: "/app/customers?index" });
  const title = useTitle(run);
  const hasEnded = ENDED.includes(run.state);
  return (
    <Banner
      ref={banner}
      tone={toneOf(run)}
      title={title}
      {...(hasEnded && { onDismiss })}
      {...(!hasEnded &&
        run.kind !== "rules" && {
          action: {
            content: t("bulk.stop"),
            loading: cancel.isBusy || cancel.data !== null,
            onAction: () => cancel.submit({ id: run.id }),
          },
        })}
    >
      {contentOf({ run, title, cancelProblem: cancel.error?.message })}
    </Banner>
  );
}

function toneOf({ state, refused }: BulkRunState): NonNullable<BannerProps["tone"]> {
  if (state === "failed") return "critical";
  if (state === "done") return refused > 0 ? "warning" : "success";
  return "info";
}

function useTitle({ kind, state, changed, processed, total }: BulkRunState): string {
  const { t } = useTranslation("customers");
  const count = useCount();
  const counts = { total: count(changed) };
  const progress = { done: count(processed), total: count(total) };
  switch (state) {
    case "cancelled":
      return t("bulk.stopped", counts);
    case "failed":
      return kind === "tags" ? t("bulk.failed") : t("action.failed");
    case "done":
      return kind === "tags" ? t("bulk.done", counts) : t(`action.${kind}.done`, counts);
    case "waiting":
      return t("bulk.waiting");
    default:
      return kind === "tags" ? t("bulk.running", progress) : t(`action.${kind}.running`, progress);
  }
}

/** Null, not an empty component: a banner without content is only its title. */
function contentOf(props: ContentProps): ReactNode {
  switch (props.run.state) {
    case "cancelled":
      return <Cancelled {...props} />;
    case "failed":
      return <Failed {...props} />;
    case "done":
      return props.run.refused > 0 ? <DoneWithRefusals {...props} /> : null;
    case "waiting":
      return <Waiting {...props} />;
    default:
      return <Running {...props} />;
  }
}

function Cancelled({ run }: ContentProps) {
  const { t } = useTranslation("customers");
  return (
    <>
      <WhichRun run={run} />
      <p>{t("bulk.stoppedText")}</p>
    </>
  );
}

function Failed({ run }: ContentProps) {
  return (
    <>
      <WhichRun run={run} />
      <AllRunsLink />
    </>
  );
}

function DoneWithRefusals({ run }: ContentProps) {
  const { t } = useTranslation("customers");
  const count = useCount();
  const refused = { total: count(run.refused) };
  return (
    <>
      <WhichRun run={run} />
      <p>{run.kind === "tags" ? t("bulk.refused", refused) : t("action.refused", refused)}</p>
      <AllRunsLink />
    </>
  );
}

function Waiting({ run, cancelProblem }: ContentProps) {
  const { t } = useTranslation("customers");
  const count = useCount();
  return (
    <>
      <WhichRun run={run} />
      <p>{cancelProblem ?? t("bulk.waitingText", { total: count(run.total) })}</p>
    </>
  );
}

function Running({ run, title, cancelProblem }: ContentProps) {
  const { t } = useTranslation("customers");
  const nameId = useId();
  return (
    <BlockStack gap="200">
      <p>{cancelProblem ?? t("bulk.runningText")}</p>
      <ProgressBar
        progress={Math.min(100, Math.round((run.processed / Math.max(1, run.total)) * 100))}
        size="small"
        ariaLabelledBy={nameId}
      />
      <Text as="span" visuallyHidden id={nameId}>
        {title}
      </Text>
    </BlockStack>
  );
}

/** Several banners may say the same: what was started, and when. */
function WhichRun({ run: { kind, started_at: startedAt } }: { run: BulkRunState }) {
  const { t } = useTranslation("customers");
  return (
    <p>
      {kind === "tags" ? t("bulk.name") : t(`action.${kind}.title`)}, <DateTime at={startedAt} />
    </p>
  );
}

function AllRunsLink() {
  const { t } = useTranslation("customers");
  return (
    <p>
      <Link url="/app/customers/changes">{t("bulk.list")}</Link>
    </p>
  );
}

function useCount(): (value: number) => string {
  const locale = useLocale();
  return (value) => formatCount(locale, value);
}
