// Names a view: a new one of what is shown, or one that is renamed.
import { useTranslation } from "react-i18next";
import { TextField } from "@shopify/polaris";
import { useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import type { ListState } from "./list-address.ts";

type Props = { onClose: () => void } & (
  { shown: ListState; renamed?: undefined } | { renamed: string; shown?: undefined }
);

export default function NameView({ shown, renamed, onClose }: Props) {
  const { t } = useTranslation("customers");
  const [name, setName] = useState(renamed ?? "");
  const title = renamed === undefined ? t("views.save") : t("views.rename");
  const { submit, isBusy, error } = useScreenAction(
    renamed === undefined ? "save_view" : "rename_view",
    {
      onSuccess() {
        onClose();
        showToast(renamed === undefined ? t("views.searchNotKept") : t("views.renamed"));
      },
    },
  );
  const problem = error?.code === "conflict" ? t("views.notSaved") : error?.message;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      primaryAction={{
        content: title,
        onAction: () =>
          submit(
            renamed === undefined
              ? { name: name.trim(), ...shown }
              : { name: renamed, to: name.trim() },
          ),
        loading: isBusy,
        disabled: name.trim() === "" || name.trim() === renamed,
      }}
      secondaryAction={{ content: t("bulk.close"), onAction: onClose }}
    >
      <TextField
        label={t("views.name")}
        value={name}
        onChange={setName}
        maxLength={40}
        autoComplete="off"
        {...(problem && { error: problem })}
      />
    </Dialog>
  );
}
