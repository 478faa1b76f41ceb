// A store without customers: the first import, and its progress.
import { useTranslation } from "react-i18next";
import { useRevalidator } from "@remix-run/react";
import { Card } from "@shopify/polaris";
import { EmptyState } from "../../ui/empty-state.tsx";
import type { SyncProgress } from "../../../domain/customers/sync/sync-request.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { useErrorMessage, useScreenAction } from "../../hooks/use-screen-action.ts";
import { usePolling } from "../../hooks/use-polling.ts";
import { useLocale } from "../../i18n/locale.ts";

export default function FirstSync({ sync }: { sync: SyncProgress | null }) {
  const { t } = useTranslation("customers");
  const locale = useLocale();
  const { submit, isBusy, error } = useScreenAction("sync");
  const messageOf = useErrorMessage();
  const { revalidate, state } = useRevalidator();
  const isRunning = sync?.state === "running";
  usePolling(isRunning, () => {
    if (state === "idle") revalidate();
  });
  const notices = {
    running: t("syncing", { total: formatCount(locale, sync?.read ?? 0) }),
    failed: sync?.problem ? messageOf(sync.problem) : null,
    done: t("nobodyYet"),
    never: null,
  }[sync?.state ?? "never"];
  return (
    <Card>
      <EmptyState
        heading={t("empty")}
        action={{ content: t("sync"), onAction: () => submit(), loading: isBusy || isRunning }}
      >
        <p>{t("emptyText")}</p>
        <div aria-live="polite">
          {notices && <p>{notices}</p>}
          {error && <p>{error.message}</p>}
        </div>
      </EmptyState>
    </Card>
  );
}
