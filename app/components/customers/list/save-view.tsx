import { useTranslation } from "react-i18next";
import { TextField } from "@shopify/polaris";
import { useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import type { ListState } from "./list-address.ts";

export default function SaveView({ shown, onClose }: { shown: ListState; onClose: () => void }) {
  const { t } = useTranslation("customers");

  const [name, setName] = useState("");
  const { submit, isBusy, error } = useScreenAction("save_view", {
    onSuccess() {
      onClose();
      if (t("views.searchNotKept")) showToast(t("views.searchNotKept"));
    },
  });
  const problem = error?.code === "conflict" ? t("views.notSaved") : error?.message;
  return (
    <Dialog
      title={t("views.save")}
      onClose={onClose}
      primaryAction={{
        content: t("views.save"),
        onAction: () => submit({ name: name.trim(), ...shown }),
        loading: isBusy,
        disabled: name.trim() === "",
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
