// Suspends, reactivates, exports by request or erases many customers: the preview, then the run.
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { BlockStack, Text, TextField } from "@shopify/polaris";
import { useEffect, useRef, useState } from "react";
import type { ActionPreview, Confirmable } from "../../../domain/customers/bulk/preview-run.ts";
import type { CustomerAction } from "../../../domain/customers/bulk/run-inputs.ts";
import type { BulkRunState } from "../../../domain/customers/bulk/run-row.ts";
import type { ActionError } from "../../../http/screens/screen-actions.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { formatCount } from "../../i18n/format-number.ts";
import { useLocale } from "../../i18n/locale.ts";
import { ActionAlert } from "../../frame/action-alert.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import type { Selection } from "./bulk-actions.tsx";

type Props = {
  kind: CustomerAction | "profile";
  selection: Selection;
  onStarted: (run: BulkRunState) => void;
  onClose: () => void;
};

export default function BulkAction({ kind, selection, onStarted, onClose }: Props) {
  const { t } = useTranslation("customers");
  const locale = useLocale();
  const [typed, setTyped] = useState("");
  const preview = useScreenAction<Confirmable<ActionPreview>>("preview_action");
  const start = useScreenAction<{ run: BulkRunState }>("start_action", {
    onSuccess: ({ run }) => onStarted(run),
  });
  const counts = preview.data?.preview;
  const ask = useRef(() => preview.submit({ kind, selection }));
  useEffect(() => ask.current(), []);
  const isErasure = kind === "erase";
  const count = (value: number) => formatCount(locale, value);
  const isConfirmed = !isErasure || typed.replace(/\D/g, "") === String(counts?.changing);
  const error = start.error ?? preview.error;
  return (
    <Dialog
      onClose={onClose}
      title={t(`action.${kind}.title`)}
      primaryAction={{
        content: t(`action.${kind}.confirm`, { total: counts ? count(counts.changing) : "…" }),
        onAction: () =>
          start.submit({
            kind,
            selection,
            request_id: preview.data?.request_id,
            ...(isErasure && { typed }),
          }),
        loading: preview.isBusy || start.isBusy,
        disabled: !counts || counts.changing === 0 || !isConfirmed,
        destructive: isErasure || kind === "suspend",
      }}
      secondaryAction={{ content: t("bulk.close"), onAction: onClose }}
    >
      <BlockStack gap="300">
        <Text as="p">{t(`action.${kind}.text`)}</Text>
        <div aria-live="polite">
          {counts && (
            <Text as="p" fontWeight="semibold">
              {counts.changing === 0
                ? t("bulk.nothing")
                : t("bulk.changing", {
                    changing: count(counts.changing),
                    total: count(counts.total),
                  })}
            </Text>
          )}
        </div>
        {isErasure && counts !== undefined && counts.changing > 0 && (
          <TextField
            label={t("action.typed", { total: count(counts.changing) })}
            value={typed}
            onChange={setTyped}
            inputMode="numeric"
            autoComplete="off"
            maxLength={20}
          />
        )}
        {error && <ActionAlert>{problemOf(t, error)}</ActionAlert>}
      </BlockStack>
    </Dialog>
  );
}

function problemOf(t: TFunction<"customers">, error: ActionError): string {
  if (error.code === "conflict") return t("action.changed");
  return error.fields?.selection ? t("action.tooMany") : error.message;
}
