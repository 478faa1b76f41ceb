// Chooses tags for one customer, from the store's tags or new ones.
import { useTranslation } from "react-i18next";
import { useState } from "react";
import { Dialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.ts";
import { useScreenAction } from "../../hooks/use-screen-action.ts";
import { TagPicker } from "../tag-picker.tsx";

type Props = { known: readonly { slug: string; name: string }[]; onClose: () => void };

export function AddTagsModal({ known, onClose }: Props) {
  const { t } = useTranslation("customer");
  const [chosen, setChosen] = useState<string[]>([]);
  const { submit, isBusy, error } = useScreenAction("tags", {
    onSuccess() {
      onClose();
      showToast(t("tagsSaved"));
    },
  });
  return (
    <Dialog
      title={t("addTag")}
      onClose={onClose}
      primaryAction={{
        content: t("addTag"),
        onAction: () => submit({ add: chosen }),
        loading: isBusy,
        disabled: chosen.length === 0,
      }}
      secondaryAction={{ content: t("cancel"), onAction: onClose }}
    >
      <TagPicker
        known={known}
        chosen={chosen}
        onChange={setChosen}
        canMake
        error={error?.message ?? null}
      />
    </Dialog>
  );
}
