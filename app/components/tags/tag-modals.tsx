// Creates, renames and deletes a tag.
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { BlockStack, Select, Text, TextField } from "@shopify/polaris";
import { useState } from "react";
import { Dialog } from "../ui/dialog.tsx";
import type { ActionError } from "../../http/screens/screen-actions.ts";
import { showToast } from "../ui/toast.ts";
import { useScreenAction } from "../hooks/use-screen-action.ts";

export type TagQuestion =
  { kind: "create" } | { kind: "rename" | "delete"; slug: string; name: string };

export function TagModal({ question, onClose }: { question: TagQuestion; onClose: () => void }) {
  const { t } = useTranslation(["tags", "glossary"]);

  const [name, setName] = useState(question.kind === "rename" ? question.name : "");
  const [category, setCategory] = useState("campaign");
  const successText = { create: t("created"), rename: t("renamed"), delete: t("removed") }[
    question.kind
  ];
  const { submit, isBusy, error } = useScreenAction(question.kind, {
    onSuccess() {
      onClose();
      showToast(successText);
    },
  });
  const errorMessage = problemOf(t, error) ?? error?.message;
  const title = {
    create: t("create"),
    rename: t("rename"),
    delete:
      question.kind === "create"
        ? ""
        : t("removeTitle", { name: question.kind === "delete" ? question.name : "" }),
  }[question.kind];
  const content = { create: t("create"), rename: t("rename"), delete: t("remove") }[question.kind];
  const fields =
    question.kind === "create"
      ? { name, category }
      : question.kind === "rename"
        ? { slug: question.slug, name }
        : { slug: question.slug };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      primaryAction={{
        content,
        onAction: () => submit(fields),
        loading: isBusy,
        destructive: question.kind === "delete",
        disabled: question.kind !== "delete" && name.trim() === "",
      }}
      secondaryAction={{ content: t("cancel"), onAction: onClose }}
    >
      {question.kind === "delete" ? (
        <BlockStack gap="200">
          <Text as="p">{t("removeText")}</Text>
          {errorMessage && (
            <Text as="p" tone="critical">
              {errorMessage}
            </Text>
          )}
        </BlockStack>
      ) : (
        <BlockStack gap="400">
          <TextField
            label={t("name")}
            value={name}
            onChange={setName}
            autoComplete="off"
            maxLength={80}
            helpText={question.kind === "create" ? t("nameHelp") : t("renameText")}
            error={errorMessage}
          />
          {question.kind === "create" && (
            <Select
              label={t("category")}
              options={Object.entries(t("glossary:category", { returnObjects: true })).map(
                ([value, label]) => ({ value, label }),
              )}
              value={category}
              onChange={setCategory}
            />
          )}
        </BlockStack>
      )}
    </Dialog>
  );
}

function problemOf(t: TFunction<"tags">, error: ActionError | null): string | undefined {
  if (error?.code === "conflict") return error.fields?.name ? t("exists") : t("inUse");
  return error?.code === "invalid_request" && error.fields?.name ? t("unreadable") : undefined;
}
