// Asks for the name of a view.
import { TextField } from "@shopify/polaris";
import { useState } from "react";
import { Dialog } from "../dialog.tsx";
import { useDeed, useRefusal } from "../use-deed.ts";
import { useWords } from "../words.tsx";
import { BULK_WORDS } from "./bulk-words.ts";
import type { ListState } from "./list-address.ts";
import { LIST_WORDS } from "./list-words.ts";

export default function SaveView({ shown, onClose }: { shown: ListState; onClose: () => void }) {
  const words = useWords(LIST_WORDS).views;
  const { close } = useWords(BULK_WORDS);
  const [name, setName] = useState("");
  const { run, isBusy, refused } = useDeed({
    onDone() {
      onClose();
      return words.searchNotKept;
    },
  });
  const general = useRefusal(refused);
  const problem = refused?.code === "conflict" ? words.notSaved : general;
  return (
    <Dialog
      title={words.save}
      onClose={onClose}
      primaryAction={{
        content: words.save,
        onAction: () => run("save_view", { name: name.trim(), ...shown }),
        loading: isBusy,
        disabled: name.trim() === "",
      }}
      secondaryActions={[{ content: close, onAction: onClose }]}
    >
      <TextField
        label={words.name}
        value={name}
        onChange={setName}
        maxLength={40}
        autoComplete="off"
        {...(problem && { error: problem })}
      />
    </Dialog>
  );
}
