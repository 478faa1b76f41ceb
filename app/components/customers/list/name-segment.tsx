// Names a segment of what the list shows.
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { TextField } from "@shopify/polaris";
import { useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.ts";
import type { ActionError } from "../../../http/screens/screen-actions.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import type { ListState } from "./list-address.ts";

type Props = {
  shown: ListState;
  hasSearch: boolean;
  onSaved: (id: string) => void;
  onClose: () => void;
};

export default function NameSegment({ shown, hasSearch, onSaved, onClose }: Props) {
  const { t } = useTranslation("customers");
  const [name, setName] = useState("");
  const { submit, isBusy, error } = useScreenAction<{ id: string }>("create_segment", {
    onSuccess({ id }) {
      showToast(t("segments.saved"));
      onSaved(id);
    },
  });
  const problem = error && problemOf(t, error);
  return (
    <Dialog
      title={t("segments.save")}
      onClose={onClose}
      primaryAction={{
        content: t("segments.save"),
        onAction: () => submit({ name: name.trim(), ...shown }),
        loading: isBusy,
        disabled: name.trim() === "",
      }}
      secondaryAction={{ content: t("bulk.close"), onAction: onClose }}
    >
      <TextField
        label={t("segments.name")}
        value={name}
        onChange={setName}
        maxLength={40}
        autoComplete="off"
        helpText={hasSearch ? t("segments.searchNotKept") : undefined}
        {...(problem && { error: problem, focused: true })}
      />
    </Dialog>
  );
}

function problemOf(t: TFunction<"customers">, error: ActionError): string {
  if (error.code !== "conflict") return error.message;
  return error.fields?.name ? t("segments.nameTaken") : t("segments.tooMany");
}
