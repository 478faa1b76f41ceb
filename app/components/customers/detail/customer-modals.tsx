// Confirmation dialogs for suspending an account and erasing a customer.
import { useTranslation } from "react-i18next";
import { Text } from "@shopify/polaris";
import { EraseDialog } from "../../privacy/erase-dialog.tsx";
import { ActionAlert } from "../../frame/action-alert.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import type { CustomerView } from "./detail-shape.ts";

type Props = { onClose: () => void };

export function SuspendModal({ onClose }: Props) {
  const { t } = useTranslation("customer");
  const { submit, isBusy, error } = useClosingAction("status", t("suspended"), onClose);
  return (
    <Dialog
      title={t("suspendTitle")}
      onClose={onClose}
      primaryAction={{
        content: t("suspend"),
        destructive: true,
        loading: isBusy,
        onAction: () => submit({ status: "suspended" }),
      }}
      secondaryAction={{ content: t("cancel"), onAction: onClose }}
    >
      <Text as="p">{t("suspendText")}</Text>
      {error && <ActionAlert>{error.message}</ActionAlert>}
    </Dialog>
  );
}

export function EraseModal({ customer, onClose }: Props & { customer: CustomerView }) {
  const { t } = useTranslation("customer");
  const { submit, isBusy, error } = useClosingAction("erase", t("erasing"), onClose);
  return (
    <EraseDialog
      phrase={customer.confirmationPhrase}
      isBusy={isBusy}
      error={error}
      onErase={(typed) => submit({ typed })}
      onClose={onClose}
    />
  );
}

/** Closes the dialog on success; an error is shown inside it. */
function useClosingAction(intent: string, successText: string, onClose: () => void) {
  return useScreenAction(intent, {
    onSuccess() {
      onClose();
      showToast(successText);
    },
  });
}
