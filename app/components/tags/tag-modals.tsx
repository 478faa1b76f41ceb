// Makes, renames and deletes a tag.
import { BlockStack, Select, Text, TextField } from "@shopify/polaris";
import { useState } from "react";
import { CUSTOMER_NAMES } from "../customers/customer-words.ts";
import { Dialog } from "../dialog.tsx";
import { useDeed, useRefusal, type Refused } from "../use-deed.ts";
import { useWords } from "../words.tsx";
import { TAG_WORDS, type TagText } from "./tag-words.ts";

export type TagQuestion =
  { kind: "create" } | { kind: "rename" | "delete"; slug: string; name: string };

export function TagModal({ question, onClose }: { question: TagQuestion; onClose: () => void }) {
  const words = useWords(TAG_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  const [name, setName] = useState(question.kind === "rename" ? question.name : "");
  const [category, setCategory] = useState("campaign");
  const said = { create: words.created, rename: words.renamed, delete: words.removed }[
    question.kind
  ];
  const { run, isBusy, refused } = useDeed({
    onDone() {
      onClose();
      return said;
    },
  });
  const general = useRefusal(refused);
  const error = problemOf(words, refused) ?? general ?? undefined;
  const title = {
    create: words.create,
    rename: words.rename,
    delete:
      question.kind === "create"
        ? ""
        : words.removeTitle(question.kind === "delete" ? question.name : ""),
  }[question.kind];
  const content = { create: words.create, rename: words.rename, delete: words.remove }[
    question.kind
  ];
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
        onAction: () => run(question.kind, fields),
        loading: isBusy,
        destructive: question.kind === "delete",
        disabled: question.kind !== "delete" && name.trim() === "",
      }}
      secondaryActions={[{ content: words.cancel, onAction: onClose }]}
    >
      {question.kind === "delete" ? (
        <BlockStack gap="200">
          <Text as="p">{words.removeText}</Text>
          {error && (
            <Text as="p" tone="critical">
              {error}
            </Text>
          )}
        </BlockStack>
      ) : (
        <BlockStack gap="400">
          <TextField
            label={words.name}
            value={name}
            onChange={setName}
            autoComplete="off"
            maxLength={80}
            helpText={question.kind === "create" ? words.nameHelp : words.renameText}
            error={error}
          />
          {question.kind === "create" && (
            <Select
              label={words.category}
              options={Object.entries(names.category).map(([value, label]) => ({ value, label }))}
              value={category}
              onChange={setCategory}
            />
          )}
        </BlockStack>
      )}
    </Dialog>
  );
}

function problemOf(words: TagText, refused: Refused | null): string | undefined {
  if (refused?.code === "conflict") return refused.fields.name ? words.exists : words.inUse;
  return refused?.code === "invalid_request" && refused.fields.name ? words.unreadable : undefined;
}
