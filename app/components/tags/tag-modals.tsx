// Creates, renames and deletes a tag.
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { BlockStack, Select, Text, TextField } from "@shopify/polaris";
import { useState } from "react";
import { ActionAlert } from "../frame/action-alert.tsx";
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
  const texts = textsOf(t, question);
  const { submit, isBusy, error } = useScreenAction(question.kind, {
    onSuccess() {
      onClose();
      showToast(texts.done);
    },
  });
  const errorMessage = problemOf(t, error) ?? error?.message;
  return (
    <Dialog
      title={texts.title}
      onClose={onClose}
      primaryAction={{
        content: texts.button,
        onAction: () => submit(inputOf(question, { name, category })),
        loading: isBusy,
        destructive: question.kind === "delete",
        disabled: question.kind !== "delete" && name.trim() === "",
      }}
      secondaryAction={{ content: t("cancel"), onAction: onClose }}
    >
      {question.kind === "delete" ? (
        <BlockStack gap="200">
          <Text as="p">{t("removeText")}</Text>
          {errorMessage && <ActionAlert>{errorMessage}</ActionAlert>}
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
            focused={errorMessage !== undefined}
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

function textsOf(t: TFunction<"tags">, question: TagQuestion) {
  switch (question.kind) {
    case "create":
      return { title: t("create"), button: t("create"), done: t("created") };
    case "rename":
      return { title: t("rename"), button: t("rename"), done: t("renamed") };
    case "delete":
      return {
        title: t("removeTitle", { name: question.name }),
        button: t("remove"),
        done: t("removed"),
      };
  }
}

/** What the action of this kind takes. */
function inputOf(question: TagQuestion, { name, category }: { name: string; category: string }) {
  switch (question.kind) {
    case "create":
      return { name, category };
    case "rename":
      return { slug: question.slug, name };
    case "delete":
      return { slug: question.slug };
  }
}

function problemOf(t: TFunction<"tags">, error: ActionError | null): string | undefined {
  if (error?.code === "conflict") return error.fields?.name ? t("exists") : t("inUse");
  return error?.code === "invalid_request" && error.fields?.name ? t("unreadable") : undefined;
}
