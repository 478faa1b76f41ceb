// Renames or deletes a segment.
import { useTranslation } from "react-i18next";
import { BlockStack, Text, TextField } from "@shopify/polaris";
import { useState } from "react";
import type { ListedSegment } from "../../domain/customers/segments/list-segments.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";
import { ActionAlert } from "../frame/action-alert.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { showToast } from "../ui/toast.ts";

type Props = { action: "rename" | "delete"; segment: ListedSegment; onClose: () => void };

export default function EditSegment({ action, segment, onClose }: Props) {
  const { t } = useTranslation("segments");
  const [name, setName] = useState(segment.name);
  // The version that was shown when this opened: the page behind may learn of a newer one.
  const [version] = useState(segment.version);
  const { submit, isBusy, error } = useScreenAction(action, {
    onSuccess() {
      onClose();
      showToast(action === "rename" ? t("renamed") : t("deleted"));
    },
  });
  const problemText = () => {
    if (error?.fields?.version) return t("changedMeanwhile");
    if (error?.fields?.name && error.code === "conflict") return t("nameTaken");
    return error?.code === "not_found" ? t("gone") : error?.message;
  };
  const problem = problemText();
  const isRename = action === "rename";
  return (
    <Dialog
      title={isRename ? t("actions.rename") : t("deleteTitle", { name: segment.name })}
      onClose={onClose}
      primaryAction={{
        content: isRename ? t("actions.rename") : t("actions.delete"),
        onAction: () => submit({ id: segment.id, ...(isRename && { version, name: name.trim() }) }),
        loading: isBusy,
        destructive: !isRename,
        disabled: isRename && (name.trim() === "" || name.trim() === segment.name),
      }}
      secondaryAction={{ content: t("cancel"), onAction: onClose }}
    >
      {isRename ? (
        <TextField
          label={t("name")}
          value={name}
          onChange={setName}
          maxLength={40}
          autoComplete="off"
          {...(problem && { error: problem, focused: true })}
        />
      ) : (
        <BlockStack gap="200">
          <Text as="p">{t("deleteText")}</Text>
          {problem && <ActionAlert>{problem}</ActionAlert>}
        </BlockStack>
      )}
    </Dialog>
  );
}
