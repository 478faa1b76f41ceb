// Makes, renames and deletes a tag.
import { useFetcher } from "@remix-run/react";
import { BlockStack, Modal, Select, Text, TextField } from "@shopify/polaris";
import { useState } from "react";
import { CUSTOMER_NAMES } from "../customers/customer-words.ts";
import { useRefusal } from "../refusal-words.ts";
import { showToast } from "../toast.ts";
import { useAnswer } from "../use-answer.ts";
import { useWords } from "../words.tsx";
import { TAG_WORDS } from "./tag-words.ts";

export type TagQuestion = { kind: "create" } | { kind: "rename" | "delete"; slug: string; name: string };
type Answer = { ok: true } | { ok: false; code: string; fields: Record<string, string> };

export function TagModal({ question, onClose }: { question: TagQuestion; onClose: () => void }) {
  const words = useWords(TAG_WORDS);
  const names = useWords(CUSTOMER_NAMES);
  const [name, setName] = useState(question.kind === "rename" ? question.name : "");
  const [category, setCategory] = useState("campaign");
  const said = { create: words.created, rename: words.renamed, delete: words.removed }[question.kind];
  const { isBusy, error, send } = useTagAction(() => {
    showToast(said);
    onClose();
  });
  const title = { create: words.create, rename: words.rename, delete: question.kind === "create" ? "" : words.removeTitle(question.kind === "delete" ? question.name : "") }[question.kind];
  const content = { create: words.create, rename: words.rename, delete: words.remove }[question.kind];
  const body = question.kind === "create" ? { intent: "create", name, category } : question.kind === "rename" ? { intent: "rename", slug: question.slug, name } : { intent: "delete", slug: question.slug };
  return (
    <Modal
      open
      title={title}
      onClose={onClose}
      primaryAction={{ content, onAction: () => send(body), loading: isBusy, destructive: question.kind === "delete", disabled: question.kind !== "delete" && name.trim() === "" }}
      secondaryActions={[{ content: words.cancel, onAction: onClose }]}
    >
      <Modal.Section>
        {question.kind === "delete" ? (
          <BlockStack gap="200">
            <Text as="p">{words.removeText}</Text>
            {error && <Text as="p" tone="critical">{error}</Text>}
          </BlockStack>
        ) : (
          <BlockStack gap="400">
            <TextField label={words.name} value={name} onChange={setName} autoComplete="off" maxLength={80} helpText={question.kind === "create" ? words.nameHelp : words.renameText} error={error} />
            {question.kind === "create" && <Select label={words.category} options={Object.entries(names.category).map(([value, label]) => ({ value, label }))} value={category} onChange={setCategory} />}
          </BlockStack>
        )}
      </Modal.Section>
    </Modal>
  );
}

function useTagAction(onDone: () => void) {
  const words = useWords(TAG_WORDS);
  const refusal = useRefusal();
  const fetcher = useFetcher<Answer>();
  const isBusy = fetcher.state !== "idle";
  const answer = isBusy ? undefined : fetcher.data;
  useAnswer(fetcher, (told) => told.ok && onDone());
  const errorOf = ({ code, fields }: { code: string; fields: Record<string, string> }) => {
    if (code === "conflict") return fields.name ? words.exists : words.inUse;
    return code === "invalid_request" && fields.name ? words.unreadable : refusal(code);
  };
  return {
    isBusy,
    error: answer && !answer.ok ? errorOf(answer) : undefined,
    send: (body: object) => fetcher.submit(JSON.stringify(body), { method: "post", action: "/app/tags", encType: "application/json" }),
  };
}
