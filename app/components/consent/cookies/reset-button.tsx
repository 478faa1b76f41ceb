// Deletes a row that the merchant added, or undoes the change of a known one.
import { useTranslation } from "react-i18next";
import { Text } from "@shopify/polaris";
import { ActionAlert } from "../../frame/action-alert.tsx";
import type { ListedCookie } from "../../../domain/cookie-list/cookie-list.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { useLabelled } from "../../i18n/use-labelled.ts";
import { ConfirmButton } from "../../ui/confirm-button.tsx";
import { showToast } from "../../ui/toast.ts";

export function ResetButton({ cookie: { provider, name, origin } }: { cookie: ListedCookie }) {
  const { t } = useTranslation("cookie-list");
  const labelled = useLabelled();
  const kind = origin === "own" ? "delete" : "undo";
  const { submit, isBusy, error } = useScreenAction("reset", {
    onSuccess: () => showToast(t(`${kind}.done`)),
  });
  return (
    <>
      <ConfirmButton
        label={t(`${kind}.button`)}
        accessibilityLabel={labelled(t(`${kind}.button`), name)}
        title={t(`${kind}.title`, { name })}
        confirm={t(`${kind}.button`)}
        isDestructive={kind === "delete"}
        isBusy={isBusy}
        onConfirm={() => submit({ provider, name })}
        variant="plain"
      >
        <Text as="p">{t(`${kind}.text`)}</Text>
      </ConfirmButton>
      {error && <ActionAlert>{error.message}</ActionAlert>}
    </>
  );
}
