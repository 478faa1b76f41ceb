// Asks for the name of a view.
import { Modal, TextField } from "@shopify/polaris";
import { useState } from "react";
import { useWords } from "../words.tsx";
import { BULK_WORDS } from "./bulk-words.ts";
import { LIST_WORDS } from "./list-words.ts";

export default function SaveView({ onSave, onClose }: { onSave: (name: string) => Promise<boolean>; onClose: () => void }) {
  const words = useWords(LIST_WORDS).views;
  const { close } = useWords(BULK_WORDS);
  const [name, setName] = useState("");
  const [state, setState] = useState<"asking" | "saving" | "refused">("asking");
  const save = async () => {
    setState("saving");
    if (await onSave(name.trim())) onClose();
    else setState("refused");
  };
  return (
    <Modal
      open
      title={words.save}
      onClose={onClose}
      primaryAction={{ content: words.save, onAction: () => void save(), loading: state === "saving", disabled: name.trim() === "" }}
      secondaryActions={[{ content: close, onAction: onClose }]}
    >
      <Modal.Section>
        <TextField label={words.name} value={name} onChange={setName} maxLength={40} autoComplete="off" {...(state === "refused" && { error: words.notSaved })} />
      </Modal.Section>
    </Modal>
  );
}
